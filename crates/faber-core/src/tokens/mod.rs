//! Token counts: exact for public vocabularies, reconstructed for Claude.

mod cache;

use std::sync::Arc;

use crate::error::Error;
use crate::file_text::Digest;

pub use cache::TokenCache;
pub use faber_tokens::{Encoding, count, count_message};

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

    /// As part of a message.
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

    /// As a separate message.
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

    /// At the boundaries that [`count`] describes.
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

/// For information only. Instructions and runbooks have 4.54 bytes per token of `o200k_base` (6.9
/// MB, 1 207 files).
pub fn estimate(bytes: usize) -> usize {
    bytes.saturating_mul(2).div_ceil(9)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
