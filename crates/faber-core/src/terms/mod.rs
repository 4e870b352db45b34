//! Words of a request as they are compared: folded, stemmed, matched all at once or ranked by.

pub mod bm25;
pub mod matcher;
pub mod pieces;
pub mod query;
pub(crate) mod tokenizer;
pub mod words;
