//! Finds variation selectors, `U+FE00` to `U+FE0F` and `U+E0100` to `U+E01EF`, in a row, or three in a line behind
//! characters that have no variants. There are 256 of them, one for each byte, and none of them is shown: a row of
//! them behind an emoji is a hidden file. The finding shows what they say.
//!
//! Bad: `U+1F600 U+E0158 U+E0157 U+E015E`, a smile that says "hgn".
//!
//! Good: one selector behind an emoji, a key cap, a symbol, or an ideograph. One that is misplaced is an
//! `invisible-character`.
//!
//! To mend it, delete the selectors, as `--fix` does.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "variation-selector-run",
    severity: Severity::Error,
    group: Group::Security,
    fix: Fix::Safe,
    summary: "variation selectors carry hidden bytes",
    source: include_str!("variation_selector_run.rs"),
};
