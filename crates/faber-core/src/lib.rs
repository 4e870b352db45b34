//! What faber does with texts, without looking at the world: it parses contexts, resolves their layers,
//! selects what a request needs, fits it into a token budget and renders the bundle.
//!
//! Nothing here reads a file, asks for the time or knows of a terminal.

pub mod assemble;
pub mod budget;
pub mod category;
pub mod config;
pub mod conversation;
pub mod diagnostic;
pub mod document;
pub mod error;
pub mod escape;
pub mod findings;
pub mod layer;
pub mod line;
pub mod markdown;
pub mod meaning;
pub mod pack;
pub mod parse;
pub mod prompt;
pub mod readable;
pub mod render;
pub mod resolve;
pub mod role;
pub mod rule;
pub mod rules;
pub mod secret;
pub mod security;
pub mod select;
pub mod source;
pub mod strategy;
pub mod suggest;
pub mod terms;
pub mod tokens;
pub mod yaml;
