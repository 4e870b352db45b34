//! `faber serve`: the commands over the Model Context Protocol.
//!
//! [`host`] is the state between calls: settings, principal, scopes, and up-to-date libraries. A
//! tool is a function of the host and its arguments; `tools` is the table of tools. Only `mcp`
//! knows the protocol, on one of two transports: `stdio` and `http`. On a port, `identity` can say for
//! each request who asks.

mod address;
pub mod answer;
pub mod host;
pub(crate) mod http;
mod identity;
pub(crate) mod mcp;
pub mod prompts;
pub mod record;
pub mod resources;
pub(crate) mod skills;
pub mod start;
pub mod stdio;
pub mod tools;
