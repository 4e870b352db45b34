//! Token counts: exact for public vocabularies, reconstructed for Claude.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use faber_tokens::parts;
pub use faber_tokens::{Encoding, count, count_message};
use foldhash::quality::FixedState;

use crate::digest_map::{DigestMap, NUMBER, number};
use crate::error::Error;
use crate::file_text::{Digest, digest_of};

/// # Errors
///
/// [`Error::Unknown`].
pub fn encoding(name: &str) -> Result<Encoding, Error> {
    let known = Encoding::NAMES.iter().map(|(name, _)| *name);
    Encoding::from_name(name).ok_or_else(|| Error::unknown("encoding", name, known))
}

/// With a margin if the tokenizer is not public.
#[derive(Clone, Debug)]
pub struct Counter {
    pub encoding: Encoding,
    pub margin_percent: u32,
    pub cache: Arc<TokenCache>,
}

impl Counter {
    pub fn exact(encoding: Encoding, cache: &Arc<TokenCache>) -> Self {
        Self { encoding, margin_percent: 0, cache: Arc::clone(cache) }
    }

    pub fn count(&self, text: &str) -> usize {
        let count = || self.cache.count_by_parts(self.encoding, text);
        self.with_margin(self.cache.get_or_count(self.encoding, *b"text", text.as_bytes(), count))
    }

    /// Caches only parts.
    pub(crate) fn count_once(&self, text: &str) -> usize {
        self.with_margin(self.cache.count_by_parts(self.encoding, text))
    }

    pub(crate) fn count_known(&self, of: &Digest, text: impl FnOnce() -> String) -> usize {
        let count = || self.cache.count_by_parts(self.encoding, &text());
        self.with_margin(self.cache.get_or_count(self.encoding, *b"made", of, count))
    }

    pub fn count_message(&self, text: &str) -> usize {
        if self.is_reconstructed() {
            self.with_margin(count_message(self.encoding, text))
        } else {
            self.count(text)
        }
    }

    pub fn frame(&self) -> usize {
        self.count_message("")
    }

    fn with_margin(&self, count: usize) -> usize {
        let margin = count.saturating_mul(self.margin_percent as usize).div_ceil(100);
        count.saturating_add(margin)
    }

    pub(crate) fn adds_up(&self) -> bool {
        self.margin_percent == 0 && !self.is_reconstructed()
    }

    pub fn is_estimated(&self) -> bool {
        self.margin_percent > 0
    }

    pub fn is_reconstructed(&self) -> bool {
        self.encoding.is_reconstructed()
    }
}

/// Instructions and runbooks have 4.54 bytes per token of `o200k_base` (6.9 MB).
pub fn estimate(bytes: usize) -> usize {
    bytes.saturating_mul(2).div_ceil(9)
}

/// In bytes. Counting shorter ones is as fast.
const MIN_PART: usize = 16;
const MAX_PARTS: usize = 100_000;

#[derive(Debug, Default)]
pub struct TokenCache {
    pub(crate) counts: DigestMap,
    pub(crate) parts: DigestMap,
}

impl TokenCache {
    pub fn counts(&self) -> &DigestMap {
        &self.counts
    }

    /// `of` determines the text, `what` the kind.
    fn get_or_count(
        &self,
        encoding: Encoding,
        what: [u8; 4],
        of: &[u8],
        count: impl FnOnce() -> usize,
    ) -> usize {
        let key = digest_of([encoding.name().as_bytes(), &what, of]);
        get_or_count(&self.counts, key, None, count)
    }

    fn count_by_parts(&self, encoding: Encoding, text: &str) -> usize {
        parts(encoding, text).map(|part| self.part(encoding, part)).sum()
    }

    fn part(&self, encoding: Encoding, part: &str) -> usize {
        let count = || count(encoding, part);
        if part.len() < MIN_PART {
            return count();
        }
        get_or_count(&self.parts, key_of_part(encoding, part), Some(MAX_PARTS), count)
    }
}

