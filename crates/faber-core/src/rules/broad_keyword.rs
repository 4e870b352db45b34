//! ## What it finds
//!
//! A keyword that is one letter or digit, or a word that requests have whatever they are about: an
//! article, a pronoun, a preposition, an auxiliary verb, or one of "get", "help", "let", "make",
//! "need", "thing", "try", "use" and "want" in their usual forms. As an error also "error",
//! "exception" and "failure", which every error text has. In quotation marks of its own a keyword
//! matches case and all, so `'"IT"'` is fine; so are phrases.
//!
//! ## Why it matters
//!
//! The context loads with nearly every request and takes the room of what is meant.
//!
//! ## Example
//!
//! ```yaml
//! keywords: [IT, use, "r"]
//! ```
//!
//! Better:
//!
//! ```yaml
//! keywords: ['"IT"', use case, '"R"']
//! ```
//!
//! ## How to fix it
//!
//! Write a word that only such requests have, a phrase, or the exact spelling in quotation marks. If
//! it is to load with every request, write `load: always`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "broad-keyword",
    Group::Selection,
    "a keyword that nearly every request has",
    include_str!("broad_keyword.rs"),
);
