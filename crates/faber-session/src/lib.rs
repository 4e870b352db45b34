//! An open workspace with caches, packs and audit log. Start at [`session::Session`].

pub mod audit;
pub mod caches;
mod diff;
pub mod discover;
pub mod encoder;
pub mod hex;
pub mod history;
pub mod hook;
pub mod input_text;
pub mod job;
pub mod packs;
pub mod run_cache;
pub mod session;
pub mod settings;
mod summarizer;
#[cfg(test)]
mod testing;
