//! ## What it finds
//!
//! A context without any text besides headings and comments. An overlay that only changes front
//! matter or removes sections may be empty.
//!
//! ## Why it matters
//!
//! It costs its line in every catalog and gives nothing when it is loaded.
//!
//! ## Example
//!
//! ```markdown
//! # Naming
//!
//! ## Variables
//! ```
//!
//! Better:
//!
//! ```markdown
//! # Naming
//!
//! ## Variables
//!
//! Use whole words.
//! ```
//!
//! ## How to mend it
//!
//! Write it, or remove the file.

use crate::diagnostic::{Diagnostic, Severity};
use crate::markdown::{BlockKind, blocks};
use crate::source::Span;
use crate::strategy::Strategy;
use crate::validate::check::DocumentInput;
use crate::validate::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "empty-context",
    severity: Severity::Warning,
    group: Group::Budget,
    fix: Fix::None,
    summary: "a context that says nothing",
    source: include_str!("empty_context.rs"),
};

/// Looks at one context.
pub(crate) fn check(input: &DocumentInput<'_>, found: &mut Vec<Diagnostic>) {
    let fields = &input.document.front.fields;
    let strategy = fields.strategy.as_ref().map(|strategy| strategy.value);
    // Such an overlay changes front matter alone, or takes sections away.
    let works_on_base = matches!(strategy, Some(Strategy::Merge | Strategy::Append))
        || (strategy.is_none() && fields.extends.is_some())
        || !fields.sections.is_empty();
    if !works_on_base && is_empty(input) {
        let message = format!("`{}` says nothing", input.document.id);
        found.push(
            RULE.at(Span::start_of(input.document.file), message)
                .help("write it, or remove the file"),
        );
    }
}

/// Whether there is no text besides headings and comments. An include is text of another file.
pub(crate) fn is_empty(input: &DocumentInput<'_>) -> bool {
    says_nothing(input.body())
}

/// The same for any text.
pub(crate) fn says_nothing(body: &str) -> bool {
    // A line of plain prose settles it for nearly every file, without reading Markdown.
    let is_prose = |line: &str| line.starts_with(|c: char| c.is_alphanumeric());
    if body.lines().take(200).any(is_prose) || body.contains("<!-- faber: include ") {
        return false;
    }
    blocks(body).iter().all(|block| match block.kind {
        BlockKind::Heading { .. } | BlockKind::Rule => true,
        BlockKind::Html => {
            let text = body.lines().skip(block.lines.start).take(block.lines.len());
            text.collect::<String>().trim_start().starts_with("<!--")
        }
        _ => false,
    })
}
