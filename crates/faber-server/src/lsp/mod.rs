//! `faber lsp`: a language server for context packs.
//!
//! [`server`] takes messages in and keeps the texts that are open; [`worker`] reads and validates a
//! workspace whenever something has changed; [`answers`] has one row for each request, and a file for
//! each of them here answers it, from the [`analysis`] that the worker made. Only this wing knows the
//! protocol.

pub mod actions;
pub mod address;
pub mod analysis;
pub mod answers;
pub mod client;
pub mod completion;
pub mod definition;
pub mod desk;
pub mod diagnostics;
pub mod document;
pub mod hover;
pub mod inlay;
pub mod links;
pub mod mentions;
pub mod position;
pub mod references;
pub mod server;
pub mod symbols;
pub mod wire;
pub mod worker;