fn get_or_count(
    map: &DigestMap,
    key: Digest,
    most: Option<usize>,
    count: impl FnOnce() -> usize,
) -> usize {
    let known = map.get(&key).and_then(|bytes| number(&bytes, 0));
    known.unwrap_or_else(|| {
        let count = count();
        if let Ok(count) = u32::try_from(count)
            && most.is_none_or(|most| map.added_count() < most)
        {
            let bytes: [u8; NUMBER] = count.to_le_bytes();
            map.insert(key, bytes.to_vec().into());
        }
        count
    })
}

fn key_of_part(encoding: Encoding, part: &str) -> Digest {
    let half = |half: u64| {
        let mut hasher = FixedState::with_seed(half).build_hasher();
        hasher.write_u8(encoding as u8);
        hasher.write(part.as_bytes());
        hasher.finish().to_le_bytes()
    };
    let mut key = Digest::default();
    let (first, second) = key.split_at_mut(8);
    first.copy_from_slice(&half(0));
    second.copy_from_slice(&half(1));
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest_map::tests::MemoryStore;

    #[test]
    fn an_estimate_of_markdown_is_about_right() {
        let text = "# Deploying\n\nRun the pipeline, then watch the dashboard for ten minutes.\n\n\
            - Check that `kubectl rollout status` reports success.\n\
            - If the error rate rises above one percent, roll back.\n";
        let exact = count(Encoding::O200kBase, text);
        assert!(estimate(text.len()).abs_diff(exact) * 4 <= exact, "{exact}");
        assert_eq!((estimate(0), estimate(1)), (0, 1));
    }

    #[test]
    fn a_margin_is_rounded_up_and_says_so() {
        let exact = Counter::exact(Encoding::O200kBase, &Arc::default());
        let text = "one two three";
        assert_eq!((exact.count(text), exact.is_estimated()), (3, false));
        let margin = Counter { margin_percent: 10, ..exact.clone() };
        assert_eq!((margin.count(text), margin.count(""), margin.is_estimated()), (4, 0, true));
    }

    const O200K: Encoding = Encoding::O200kBase;

    #[test]
    fn texts_are_counted_once() {
        let store = MemoryStore::default();
        let open = || {
            let (counts, parts) = (DigestMap::open(&store, "counts"), DigestMap::default());
            TokenCache { counts, parts }
        };
        let counted = |cache: &TokenCache, encoding, text: &str, count: &dyn Fn() -> usize| {
            cache.get_or_count(encoding, *b"text", text.as_bytes(), count)
        };
        let texts = ["", "one", "two", "three", "four", "five"];
        let first = open();
        for (count, text) in texts.iter().enumerate() {
            assert_eq!(counted(&first, O200K, text, &|| count), count);
            assert_eq!(counted(&first, O200K, text, &|| panic!("known")), count);
        }
        first.counts.save(&store, "counts", usize::MAX);
        let second = open();
        for (count, text) in texts.iter().enumerate() {
            assert_eq!(counted(&second, O200K, text, &|| panic!("loaded")), count);
        }
        let other = Encoding::Cl100kBase;
        assert_eq!(counted(&second, other, "one", &|| 7), 7, "encodings count differently");
    }

    #[test]
    fn parts_are_counted_once_while_there_is_room() {
        let cache = TokenCache::default();
        let text = "# One\n\n- two is long enough\n- three is long enough\n/four\n";
        for _ in 0..2 {
            assert_eq!(cache.count_by_parts(O200K, text), count(O200K, text));
            assert_eq!(cache.parts.added_count(), 2);
        }
        let lines = (0..MAX_PARTS + 9).map(|line| format!("{line} is a line of its own\n"));
        let long: String = lines.collect();
        assert_eq!(cache.count_by_parts(O200K, &long), count(O200K, &long));
        assert_eq!(cache.parts.added_count(), MAX_PARTS);
    }

    #[test]
    fn parts_have_the_count_of_their_own_text_and_encoding() {
        let cache = TokenCache::default();
        let parts = ["the same line of text\n", "another line of text\n", "日本語の行です。\n"];
        for _ in 0..2 {
            for encoding in [O200K, Encoding::Cl100kBase] {
                for part in parts {
                    assert_eq!(cache.part(encoding, part), count(encoding, part));
                }
            }
        }
    }
}
