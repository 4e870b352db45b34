//! ## What it finds
//!
//! A tool of the MCP server that the text of a context names while its `required_tools` does not.
//! Names are taken for tools when they are made of the name of the server and a verb, such as
//! `linear_list_issues` or `mcp__linear__get_issue`. Lines that warn of a tool do not count.
//!
//! ## Why it matters
//!
//! Anyone who runs the model grants what `required_tools` lists, and the call fails.
//!
//! ## Example
//!
//! ```markdown
//! ---
//! mcp_server: mcp-server-linear
//! required_tools: [linear_create_issue]
//! ---
//! 1. Look for duplicates with `linear_list_issues`
//! 2. `linear_create_issue`
//! ```
//!
//! Better:
//!
//! ```markdown
//! ---
//! mcp_server: mcp-server-linear
//! required_tools: [linear_create_issue, linear_list_issues]
//! ---
//! 1. Look for duplicates with `linear_list_issues`
//! 2. `linear_create_issue`
//! ```
//!
//! ## How to fix it
//!
//! Add the tool to `required_tools`, or do not use it.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "undeclared-tool",
    Group::Platforms,
    "a tool that is used and not required",
    include_str!("undeclared_tool.rs"),
);
