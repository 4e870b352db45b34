//! ## What it finds
//!
//! A server with none or several of `source`, `command` and `url`, or whose `source` lacks what
//! belongs to it.
//!
//! ## Why it matters
//!
//! No one can start such a server.
//!
//! ## Example
//!
//! ```yaml
//! tracker: { source: npm }
//! ```
//!
//! Better:
//!
//! ```yaml
//! tracker: { source: npm, package: "@acme/tracker" }
//! ```
//!
//! ## How to fix it
//!
//! Keep one of `source`, `command` and `url`, and give a `source` its `package`, `repository`
//! or `path`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "mcp-server-shape",
    Group::Platforms,
    "an MCP server that does not say in one way where it comes from",
    include_str!("mcp_server_shape.rs"),
);
