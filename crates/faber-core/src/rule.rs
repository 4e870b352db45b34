//! What a rule is.

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

/// One rule of `faber validate`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its stable name, in kebab-case.
    pub code: &'static str,
    /// How much its findings matter unless the configuration says otherwise.
    pub severity: Severity,
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
    /// A finding of this rule at `span`.
    pub fn at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        match self.severity {
            Severity::Error => Diagnostic::error(self.code, span, message),
            Severity::Warning => Diagnostic::warning(self.code, span, message),
            Severity::Hint => Diagnostic::hint(self.code, span, message),
        }
    }

    /// The documentation, as Markdown: the doc comment at the head of the file that defines it.
    pub fn documentation(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        let text: String =
            lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect();
        text.trim().to_owned() + "\n"
    }
}

impl Group {
    /// Every group with its name on command lines and its title, in the order of the tables.
    pub const ALL: [(Self, &'static str, &'static str); 12] = [
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
