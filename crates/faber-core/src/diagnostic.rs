//! Findings about the user's files, as plain data.

use crate::rule::Rule;
use crate::source::{SourceMap, Span};

/// How much a finding matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something is wrong; a validation fails.
    Error,
    /// Something is probably not what its author meant.
    Warning,
    /// Something could be better.
    Hint,
}

impl Severity {
    /// Its name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// One change of text that is part of a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty to insert.
    pub span: Span,
    /// What to put there.
    pub replacement: String,
}

/// A place that a finding points at, and what to say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words, printed beside the place.
    pub message: String,
}

/// A finding about the user's files.
///
/// It is made by its rule, with [`Rule::at`]. A failure of faber to do its work is an
/// [`Error`](crate::error::Error) instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    rule: &'static Rule,
    severity: Severity,
    /// One line that says what is wrong.
    pub message: String,
    /// Where, first of all; its message may be empty.
    pub primary: Label,
    /// Further places, such as the other side of a conflict.
    pub related: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// Changes that fix it, when that is safe; in file order, not overlapping.
    pub fix: Vec<Edit>,
}

impl Diagnostic {
    /// A finding of `rule` at `span`; see [`Rule::at`].
    pub(crate) fn new(rule: &'static Rule, span: Span, message: String) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message,
            primary: Label { span, message: String::new() },
            related: Vec::new(),
            help: None,
            fix: Vec::new(),
        }
    }

    /// The rule that it is a finding of.
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }

    /// The name of its rule.
    pub fn code(&self) -> &'static str {
        self.rule.code
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The same as a finding of another rule.
    #[must_use]
    pub fn of(self, rule: &'static Rule) -> Self {
        Self { rule, severity: rule.severity, ..self }
    }

    /// Gives it the severity of its rule's exceptions.
    #[must_use]
    pub fn exceptional(self) -> Self {
        Self { severity: self.rule.exception.unwrap_or(self.severity), ..self }
    }

    /// Gives it the severity that the configuration sets for its rule.
    pub fn configure(&mut self, severity: Severity) {
        self.severity = severity;
    }

    /// Puts words beside the primary place.
    #[must_use]
    pub fn label(mut self, message: impl Into<String>) -> Self {
        self.primary.message = message.into();
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Label { span, message: message.into() });
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a change that fixes it.
    #[must_use]
    pub fn fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix.push(Edit { span, replacement: replacement.into() });
        self
    }
}

/// Findings by path and place, each once.
///
/// # Panics
///
/// When one points into a file that `sources` does not have.
pub fn by_place(mut found: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    let order = sources.positions(found.iter().map(|found| found.primary.span.file));
    found.sort_by_cached_key(|found| {
        let span = found.primary.span;
        (order[&span.file], span, found.code(), found.message.clone())
    });
    found.dedup();
    found
}

/// A value, and everything noticed while making it.
#[derive(Clone, Debug, Default)]
pub struct Reported<T> {
    /// The best value that could be made.
    pub value: T,
    /// What was noticed, in no particular order.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Reported<T> {
    /// A value without findings.
    pub fn clean(value: T) -> Self {
        Self { value, diagnostics: Vec::new() }
    }

    /// Moves the findings into `found` and returns the value.
    pub fn drain_into(self, found: &mut Vec<Diagnostic>) -> T {
        found.extend(self.diagnostics);
        self.value
    }
}
