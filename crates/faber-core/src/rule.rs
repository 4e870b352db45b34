//! Rules of `faber validate`.

use std::fmt;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    FrontMatter,
    References,
    Role,
    Platforms,
    Layers,
    Selection,
    Budget,
    Freshness,
    Evidence,
    Security,
    Files,
    Configuration,
    Meta,
    Exchange,
    Tests,
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

/// All are in [`RULES`](crate::rules::RULES).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    pub code: &'static str,
    pub severity: Severity,
    /// Of documented exceptions.
    pub exception: Option<Severity>,
    pub group: Group,
    pub fix: Fix,
    pub summary: &'static str,
    pub documentation: &'static str,
}

impl Rule {
    pub(crate) const fn error(
        code: &'static str,
        group: Group,
        summary: &'static str,
        documentation: &'static str,
    ) -> Self {
        let (severity, fix) = (Severity::Error, Fix::None);
        Self { code, severity, exception: None, group, fix, summary, documentation }
    }

    pub(crate) const fn warning(
        code: &'static str,
        group: Group,
        summary: &'static str,
        documentation: &'static str,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, group, summary, documentation) }
    }

    pub(crate) const fn hint(
        code: &'static str,
        group: Group,
        summary: &'static str,
        documentation: &'static str,
    ) -> Self {
        Self { severity: Severity::Hint, ..Self::error(code, group, summary, documentation) }
    }

    pub(crate) const fn fix(self, fix: Fix) -> Self {
        Self { fix, ..self }
    }

    pub(crate) const fn except(self, severity: Severity) -> Self {
        Self { exception: Some(severity), ..self }
    }

    pub fn at(&'static self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self, span, &message.into())
    }
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
    pub const ALL: [(Self, &'static str, &'static str); 15] = [
        (Self::FrontMatter, "front-matter", "Front matter"),
        (Self::References, "references", "References"),
        (Self::Role, "role", "Roles"),
        (Self::Platforms, "platforms", "Platforms and MCP servers"),
        (Self::Layers, "layers", "Layers"),
        (Self::Selection, "selection", "Selection"),
        (Self::Budget, "budget", "Budget"),
        (Self::Freshness, "freshness", "Freshness"),
        (Self::Evidence, "evidence", "Evidence"),
        (Self::Security, "security", "Security"),
        (Self::Files, "files", "Files"),
        (Self::Configuration, "configuration", "Configuration"),
        (Self::Meta, "meta", "The checking itself"),
        (Self::Exchange, "exchange", "Import and export"),
        (Self::Tests, "tests", "Pack tests"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    pub fn title(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}
