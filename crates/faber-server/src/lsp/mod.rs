//! `faber lsp`: a language server for context packs.
//!
//! [`server`] receives messages and keeps open documents; `worker` reads and validates a
//! workspace after each change; [`answers`] has a row for each request, which a file of its own
//! answers from the worker's `analysis`. Only this module knows the protocol.

pub mod actions;
pub mod address;
pub(crate) mod analysis;
pub mod answers;
pub mod ask;
pub mod client;
pub mod completion;
pub mod definition;
pub mod diagnostics;
pub mod document;
pub mod hover;
pub(crate) mod inlay;
pub mod links;
pub(crate) mod mentions;
pub mod position;
pub mod references;
pub mod scheduler;
pub mod server;
pub mod symbols;
pub mod wire;
pub(crate) mod worker;
