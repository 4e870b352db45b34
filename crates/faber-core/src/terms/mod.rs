//! Words for matching and ranking.

pub mod abbreviations;
pub mod bm25;
pub mod figures;
mod function_words;
pub mod matcher;
pub mod pieces;
pub mod query;
pub mod tokenizer;
pub mod translation;
pub mod words;
