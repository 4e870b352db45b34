//! Findings about the user's files.

use std::collections::{BTreeMap, HashMap};

use crate::escape::{Visible, lines};
use crate::rule::Rule;
pub use crate::rule::Severity;
use crate::source::{FileId, Span};

/// Per file: a hostile one could fill the memory.
pub const MAX_PER_RULE: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub replacement: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub message: String,
}

/// From [`Rule::at`], escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    rule: &'static Rule,
    severity: Severity,
    pub message: String,
    pub primary: Label,
    pub related: Vec<Label>,
    pub help: Option<String>,
    /// In file order, not overlapping.
    pub fix: Vec<Edit>,
    dropped: usize,
}

impl Rule {
    pub fn at(&'static self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            rule: self,
            severity: self.severity,
            message: Visible(&message.into()).to_string(),
            primary: Label { span, message: String::new() },
            related: Vec::new(),
            help: None,
            fix: Vec::new(),
            dropped: 0,
        }
    }
}

impl Diagnostic {
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }

    pub fn code(&self) -> &'static str {
        self.rule.code
    }

    pub fn severity(&self) -> Severity {
        self.severity
    }

    pub(crate) fn moved_to(&mut self, span: Span) {
        self.primary.span = span;
        self.related.clear();
        self.fix.clear();
    }

    #[must_use]
    pub fn of(self, rule: &'static Rule) -> Self {
        Self { rule, severity: rule.severity, ..self }
    }

    #[must_use]
    pub fn exceptional(self) -> Self {
        Self { severity: self.rule.exception.unwrap_or(self.severity), ..self }
    }

    pub fn configure(&mut self, severity: Severity) {
        self.severity = severity;
    }

    #[must_use]
    pub fn label(mut self, message: impl Into<String>) -> Self {
        self.primary.message = Visible(&message.into()).to_string();
        self
    }

    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Label { span, message: Visible(&message.into()).to_string() });
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(lines(&help.into()).into_owned());
        self
    }

    #[must_use]
    pub fn fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix.push(Edit { span, replacement: replacement.into() });
        self
    }
}

#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Diagnostic>,
    counts: BTreeMap<&'static str, usize>,
    further: BTreeMap<&'static str, Diagnostic>,
}

impl Findings {
    pub fn push(&mut self, found: Diagnostic) {
        let count = self.counts.entry(found.code()).or_default();
        *count += 1 + found.dropped;
        if *count <= MAX_PER_RULE {
            self.kept.push(found);
        } else {
            let first = self.further.entry(found.code()).or_insert_with(|| found.clone());
            first.severity = first.severity.min(found.severity);
        }
    }

    pub(crate) fn push_always(&mut self, mut found: Diagnostic) {
        let count = self.counts.entry(found.code()).or_default();
        *count += 1;
        if *count > MAX_PER_RULE + 1 {
            found.help = None;
        }
        self.kept.push(found);
    }

    pub fn finish(mut self) -> Vec<Diagnostic> {
        for (rule, mut first) in self.further {
            let count = self.counts.get(rule).map_or(1, |count| count - MAX_PER_RULE);
            if count > 1 {
                first.message = format!("{count} more findings of `{rule}` in this file");
                first.help = Some("fix those above, and run the command again".to_owned());
                first.primary.message.clear();
                first.related.clear();
                first.fix.clear();
            }
            self.kept.push(first);
        }
        self.kept
    }
}

pub fn thinned(all: &mut Vec<Diagnostic>, found: impl Iterator<Item = Diagnostic>) {
    let mut last: HashMap<(&'static str, FileId), (usize, usize)> = HashMap::new();
    for one in found {
        let key = (one.code(), one.primary.span.file);
        let (count, at) = last.entry(key).or_default();
        *count += 1;
        if *count <= 10 * MAX_PER_RULE {
            *at = all.len();
            all.push(one);
        } else {
            all[*at].dropped += 1;
        }
    }
}

/// [`MAX_PER_RULE`] per rule and file, except of rules that `is_done`. `found` is sorted by file.
pub fn capped(found: Vec<Diagnostic>, is_done: impl Fn(&str) -> bool) -> Vec<Diagnostic> {
    let mut out = Vec::with_capacity(found.len().min(MAX_PER_RULE));
    let mut found = found.into_iter().peekable();
    while let Some(first) = found.next() {
        let file = first.primary.span.file;
        let mut of_file = Findings::default();
        let mut next = Some(first);
        while let Some(one) = next {
            if is_done(one.code()) {
                of_file.kept.push(one);
            } else {
                of_file.push(one);
            }
            next = found.next_if(|next| next.primary.span.file == file);
        }
        out.extend(of_file.finish());
    }
    out
}

#[derive(Clone, Debug, Default)]
pub struct Reported<T> {
    pub value: T,
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Reported<T> {
    pub fn clean(value: T) -> Self {
        Self { value, diagnostics: Vec::new() }
    }

    pub fn drain_into(self, found: &mut Vec<Diagnostic>) -> T {
        found.extend(self.diagnostics);
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    #[test]
    fn findings_that_are_dropped_are_counted() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), String::new());
        let finding = |at| crate::rules::stale::RULE.at(Span::new(file, at, at + 1), "x");
        let mut found = Vec::new();
        thinned(&mut found, (0..12 * MAX_PER_RULE).map(finding));
        assert_eq!(found.len(), 10 * MAX_PER_RULE);
        let found = capped(found, |_| false);
        assert_eq!(found.len(), MAX_PER_RULE + 1);
        assert_eq!(found[MAX_PER_RULE].message, "11000 more findings of `stale` in this file");
    }

    #[test]
    fn findings_over_the_limit_are_counted() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), "x".repeat(9000));
        let other = sources.add("b.md".into(), "x".repeat(9000));
        let finding = |file, at| crate::rules::stale::RULE.at(Span::new(file, at, at + 1), "x");
        let all = |count: usize| (0..count).map(|at| finding(file, at)).collect::<Vec<_>>();
        assert_eq!(capped(all(MAX_PER_RULE), |_| false), all(MAX_PER_RULE));
        assert_eq!(capped(all(MAX_PER_RULE + 1), |_| false), all(MAX_PER_RULE + 1));
        assert_eq!(capped(all(MAX_PER_RULE + 7), |_| true).len(), MAX_PER_RULE + 7);
        let mut many = all(MAX_PER_RULE + 7);
        many[MAX_PER_RULE + 5].configure(Severity::Error);
        many.push(finding(other, 0));
        let found = capped(many, |_| false);
        assert_eq!(found.len(), MAX_PER_RULE + 2);
        assert_eq!(found[MAX_PER_RULE].message, "7 more findings of `stale` in this file");
        assert_eq!(found[MAX_PER_RULE].severity(), Severity::Error);
        assert_eq!(found[MAX_PER_RULE].primary.span.start, 1000);
        assert_eq!(found[MAX_PER_RULE + 1].primary.span.file, other);
    }
}
