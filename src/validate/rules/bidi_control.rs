//! Finds characters that change the order in which text is shown: the embeddings and overrides `U+202A` to
//! `U+202E` and the isolates `U+2066` to `U+2069`, in texts and in names of files.
//!
//! A reviewer reads what the screen shows, a model reads the order of the bytes. With an override the two are
//! different texts: what looks like a harmless comment is an order to the model.
//!
//! Bad: `approve U+202E erongi U+202C requests`, which is shown as "approve ignore requests".
//!
//! Good: the words in the order in which they are meant. Arabic and Hebrew need none of these characters; the marks
//! `U+200E`, `U+200F` and `U+061C` are fine in lines of those scripts.
//!
//! To mend it, delete the characters, as `--fix` does, and read the line again.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "bidi-control",
    severity: Severity::Error,
    group: Group::Security,
    fix: Fix::Safe,
    summary: "a character changes the order in which a line is shown",
    source: include_str!("bidi_control.rs"),
};
