//! ## What it finds
//!
//! A file of a higher layer that leaves the context it works on as it is: a copy of it, or an
//! overlay all of which the base says already.
//!
//! ## Why it matters
//!
//! A copy hides what is changed in its base from then on, and an overlay without effect looks as
//! if it had one.
//!
//! ## Example
//!
//! ```markdown
//! # contexts/standards/standards-review.md
//! - Two approvals
//! # .faber/overlays/teams/core/contexts/standards/standards-review.md
//! - Two approvals
//! ```
//!
//! Better:
//!
//! ```markdown
//! # contexts/standards/standards-review.md
//! - Two approvals
//! ```
//!
//! ## How to fix it
//!
//! Remove the file, or write what is to be different.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "identical-overlay",
    Group::Layers,
    "an overlay that changes nothing",
    include_str!("identical_overlay.rs"),
);
