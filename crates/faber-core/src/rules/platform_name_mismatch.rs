//! ## What it finds
//!
//! A platform that is called one thing here and another there: a context in the overlay of one
//! platform whose front matter names another, a platform context whose file is named for another
//! platform than its `platform` says, and a configured platform that the role does not declare.
//!
//! ## Why it matters
//!
//! A platform context loads when its platform is the detected one, so this one loads for the wrong
//! platform or never.
//!
//! ## Example
//!
//! ```yaml
//! # contexts/platforms/platform-linear.md
//! platform: github
//! ```
//!
//! Better:
//!
//! ```yaml
//! # contexts/platforms/platform-linear.md
//! platform: linear
//! ```
//!
//! ## How to fix it
//!
//! Use one name: that of the role's `platforms`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "platform-name-mismatch",
    Group::Platforms,
    "a platform that is called by two names",
    include_str!("platform_name_mismatch.rs"),
);
