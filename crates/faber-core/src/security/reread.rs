//! Scans decoded text.

use std::collections::BTreeSet;
use std::ops::Range;

use camino::Utf8Path;

use crate::diagnostic::{Diagnostic, Findings};
use crate::parse::{fields, frontmatter};
use crate::rules::{control_character, injection_phrase};
use crate::source::{FileId, Span};
use crate::yaml::{self, Node, Value};

use super::code::{self, Code};
use super::reading;
use super::{content_scan, invisible, plain};

struct Known(BTreeSet<(&'static str, u32)>);

impl Known {
    fn of(found: &[Diagnostic]) -> Self {
        Self(found.iter().map(|found| (found.code(), found.primary.span.start)).collect())
    }

    fn has(&self, rule: &'static str, span: Span) -> bool {
        self.0.range((rule, span.start)..(rule, span.end.max(span.start + 1))).next().is_some()
    }
}

pub(super) fn marks(file: FileId, text: &str, from: usize, found: &mut Vec<Diagnostic>) {
    let code = std::cell::OnceCell::new();
    let is_code = |at| code::in_span(text, at) || code.get_or_init(|| Code::new(text)).in_block(at);
    let decoded = reading::decoded(text, is_code);
    let view = if decoded.is_plain() { text } else { &decoded.text };
    let unmarked = reading::unmarked(view);
    if decoded.is_plain() && unmarked.is_plain() {
        return;
    }
    let known = Known::of(&found[from..]);
    let mut add = |mut finding: Diagnostic, range: Range<usize>| {
        if !known.has(finding.code(), Span::new(file, range.start, range.start + 1)) {
            finding.primary.span = Span::new(file, range.start, range.end);
            finding.fix.clear();
            found.push(finding);
        }
    };
    if !decoded.is_plain() {
        let mut more = Findings::default();
        invisible::scan(file, view, &mut more);
        for finding in more.finish() {
            let range = finding.primary.span.range();
            if decoded.is_changed(&range) {
                add(finding, decoded.range(&range));
            }
        }
    }
    let mut more = Findings::default();
    content_scan::scan(file, if unmarked.is_plain() { view } else { &unmarked.text }, &mut more);
    for finding in more.finish() {
        let range = finding.primary.span.range();
        let inner = unmarked.range(&range);
        if unmarked.is_changed(&range) || decoded.is_changed(&inner) {
            add(finding, decoded.range(&inner));
        }
    }
}

pub(super) fn quoted(file: FileId, path: &Utf8Path, text: &str) -> Option<Node> {
    if is_data(path) {
        return yaml::parse_text(text, file).ok();
    }
    frontmatter::quoted_values(text, file)
}

fn is_data(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("yml" | "yaml"))
}

pub(super) fn values(
    file: FileId,
    path: &Utf8Path,
    text: &str,
    node: &Node,
    found: &mut Vec<Diagnostic>,
) {
    let known = Known::of(found);
    let mut quoted_spans = BTreeSet::new();
    each(node, is_data(path).then_some(true), &mut |value, span, is_used| {
        let quoted = text.get(span.range()).is_some_and(|text| text.starts_with(['"', '\'']));
        if !quoted {
            return;
        }
        quoted_spans.insert(span);
        let mut more = Vec::new();
        plain(file, value, &mut more);
        let mut rules = BTreeSet::new();
        for mut finding in more {
            let is_known = !is_phrase(&finding) && known.has(finding.code(), span);
            // Readers see the escape, and bundles have no such field.
            let is_harmless = !is_used && finding.rule() == &control_character::RULE;
            if !is_known && !is_harmless && rules.insert(finding.code()) {
                finding.primary.span = span;
                finding.fix.clear();
                finding.related.clear();
                found.push(finding);
            }
        }
    });
    // Only the decoded value shows which words are quoted.
    found.retain(|finding| {
        let span = finding.primary.span;
        let before = quoted_spans.range(..=Span { end: u32::MAX, ..span }).next_back();
        let inside = before.is_some_and(|value| {
            value.file == span.file && *value != span && span.end <= value.end
        });
        !is_phrase(finding) || !inside
    });
}

fn is_phrase(finding: &Diagnostic) -> bool {
    finding.rule() == &injection_phrase::RULE
}

/// `is_used`: `None` until a field of front matter decides.
fn each(node: &Node, is_used: Option<bool>, look: &mut impl FnMut(&str, Span, bool)) {
    match &node.value {
        Value::Scalar(scalar) => look(&scalar.text, node.span, is_used != Some(false)),
        Value::Seq(items) => items.iter().for_each(|item| each(item, is_used, look)),
        Value::Map(entries) => {
            for entry in entries {
                let is_used = is_used.unwrap_or_else(|| fields::is_known(&entry.key));
                look(&entry.key, entry.key_span, is_used);
                each(&entry.value, Some(is_used), look);
            }
        }
    }
}
