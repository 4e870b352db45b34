//! An open workspace: its files and configuration, caches of what was read and computed, file watching,
//! and the log of calls. Start at [`session::Session`]; files are read and written in [`discover`] alone.

pub mod audit;
pub mod caches;
pub mod discover;
pub mod encoder;
pub mod hex;
pub mod history;
pub mod hook;
pub mod job;
pub mod packs;
pub mod run_cache;
pub mod session;
pub mod settings;
mod summarizer;
