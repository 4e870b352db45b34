//! ## What it finds
//!
//! A context of which even the summary is over the budget of its section: `location`, or `profile` in
//! the overlay of a user. One with `truncatable: false` has no summary and is found when it is over
//! the budget of a whole bundle. One with `max_tokens` within the section's budget keeps to that.
//!
//! ## Why it matters
//!
//! It is in a bundle only at the cost of everything else, mostly as one sentence, or not at all.
//!
//! ## Example
//!
//! ```yaml
//! # contexts/references/reference-api.md, 40 000 words with 900 headings
//! description: All of the API.
//! ```
//!
//! Better:
//!
//! ```yaml
//! description: All of the API.
//! summary: Resources are issues, boards and users. Lists are paged by cursor; writes take a key.
//! ```
//!
//! ## How to fix it
//!
//! Split it, write a `summary` in its front matter, or raise `budget.sections`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "oversized-context",
    Group::Budget,
    "a context that is too large even as a summary",
    include_str!("oversized_context.rs"),
);
