//! Extracts of contexts that were made before.

use bytes::Bytes;

use crate::budget::excerpt::Excerpt;
use crate::budget::extract;
use crate::digest_map::DigestMap;
use crate::file_text::{self, Digest};
use crate::resolve::catalog::{Body, Resolved};
use crate::source::SourceMap;
use crate::tokens::Counter;

/// Extracts by the digest of the text that they are of.
#[derive(Debug, Default)]
pub struct ExtractCache(DigestMap);

impl ExtractCache {
    /// A cache with what [`Self::to_bytes`] gave.
    pub fn from_bytes(loaded: Bytes) -> Self {
        Self(DigestMap::from_bytes(loaded))
    }

    /// All extracts, to be stored; none when nothing was added.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        self.0.to_bytes()
    }

    /// The [`extract::summary`] of the text of `body`, by its tokens.
    pub fn summary(
        &self,
        body: &Body,
        text: &str,
        counter: &Counter,
        sources: &SourceMap,
    ) -> Excerpt {
        let what = format!("summary {} {}", counter.encoding.name(), counter.margin_percent);
        let make = || extract::summary(text, &|text| counter.count(text));
        self.0.get_or_make(key(&what, body, sources), make)
    }

    /// The [`extract::essence`] of a context.
    pub fn essence(&self, context: &Resolved, sources: &SourceMap) -> String {
        extract::essence_or(context, || {
            let make = || extract::first_sentence(&context.body.text(sources));
            self.0.get_or_make(key("first sentence", &context.body, sources), make)
        })
    }
}

fn key(what: &str, body: &Body, sources: &SourceMap) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&body.digest(sources)).update(what.as_bytes());
    file_text::half(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::Span;
    use crate::tokens::{Encoding, TokenCache};

    #[test]
    fn an_extract_is_made_once_for_each_text_and_encoding() {
        let text = "# Deploy\n\nShip it. Always.\n\n## Steps\n\nBuild. Push.\n".repeat(20);
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.clone());
        let body = Body::Whole(Span::new(file, 0, text.len()));
        let tokens = Arc::new(TokenCache::default());
        let counter = Counter::exact(Encoding::O200kBase, &tokens);
        let first = ExtractCache::default();
        let made = first.summary(&body, &text, &counter, &sources);
        assert_eq!(made, extract::summary(&text, &|text| counter.count(text)));
        let second = ExtractCache::from_bytes(first.to_bytes().unwrap().into());
        assert_eq!(second.summary(&body, &text, &counter, &sources), made);
        assert_eq!(second.to_bytes(), None, "it was known");
        let dearer = Counter { margin_percent: 20, ..counter };
        second.summary(&body, &text, &dearer, &sources);
        assert!(second.to_bytes().is_some(), "the same text costs more");
    }
}
