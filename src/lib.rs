//! faber compiles context packs: it discovers and parses directories of Markdown, resolves their
//! layers, selects what a request needs, fits it into a token budget and emits one prompt bundle.

pub mod cli;
pub mod commands;
pub mod emit;
pub mod ends;
pub mod exchange;
pub mod expand;
pub mod explain;
pub mod graph;
pub mod library;
pub mod lsp;
pub mod picture;
pub mod query;
pub mod search;
pub mod serve;
pub mod testing;
pub mod validate;
