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

use crate::validate::check::ViewInput;
use faber_core::assemble::needs;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "mcp-server-mismatch",
    severity: Severity::Warning,
    group: Group::Platforms,
    fix: Fix::None,
    summary: "an MCP server in front matter and another in the text",
    source: include_str!("mcp_server_mismatch.rs"),
};

/// Looks at the contexts of a view.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for context in input.contexts() {
        let Some(declared) = &context.front.fields.mcp_server else { continue };
        let Some(named) = needs::named_in_body(context, input.config, input.whole.sources) else {
            continue;
        };
        let declared_name = needs::plain(&declared.value);
        if declared_name != named.value {
            let message = format!("the text names `{}`, not `{declared_name}`", named.value);
            found.push(
                RULE.at(named.span, message)
                    .related(declared.span, "the server that is declared")
                    .help("name one server in both places"),
            );
        }
    }
}
