//! Serving agents: what the commands do, over the Model Context Protocol.
//!
//! [`host`] is what lasts between calls: settings, principal, scopes, and libraries that are kept up to
//! date. A tool is a function of the host and of its arguments; [`tools`] is their table. Nothing of
//! that knows the protocol, which is [`mcp`] on one of two transports: [`stdio`] and [`http`].

pub mod answer;
pub mod host;
pub mod http;
pub mod mcp;
pub mod prompts;
pub mod record;
pub mod resources;
pub mod start;
pub mod stdio;
pub mod tools;
