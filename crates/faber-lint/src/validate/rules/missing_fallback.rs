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

use crate::validate::check::ViewInput;
use faber_core::assemble::needs;
use faber_core::category::Category;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "missing-fallback",
    severity: Severity::Warning,
    group: Group::Platforms,
    fix: Fix::None,
    summary: "an MCP server without a word on what to use in its place",
    source: include_str!("missing_fallback.rs"),
};

/// Looks at the contexts of a view. Those of another platform are not loaded in it, and of a server
/// that is not there the lack of a fallback is reported with it.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let current = input.choice.platform.as_ref().map(|platform| platform.name.as_str());
    for context in input.contexts() {
        let Some(server) = &context.front.fields.mcp_server else { continue };
        let is_foreign =
            context.id.category == Category::Platform && context.platform.as_deref() != current;
        let says = context.front.node.get("fallback").is_some();
        if says || (is_foreign && current.is_some()) {
            continue;
        }
        if needs::need(context, input.config, input.whole.sources).is_some_and(|need| need.enabled)
        {
            let message = format!("nothing says what to use when `{}` is not there", server.value);
            found.push(
                RULE.at(server.span, message).help(
                    "add `fallback: api`, `cli` or `manual`, or `fallback: null` for nothing",
                ),
            );
        }
    }
}
