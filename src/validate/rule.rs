//! What a rule is.

use crate::diagnostic::Severity;

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

/// Whether faber can mend what a rule finds.
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
    /// Whether its findings can be mended.
    pub fix: Fix,
    /// What it finds, in one line without a full stop.
    pub summary: &'static str,
    /// The text of the file that defines it; the doc comment at its head is its documentation.
    pub source: &'static str,
}
