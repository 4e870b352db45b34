//! Rules of `faber validate`.

use std::fmt;

pub use crate::rules::Group;

crate::named_enum! {
    /// The severity of a finding.
    pub enum Severity {
        /// An error; validation fails.
        Error = "error",
        /// A probable mistake.
        Warning = "warning",
        /// A possible improvement.
        Hint = "hint",
    }
}

crate::named_enum! {
    pub enum Fix {
        None = "none",
        /// By `--fix`; keeps the meaning.
        Safe = "safe",
        /// By `--fix --unsafe`; may change the meaning.
        Unsafe = "unsafe",
    }
}

#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    pub code: &'static str,
    pub severity: Severity,
    pub exception: Option<Severity>,
    pub group: Group,
    pub fix: Fix,
    pub summary: &'static str,
    pub documentation: &'static str,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.code).finish()
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}

impl Group {
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    pub fn title(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}
