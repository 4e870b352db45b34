//! ## What it finds
//!
//! A section of a context, from one heading to the next, whose prose, lists and tables alone are well
//! over the whole budget of the section `location` of a bundle. Code does not count: no heading can
//! divide it. Sizes are estimated, with half as much again for what the estimate may be wrong.
//!
//! ## Why it matters
//!
//! Headings are what a summary is made of, what overlays change and what `#heading` can name. Of a
//! section without any inside, a summary keeps one sentence.
//!
//! ## Example
//!
//! ```markdown
//! ## Everything about deployments
//!
//! (three thousand words)
//! ```
//!
//! Better:
//!
//! ```markdown
//! ## Deploying
//!
//! (some paragraphs)
//!
//! ## Rolling back
//!
//! (some paragraphs)
//! ```
//!
//! ## How to fix it
//!
//! Divide it by headings that say what each part is about.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "section-too-large",
    Group::Budget,
    "a section that headings should divide",
    include_str!("section_too_large.rs"),
);
