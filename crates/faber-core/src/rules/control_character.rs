//! ## What it finds
//!
//! A control code other than tab, line feed, form feed and a carriage return before a line feed:
//! `U+0000` to `U+001F`, `U+007F` and `U+0080` to `U+009F`.
//!
//! ## Why it matters
//!
//! An escape sequence makes a terminal hide, colour or overwrite what it shows, a carriage return
//! lets the rest of a line cover its beginning, a backspace deletes. Who looks at the file with
//! `cat` or `git diff` sees another text than the model.
//!
//! ## Example
//!
//! ```text
//! rm -rf build U+000D echo done
//! ```
//!
//! Better:
//!
//! ```text
//! echo done
//! ```
//!
//! ## How to fix it
//!
//! Delete the code, or write its name. There is no fix, for what it was to do has to be judged.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "control-character",
    Group::Security,
    "a control code in a text",
    include_str!("control_character.rs"),
);
