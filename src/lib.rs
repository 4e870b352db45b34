//! faber compiles context packs: it discovers and parses directories of Markdown, resolves their
//! layers, selects what a request needs, fits it into a token budget and emits one prompt bundle.

pub mod cli;
pub mod commands;
pub mod emit;
pub(crate) mod picture;
