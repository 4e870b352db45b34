//! Words of a request as they are compared: folded, stemmed and matched all at once.

pub mod matcher;
pub mod words;
