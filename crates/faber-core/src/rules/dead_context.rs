//! ## What it finds
//!
//! A context that no assembly loads and no catalog lists:
//!
//! - one with `load: never` whose name no other file mentions, so that no one would pin it;
//! - a private one without an `owner`, which no one may see;
//! - a file in `partials` whose name no other file mentions, so that nothing includes it.
//!
//! A draft, a deprecated or superseded context and one that is not valid today are left out on
//! purpose, and are none of this rule's.
//!
//! ## Why it matters
//!
//! It is kept up to date for no one, and anyone who reads it believes that it holds.
//!
//! ## Example
//!
//! ```yaml
//! visibility: private
//! ```
//!
//! Better:
//!
//! ```yaml
//! visibility: private
//! owner: alice
//! ```
//!
//! ## How to fix it
//!
//! Load it, include it or name its owner; else remove the file.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "dead-context",
    Group::Selection,
    "a context that nothing ever loads or lists",
    include_str!("dead_context.rs"),
);
