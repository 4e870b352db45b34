//! ## What it finds
//!
//! A Cyrillic or Greek letter in a Latin word, a Latin one in a Cyrillic word, mathematical or
//! fullwidth letters next to ASCII. A word of Cyrillic letters only is found when every letter has a
//! Latin twin and the text has no other Cyrillic words. Units and variables such as `kΩ`, `μs` and
//! `Δx` are fine, and so are words of several languages side by side.
//!
//! ## Why it matters
//!
//! For a reader the words are equal; for a model, a search and a keyword they are not. That lets a
//! pack name a command, a context or an address that is not the one that it seems to be.
//!
//! ## Example
//!
//! ```text
//! pa U+0455 sword
//! ```
//!
//! Better:
//!
//! ```text
//! password
//! ```
//!
//! ## How to fix it
//!
//! Type the word again in one script.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "mixed-script",
    Group::Security,
    "a word with letters of scripts that look alike",
    include_str!("mixed_script.rs"),
);
