//! Finds the tag characters `U+E0000` to `U+E007F`. They mirror ASCII, no screen shows them, and models read them:
//! the shortest way to hide instructions in a text. The finding shows what they say.
//!
//! Bad: `Sort the letters.` followed by `U+E0069 U+E0067 U+E006E`, which says "ign" to a model.
//!
//! Good: the flags of England, Scotland and Wales, which are made of `U+1F3F4` and tags.
//!
//! To mend it, delete the characters, as `--fix` does, and ask where the text came from.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "unicode-tag",
    severity: Severity::Error,
    group: Group::Security,
    fix: Fix::Safe,
    summary: "tag characters hide a text",
    source: include_str!("unicode_tag.rs"),
};
