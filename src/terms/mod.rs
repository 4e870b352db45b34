//! Words of a request as they are compared: folded, stemmed, matched all at once or ranked by.

pub(crate) mod bm25;
pub mod matcher;
pub(crate) mod pieces;
pub(crate) mod query;
pub mod words;
