//! The core of faber, without I/O: parses contexts, resolves their layers, selects what a request
//! needs, packs it into a token budget and renders the bundle.
//!
//! Files come from a [`World`](world::World), everything else from [`Options`](workspace::Options)
//! and [`Job`](assemble::Job). For an example see `examples/assemble.rs`; single steps are
//! [`Workspace::resolve`](workspace::Workspace::resolve) and
//! [`ResolvedPack::select`](assemble::ResolvedPack::select).
//!
//! Open a [`Workspace`](workspace::Workspace) for each request; with shared
//! [`TextCaches`](workspace::caches::TextCaches) that is cheap.

mod ascii;
pub mod assemble;
pub mod budget;
pub mod category;
pub mod config;
pub mod context_id;
pub mod conversation;
pub mod diagnostic;
pub mod digest_map;
pub mod document;
pub mod error;
pub mod escape;
pub mod file_text;
pub mod findings;
pub mod layer;
pub mod letters;
pub mod line;
pub mod markdown;
pub mod meaning;
mod named;
pub mod numbers;
pub mod pack;
pub mod packs;
pub mod parse;
pub mod paths;
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
mod word_list;
pub mod workspace;
pub mod world;
pub mod yaml;
