//! ## What it finds
//!
//! An `mcp_server` of a context that `mcp_servers` lacks or switches off, while the context has
//! no usable `fallback`. A server that only the text of a context names, as in "**MCP Server**: Use
//! `mcp-server-linear`", is a warning.
//!
//! ## Why it matters
//!
//! The context tells the model to use tools that it does not have.
//!
//! ## Example
//!
//! ```yaml
//! mcp_server: mcp-server-linear
//! fallback: null
//! ```
//!
//! Better:
//!
//! ```yaml
//! mcp_server: mcp-server-linear
//! fallback: api
//! ```
//!
//! ## How to fix it
//!
//! Configure the server under `mcp_servers`, or say what to use instead in `fallback`.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "unresolved-mcp-server",
    Group::Platforms,
    "an MCP server that is not configured, without a fallback",
    include_str!("unresolved_mcp_server.rs"),
)
.except(Severity::Warning);
