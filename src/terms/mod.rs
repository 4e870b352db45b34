//! Words of a request as they are compared: folded, stemmed, matched all at once or ranked by.

pub mod matcher;
pub(crate) mod pieces;
pub mod words;
