//! ## What it finds
//!
//! A context with an `mcp_server` that does not say in `fallback` what to use when the server is
//! not there. `fallback: null` says that nothing is.
//!
//! ## Why it matters
//!
//! Servers are switched off and fail. Without a word about it the model makes something up.
//!
//! ## Example
//!
//! ```yaml
//! mcp_server: mcp-server-linear
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
//! Add `fallback: api`, `cli`, `manual` or `null`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "missing-fallback",
    Group::Platforms,
    "an MCP server without a word on what to use in its place",
    include_str!("missing_fallback.rs"),
);
