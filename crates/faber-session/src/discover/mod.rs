//! All access to the file system: finds the workspace and reads and writes its files.
#![expect(clippy::disallowed_methods, reason = "this is the window")]

pub(crate) mod archive;
pub mod atomic;
pub mod audit;
pub mod cache;
pub mod clipboard;
pub mod encoder;
pub mod file_cache;
pub mod files;
pub mod foreign;
pub mod generation;
pub mod git;
pub mod hook_store;
pub(crate) mod http;
pub mod input;
pub(crate) mod kept;
mod listing;
mod lock;
mod mapped;
pub mod mount;
pub mod notes;
pub mod pack_prune;
pub mod pack_store;
mod program;
pub(crate) mod reachable;
pub mod repository;
pub mod root;
pub mod snapshot;
pub mod summarizer;
pub mod trust;
pub mod watcher;
