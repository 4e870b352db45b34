//! A language server. `server` receives messages, `worker` analyzes workspaces.

pub(crate) mod actions;
pub(crate) mod address;
pub(crate) mod analysis;
pub(crate) mod answers;
pub(crate) mod ask;
pub mod client;
pub(crate) mod completion;
pub(crate) mod definition;
pub(crate) mod diagnostics;
pub(crate) mod document;
pub(crate) mod hover;
pub(crate) mod inlay;
pub(crate) mod links;
pub(crate) mod mentions;
pub(crate) mod position;
pub mod references;
pub(crate) mod scheduler;
pub mod server;
pub(crate) mod symbols;
pub mod wire;
pub(crate) mod worker;
