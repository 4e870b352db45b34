//! What a rule is.

use std::fmt;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

/// What a rule is about; rules are listed and documented by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Front matter.
    FrontMatter,
    /// References between files.
    References,
    /// Roles.
    Role,
    /// Platforms and MCP servers.
    Platforms,
    /// Layers and what they combine to.
    Layers,
    /// Selection.
    Selection,
    /// Budgets.
    Budget,
    /// Freshness.
    Freshness,
    /// Security.
    Security,
    /// Files.
    Files,
    /// Configuration.
    Configuration,
    /// The checking itself.
    Meta,
    /// Import and export.
    Exchange,
    /// Pack tests.
    Tests,
}

/// Whether faber can fix what a rule finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    /// It cannot.
    None,
    /// `--fix` does; nothing that was meant is lost.
    Safe,
    /// `--fix --unsafe` does; what was meant is guessed.
    Unsafe,
}

/// What one kind of finding is: its name, how much it matters and its documentation.
///
/// Every rule is in [`RULES`](crate::rules::RULES).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    /// Its stable name, in kebab-case.
    pub code: &'static str,
    /// How much its findings matter unless the configuration says otherwise.
    pub severity: Severity,
    /// The severity of the exceptions that its documentation names; most rules have none.
    pub exception: Option<Severity>,
    /// What it is about.
    pub group: Group,
    /// Whether its findings can be fixed.
    pub fix: Fix,
    /// What it finds, in one line without a full stop.
    pub summary: &'static str,
    /// The text of the file that defines it; the doc comment at its head is its documentation.
    pub source: &'static str,
}

impl Rule {
    /// A rule whose findings are errors. `source` is `include_str!` of the file that defines it.
    pub(crate) const fn error(
        code: &'static str,
        group: Group,
        summary: &'static str,
        source: &'static str,
    ) -> Self {
        let (severity, fix) = (Severity::Error, Fix::None);
        Self { code, severity, exception: None, group, fix, summary, source }
    }

    /// A rule whose findings are warnings.
    pub(crate) const fn warning(
        code: &'static str,
        group: Group,
        summary: &'static str,
        source: &'static str,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, group, summary, source) }
    }

    /// A rule whose findings are hints.
    pub(crate) const fn hint(
        code: &'static str,
        group: Group,
        summary: &'static str,
        source: &'static str,
    ) -> Self {
        Self { severity: Severity::Hint, ..Self::error(code, group, summary, source) }
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
        Diagnostic::new(self, span, message.into())
    }

    /// The documentation, as Markdown: the doc comment at the head of the file that defines it.
    pub fn documentation(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        let text: String =
            lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect();
        text.trim().to_owned() + "\n"
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
    pub const ALL: [(Self, &'static str, &'static str); 14] = [
        (Self::FrontMatter, "front-matter", "Front matter"),
        (Self::References, "references", "References"),
        (Self::Role, "role", "Roles"),
        (Self::Platforms, "platforms", "Platforms and MCP servers"),
        (Self::Layers, "layers", "Layers"),
        (Self::Selection, "selection", "Selection"),
        (Self::Budget, "budget", "Budget"),
        (Self::Freshness, "freshness", "Freshness"),
        (Self::Security, "security", "Security"),
        (Self::Files, "files", "Files"),
        (Self::Configuration, "configuration", "Configuration"),
        (Self::Meta, "meta", "The checking itself"),
        (Self::Exchange, "exchange", "Import and export"),
        (Self::Tests, "tests", "Pack tests"),
    ];

    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

impl Fix {
    /// Its name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}
