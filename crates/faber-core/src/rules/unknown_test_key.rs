//! ## What it finds
//!
//! A key of a file of tests, or of a case, that faber does not know.
//!
//! ## Why it matters
//!
//! What the key should check is not checked.
//!
//! ## Example
//!
//! ```yaml
//! cases:
//!   - name: Deploys load the playbook
//!     request: Deploy it
//!     select: [playbook/deploy]
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
//! Correct the key; the message suggests a similar one.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "unknown-test-key",
    Group::Tests,
    "a key that tests do not have",
    include_str!("unknown_test_key.rs"),
);
