//! Shared texts of files.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use bytestring::ByteString;

/// Half a BLAKE3 hash.
pub type Digest = [u8; 16];

#[derive(Clone, Debug, Default)]
pub struct FileText {
    text: ByteString,
    digest: Arc<OnceLock<Digest>>,
}

impl FileText {
    pub fn known(bytes: Bytes, digest: Digest) -> Option<Self> {
        let text = ByteString::try_from(bytes).ok()?;
        Some(Self { text, digest: Arc::new(digest.into()) })
    }

    pub fn to_bytes(&self) -> Bytes {
        self.text.as_bytes().clone()
    }

    pub fn digest(&self) -> &Digest {
        self.digest.get_or_init(|| digest(self.text.as_bytes()))
    }
}

pub fn digest(bytes: &[u8]) -> Digest {
    half(blake3::hash(bytes))
}

/// Depends on how the bytes are divided into parts.
pub(crate) fn digest_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    half(hasher.finalize())
}

fn half(hash: blake3::Hash) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&hash.as_bytes()[..size_of::<Digest>()]);
    digest
}

impl Deref for FileText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<T: Into<ByteString>> From<T> for FileText {
    fn from(text: T) -> Self {
        Self { text: text.into(), digest: Arc::default() }
    }
}

impl<T: AsRef<str>> PartialEq<T> for FileText {
    fn eq(&self, other: &T) -> bool {
        **self == *other.as_ref()
    }
}

impl AsRef<str> for FileText {
    fn as_ref(&self) -> &str {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_their_digest() {
        let text = FileText::from("text".to_owned());
        let clone = text.clone();
        assert_eq!(clone.digest(), &digest(b"text"));
        assert_eq!(text.digest.get(), Some(&digest(b"text")));
    }
}
