//! ## What it finds
//!
//! A YAML file in `tests/` or in the `tests` folder of a role that has none of the keys of a test
//! file.
//!
//! ## Why it matters
//!
//! If it should be a test, nothing of it is run.
//!
//! ## Example
//!
//! ```yaml
//! scenario: Deploy
//! expected: playbook
//! ```
//!
//! Better:
//!
//! ```yaml
//! cases:
//!   - name: Deploys load the playbook
//!     request: Deploy it
//! ```
//!
//! ## How to fix it
//!
//! Add the key `cases`, or move the file to another folder.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "not-a-test",
    Group::Tests,
    "a YAML file in a folder of tests without cases",
    include_str!("not_a_test.rs"),
);
