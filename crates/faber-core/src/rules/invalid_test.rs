//! ## What it finds
//!
//! A file of tests that is not YAML, or a key of a case with a value that does not fit.
//!
//! ## Why it matters
//!
//! The case is not run.
//!
//! ## Example
//!
//! ```yaml
//! cases:
//!   - name: Deploys load the playbook
//!     selected: { a: b }
//! ```
//!
//! Better:
//!
//! ```yaml
//! cases:
//!   - name: Deploys load the playbook
//!     request: Deploy it
//!     selected: [playbook/deploy]
//! ```
//!
//! ## How to fix it
//!
//! Write what the message asks for.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "invalid-test",
    Group::Tests,
    "a test case that cannot be read",
    include_str!("invalid_test.rs"),
);
