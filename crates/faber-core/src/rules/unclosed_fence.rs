//! ## What it finds
//!
//! A fence of backticks or tildes without a second one of the same character that is at least as
//! long and has nothing after it.
//!
//! ## Why it matters
//!
//! Everything up to the end of the file, or of the list item or quote that the block is in, is
//! code then: headings are no headings, links no links, and sections after it cannot be selected,
//! overlaid or summarized.
//!
//! ## Example
//!
//! ```markdown
//! ~~~sh
//! cargo test
//!
//! ## Afterwards
//! ```
//!
//! Better:
//!
//! ```markdown
//! ~~~sh
//! cargo test
//! ~~~
//!
//! ## Afterwards
//! ```
//!
//! ## How to fix it
//!
//! Close the block. When all blocks seem closed, look for a fence that was closed too early by one
//! that it shows; a block that shows a fence needs a longer one around it.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unclosed-fence",
    Group::Files,
    "a code block that nothing closes",
    include_str!("unclosed_fence.rs"),
);
