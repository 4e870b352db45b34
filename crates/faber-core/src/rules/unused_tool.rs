//! ## What it finds
//!
//! A tool in `required_tools` that no text of the workspace names. A context that names no tool at
//! all and speaks of its MCP server as a whole uses all of them.
//!
//! ## Why it matters
//!
//! Every tool that a model is given costs tokens and can be misused.
//!
//! ## Example
//!
//! ```markdown
//! ---
//! mcp_server: mcp-server-linear
//! required_tools: [linear_create_issue, linear_archive_team]
//! ---
//! Write down what was asked for with `linear_create_issue`.
//! ```
//!
//! Better:
//!
//! ```markdown
//! ---
//! mcp_server: mcp-server-linear
//! required_tools: [linear_create_issue]
//! ---
//! Write down what was asked for with `linear_create_issue`.
//! ```
//!
//! ## How to fix it
//!
//! Remove the tool, or say when to use it.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "unused-tool",
    Group::Platforms,
    "a required tool that nothing uses",
    include_str!("unused_tool.rs"),
);
