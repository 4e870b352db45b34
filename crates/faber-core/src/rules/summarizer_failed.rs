//! ## What it finds
//!
//! A command of `budget.summarizer` that gave no summary: it could not be run, ended with a failure,
//! took too long, or answered with nothing or with bytes that are no UTF-8. Only commands that
//! assemble run it, so only they report it.
//!
//! ## Why it matters
//!
//! What it was wanted for is in the bundle as an extract, so the bundle is not the one that was
//! configured.
//!
//! ## Example
//!
//! ```yaml
//! budget: { summarizer: "llm --model tiny \"Summarise this\" | grep" }
//! ```
//!
//! Better:
//!
//! ```yaml
//! budget: { summarizer: "llm --model small \"Summarise this\"" }
//! ```
//!
//! ## How to fix it
//!
//! Run the command by hand with a text on its standard input.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "summarizer-failed",
    Group::Configuration,
    "a summarizer that gives no summary",
    include_str!("summarizer_failed.rs"),
);
