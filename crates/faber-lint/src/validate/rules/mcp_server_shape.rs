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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "mcp-server-shape",
    severity: Severity::Error,
    group: Group::Platforms,
    fix: Fix::None,
    summary: "an MCP server that does not say in one way where it comes from",
    source: include_str!("mcp_server_shape.rs"),
};
