//! ## What it finds
//!
//! A context whose `mcp_server` is another server than the one that its text tells the model to
//! use, as in "**MCP Server**: Use `mcp-server-linear`".
//!
//! ## Why it matters
//!
//! faber prepares one server, and the model looks for the other.
//!
//! ## Example
//!
//! ```markdown
//! ---
//! mcp_server: mcp-server-github
//! ---
//! **MCP Server**: Use `mcp-server-linear`
//! ```
//!
//! Better:
//!
//! ```markdown
//! ---
//! mcp_server: mcp-server-linear
//! ---
//! **MCP Server**: Use `mcp-server-linear`
//! ```
//!
//! ## How to fix it
//!
//! Name one server in both places.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "mcp-server-mismatch",
    Group::Platforms,
    "an MCP server in front matter and another in the text",
    include_str!("mcp_server_mismatch.rs"),
);
