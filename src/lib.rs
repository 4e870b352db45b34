//! faber compiles context packs: it discovers and parses directories of Markdown, resolves their
//! layers, selects what a request needs, fits it into a token budget and emits one prompt bundle.

pub mod assemble;
pub mod budget;
pub mod category;
pub mod cli;
pub mod commands;
pub mod config;
pub mod conversation;
pub mod diagnostic;
pub mod discover;
pub mod document;
pub mod emit;
pub mod error;
pub mod explain;
pub mod layer;
pub mod line;
pub mod markdown;
pub mod meaning;
pub mod parse;
pub mod prompt;
pub mod query;
pub mod render;
pub mod resolve;
pub mod role;
pub mod search;
mod secret;
pub mod select;
pub mod settings;
pub mod source;
pub mod strategy;
pub mod suggest;
pub mod terms;
pub mod testing;
pub mod tokens;
pub mod validate;
pub mod workspace;
pub mod yaml;
