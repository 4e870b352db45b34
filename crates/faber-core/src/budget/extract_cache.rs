//! A cache of extracts.

use bytes::Bytes;

use crate::budget::excerpt::Excerpt;
use crate::budget::extract;
use crate::budget::focus::{Focus, FocusParts};
use crate::budget::gist;
use crate::digest_map::{self, DigestMap};
use crate::file_text::{Digest, digest_of};
use crate::markdown;
use crate::resolve::catalog::{Body, Context};
use crate::select::relevance::Passages;
use crate::source::SourceMap;
use crate::tokens::Counter;

#[derive(Debug, Default)]
pub struct ExtractCache(pub(crate) DigestMap);

impl ExtractCache {
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

    pub fn focus<'a>(
        &self,
        body: &Body,
        text: &'a str,
        passages: &Passages,
        sources: &SourceMap,
    ) -> Option<Focus<'a>> {
        let key = key("parts", body, sources);
        let known = self.0.get(&key).and_then(|bytes| StoredParts::parse(&bytes));
        let stored = known.unwrap_or_else(|| {
            let parts = FocusParts::new(text);
            let terms = passages.read(parts.sections(text)).into();
            let stored = StoredParts { parts, terms };
            self.0.insert(key, stored.to_bytes());
            stored
        });
        Focus::new(text, stored.parts, passages.scores(&stored.terms))
    }

    pub fn closer(&self, body: &Body, text: &str, sources: &SourceMap) -> Option<String> {
        if markdown::is_closed_at_sight(text) {
            return None;
        }
        self.0.get_or_make(key("closer", body, sources), || markdown::closer(text))
    }

    pub fn essence(&self, context: &Context, sources: &SourceMap) -> String {
        extract::essence_or(context, || Some(self.gist(&context.body, sources)?.1))
    }

    pub fn gist(&self, body: &Body, sources: &SourceMap) -> Option<(usize, String)> {
        let make = || gist::located(&body.text(sources));
        self.0.get_or_make(key("gist", body, sources), make)
    }
}

/// Length of the encoded parts, the parts, the terms.
struct StoredParts {
    parts: FocusParts,
    terms: Bytes,
}

impl StoredParts {
    fn parse(bytes: &Bytes) -> Option<Self> {
        let length = digest_map::number(bytes, 0)?;
        let parts = bytes.get(digest_map::NUMBER..digest_map::NUMBER + length)?;
        let parts = rmp_serde::from_slice(parts).ok()?;
        Some(Self { parts, terms: bytes.slice(digest_map::NUMBER + length..) })
    }

    fn to_bytes(&self) -> Bytes {
        let parts = rmp_serde::to_vec(&self.parts).expect("plain data can always be encoded");
        [&digest_map::number_bytes(parts.len()), &*parts, &self.terms].concat().into()
    }
}

fn key(what: &str, body: &Body, sources: &SourceMap) -> Digest {
    digest_of([body.digest(sources).as_slice(), what.as_bytes()])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::digest_map::tests::MemoryStore;
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
        let store = MemoryStore::default();
        let open = || ExtractCache(DigestMap::open(&store, "extracts"));
        let first = open();
        let made = first.summary(&body, &text, &counter, &sources);
        assert_eq!(made, extract::summary(&text, &|text| counter.count(text)));
        first.0.save(&store, "extracts", 1 << 20);
        let stored = store.texts();
        let second = open();
        assert_eq!(second.summary(&body, &text, &counter, &sources), made);
        second.0.save(&store, "extracts", 1 << 20);
        assert_eq!(store.texts(), stored, "it was known");
        let dearer = Counter { margin_percent: 20, ..counter };
        second.summary(&body, &text, &dearer, &sources);
        second.0.save(&store, "extracts", 1 << 20);
        assert_ne!(store.texts(), stored, "the same text costs more");
    }

    #[test]
    fn parts_of_a_text_are_read_once_for_all_requests() {
        let text = "# Deploy\n\nShip it.\n\n## Roll back\n\nPull the release.\n\n".repeat(9);
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.clone());
        let body = Body::Whole(Span::new(file, 0, text.len()));
        let asking =
            |term| Passages::new(term, [(term, &[][..], 2.0)].into_iter(), None, Arc::default());
        let shown = |cache: &ExtractCache, term| {
            let focus = cache.focus(&body, &text, &asking(term), &sources);
            focus.map(|focus| focus.excerpt(80).unwrap())
        };
        let store = MemoryStore::default();
        let open = || ExtractCache(DigestMap::open(&store, "extracts"));
        let first = open();
        let made = ["releas", "ship", "mug"].map(|term| shown(&first, term));
        assert!(made[0] != made[1] && made[1].is_some() && made[2].is_none());
        first.0.save(&store, "extracts", 1 << 20);
        let second = open();
        assert_eq!(["releas", "ship", "mug"].map(|term| shown(&second, term)), made);
        assert_eq!(second.0.added_count(), 0, "it was known");
    }
}
