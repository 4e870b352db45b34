//! Rules of `faber validate`.

use std::fmt;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

/// The subject of a rule; rules are listed by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    FrontMatter,
    References,
    Role,
    /// Platforms and MCP servers.
    Platforms,
    Layers,
    Selection,
    Budget,
    Freshness,
    /// What trials showed.
    Evidence,
    Security,
    Files,
    Configuration,
    /// Validation itself.
    Meta,
    /// Import and export.
    Exchange,
    /// Pack tests.
    Tests,
}

crate::named_enum! {
    pub enum Fix {
        None = "none",
        /// By `--fix`; nothing that was meant is lost.
        Safe = "safe",
        /// By `--fix --unsafe`, which guesses what was meant.
        Unsafe = "unsafe",
    }
}

/// What one kind of finding is: its name, how much it matters and its documentation.
///
/// Every rule is in [`RULES`](crate::rules::RULES).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    /// In kebab-case; stable.
    pub code: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// The severity of the exceptions that its documentation names; most rules have none.
    pub exception: Option<Severity>,
    /// What it is about.
    pub group: Group,
    pub fix: Fix,
    /// One line without a full stop.
    pub summary: &'static str,
    /// Markdown.
    pub documentation: &'static str,
}

impl Rule {
    /// A rule whose findings are errors.
    pub(crate) const fn error(
        code: &'static str,
        group: Group,
        summary: &'static str,
        documentation: &'static str,
    ) -> Self {
        let (severity, fix) = (Severity::Error, Fix::None);
        Self { code, severity, exception: None, group, fix, summary, documentation }
    }

    /// A rule whose findings are warnings.
    pub(crate) const fn warning(
        code: &'static str,
        group: Group,
        summary: &'static str,
        documentation: &'static str,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, group, summary, documentation) }
    }

    /// A rule whose findings are hints.
    pub(crate) const fn hint(
        code: &'static str,
        group: Group,
        summary: &'static str,
        documentation: &'static str,
    ) -> Self {
        Self { severity: Severity::Hint, ..Self::error(code, group, summary, documentation) }
    }

    /// Says how its findings can be fixed.
    pub(crate) const fn fix(self, fix: Fix) -> Self {
        Self { fix, ..self }
    }

    /// Says how much the exceptions matter; see [`Diagnostic::exceptional`].
    pub(crate) const fn except(self, severity: Severity) -> Self {
        Self { exception: Some(severity), ..self }
    }

    /// A finding of this rule at `span`.
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
    /// Every group with its name on command lines and its title, in the order of the tables.
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
