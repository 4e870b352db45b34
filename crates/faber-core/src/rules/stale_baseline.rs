//! ## What it finds
//!
//! A finding that the file of `--baseline` knows and that is not there any more, or not as
//! often.
//!
//! ## Why it matters
//!
//! It was fixed, or its text changed. Left in the baseline, the entry would let the same
//! mistake pass when it comes back.
//!
//! ## Example
//!
//! ```text
//! faber validate --baseline faber-baseline.json
//! ```
//!
//! Better:
//!
//! ```text
//! faber validate --write-baseline faber-baseline.json
//! ```
//!
//! ## How to fix it
//!
//! Write the baseline again.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "stale-baseline",
    Group::Meta,
    "an entry of the baseline that no longer occurs",
    include_str!("stale_baseline.rs"),
);
