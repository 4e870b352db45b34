use std::ops::Range;

use crate::search::analyze::Analyzer;
use crate::search::bytes::TextKey;
use crate::search::chunk::{self, Chunk};
use faber_core::meaning::{Embedder, Pool, Vector};

#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    pub name: &'a str,
    pub meta: &'a [String],
    pub body: &'a str,
}

#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) key: TextKey,
    pub(super) meta: String,
    pub(super) meta_terms: u32,
    pub(super) rows: Vec<PreparedRow>,
    pub(super) whole: f32,
}

#[derive(Clone, Debug)]
pub(super) struct PreparedRow {
    pub(super) span: Range<usize>,
    pub(super) anchor: String,
    pub(super) head: String,
    pub(super) body: String,
    pub(super) lengths: [u32; 2],
    pub(super) vector: Vector,
}

impl Prepared {
    pub fn terms(&self) -> usize {
        let rows = self.rows.iter().map(|row| row.lengths.iter().sum::<u32>());
        rows.chain([self.meta_terms]).map(|terms| terms as usize).sum()
    }
}

impl Text<'_> {
    pub fn key(&self) -> TextKey {
        let mut hasher = blake3::Hasher::new();
        let meta = self.meta.iter().map(String::as_str);
        for text in [self.name].into_iter().chain(meta).chain([self.body]) {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        let hash = hasher.finalize();
        let (half, _) = hash.as_bytes().split_at(16);
        half.try_into().expect("a half has 16 bytes")
    }
}

#[derive(Default)]
pub(crate) struct Preparer {
    analyzer: Analyzer,
    embedder: Embedder,
}

impl Preparer {
    pub(crate) fn prepare(&mut self, text: &Text<'_>) -> Prepared {
        let mut meta = String::new();
        let mut meta_terms = self.analyzer.add(text.name, &mut meta);
        for more in text.meta {
            meta_terms += self.analyzer.add(more, &mut meta);
        }
        let mut chunks = chunk::chunks(text.body);
        if chunks.is_empty() {
            let (anchor, headings) = (String::new(), String::new());
            chunks.push(Chunk { span: 0..0, anchor, headings, body: Vec::new() });
        }
        let mut whole = Pool::new();
        let rows = chunks.into_iter().map(|chunk| self.row(text, chunk, &mut whole)).collect();
        let whole = whole.finish().length;
        Prepared { key: text.key(), meta, meta_terms, rows, whole }
    }

    fn row(&mut self, text: &Text<'_>, chunk: Chunk, whole: &mut Pool) -> PreparedRow {
        let (mut head, mut body) = (String::new(), String::new());
        let head_terms = self.analyzer.add(&chunk.headings, &mut head);
        let mut body_terms = 0;
        for block in &chunk.body {
            body_terms += self.analyzer.add(&text.body[block.clone()], &mut body);
        }
        let mut pool = Pool::new();
        self.embedder.add(&mut pool, text.name);
        self.embedder.add(&mut pool, &chunk.headings);
        for block in &chunk.body {
            self.embedder.add(&mut pool, &text.body[block.clone()]);
        }
        whole.add_pool(&pool);
        let (span, anchor) = (chunk.span, chunk.anchor);
        let lengths = [head_terms, body_terms];
        PreparedRow { span, anchor, head, body, lengths, vector: pool.finish() }
    }
}
