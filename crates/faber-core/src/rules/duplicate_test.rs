//! ## What it finds
//!
//! Two cases of a file with the same name, or two cases that write the same snapshot.
//!
//! ## Why it matters
//!
//! A report cannot tell them apart, and one snapshot would overwrite the other.
//!
//! ## Example
//!
//! ```yaml
//! cases:
//!   - name: Deploy
//!     request: Deploy it
//!   - name: Deploy
//!     request: Deploy it to production
//! ```
//!
//! Better:
//!
//! ```yaml
//! cases:
//!   - name: Deploy
//!     request: Deploy it
//!   - name: Deploy to production
//!     request: Deploy it to production
//! ```
//!
//! ## How to fix it
//!
//! Give each case a name of its own.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "duplicate-test",
    Group::Tests,
    "two test cases with one name or snapshot",
    include_str!("duplicate_test.rs"),
);
