//! All calls share [`state`].

mod address;
pub mod answer;
pub(crate) mod changes;
mod complete;
mod failure;
pub(crate) mod http;
mod identity;
pub(crate) mod mcp;
pub mod prompts;
pub mod record;
pub mod resources;
pub(crate) mod skills;
pub mod start;
pub mod state;
pub mod stdio;
pub mod tools;
