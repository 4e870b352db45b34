//! Reads invalid YAML by quoting values. Splits by indentation until each piece parses or is a
//! value.

mod pieces;
mod quote;
mod scan;

use std::collections::BTreeSet;
use std::ops::Range;

use super::restrictions::{FILE_UNUSED, Lost, OVERLAY_UNUSED};
use crate::diagnostic::Diagnostic;
use crate::rules::{duplicate_key, frontmatter_limit, invalid_frontmatter, yaml_anchor};
use crate::source::{FileId, Span};
use crate::yaml::{self, Entry, MAX_DEPTH, Node, TAB, Value, YamlError, YamlTrouble};
use pieces::{Pairs, depth};
use scan::ScannedLine;

const FIRST_USED: &str = "; the first value is used";

pub(super) struct Repaired {
    pub(super) node: Node,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) quoted: BTreeSet<Span>,
    pub(super) lost: Lost,
}

/// Contexts are not used without their restrictions.
pub(super) fn repair(
    text: &str,
    start: usize,
    file: FileId,
    error: &YamlError,
    is_context: bool,
) -> Repaired {
    let lines = scan::lines(text, start);
    let anchored = scan::anchored(&text[start..]);
    let mut repair = Repair {
        file,
        text: text.to_owned(),
        lines,
        anchored,
        found: Vec::new(),
        quoted: BTreeSet::new(),
        unread: 0,
        lost: Lost::default(),
        is_context,
    };
    let outcome = match error.trouble {
        YamlTrouble::Limit => Err(error.clone()),
        _ => repair.block(0..repair.lines.len(), 1),
    };
    let node = match outcome {
        Ok(node) if depth(&node) > MAX_DEPTH => repair.give_up(&YamlError::too_deep(error.span)),
        Ok(node) => node,
        Err(error) => repair.give_up(&error),
    };
    let comments = repair.lines.iter().filter(|line| !line.has_content);
    let comments = comments.map(|line| &text[line.content..line.end]);
    let foreign: Vec<&str> = comments.filter(|comment| has_foreign(comment)).collect();
    if repair.found.is_empty() || !foreign.is_empty() {
        repair.leave_out(error);
    }
    for comment in &foreign {
        repair.lost.add_repaired(comment);
    }
    let Repair { found: diagnostics, quoted, lost, .. } = repair;
    Repaired { node, diagnostics, quoted, lost }
}

fn finding(error: &YamlError) -> Diagnostic {
    let message = &error.message;
    match error.trouble {
        YamlTrouble::Limit => {
            let help = match &**message {
                yaml::SECOND_DOCUMENT => "close the front matter with a line of `---` above it",
                _ => "shorten it; all of it is ignored",
            };
            frontmatter_limit::RULE.at(error.span, message).help(help)
        }
        YamlTrouble::Anchor => {
            yaml_anchor::RULE.at(error.span, message).help("repeat the value where it is needed")
        }
        YamlTrouble::DuplicateKey => {
            duplicate_key::RULE.at(error.span, message).help("keep one of them")
        }
        YamlTrouble::Syntax => invalid_frontmatter::RULE
            .at(error.span, format!("invalid YAML, this part is ignored: {message}")),
    }
}

/// YAML forbids it or breaks lines there.
fn has_foreign(line: &str) -> bool {
    line.contains(|c: char| c.is_control() && c != '\t')
}

struct Repair {
    file: FileId,
    /// With spaces for dashes and anchors that were read.
    text: String,
    lines: Vec<ScannedLine>,
    anchored: BTreeSet<String>,
    found: Vec<Diagnostic>,
    quoted: BTreeSet<Span>,
    unread: usize,
    lost: Lost,
    is_context: bool,
}

impl Repair {
    fn block(&mut self, lines: Range<usize>, depth: usize) -> Result<Node, YamlError> {
        let at = self.lines.get(lines.start).map_or(self.text.len(), |line| line.content);
        if depth > MAX_DEPTH {
            return Err(YamlError::too_deep(self.span(at..at)));
        }
        let Some(first) = self.next_content(lines.clone()) else {
            return Ok(Node::null(self.span(at..at)));
        };
        let at = self.lines[first].content;
        let listed = scan::is_item(self.content(first));
        let chunks = self.chunks(first..lines.end, listed);
        let value = if listed { self.items(chunks, depth)? } else { self.pairs(chunks, depth)? };
        Ok(Node { span: self.span(at..at), value })
    }

    fn chunks(&mut self, lines: Range<usize>, listed: bool) -> Vec<Range<usize>> {
        let base = self.lines[lines.start].indent();
        let mut starts = Vec::new();
        let mut uneven = false;
        for at in lines.clone() {
            if !self.lines[at].has_content {
                continue;
            }
            let continues = |text: &str| scan::is_item(text) || text.starts_with([']', '}']);
            let indent = self.lines[at].indent();
            if !uneven && indent <= base {
                uneven = self.check_indent(at, base);
            }
            if indent < base || indent == base && (listed || !continues(self.content(at))) {
                starts.push(at);
            }
        }
        if starts.first() != Some(&lines.start) {
            starts.insert(0, lines.start);
        }
        let ends = starts.iter().skip(1).copied().chain([lines.end]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }

    fn check_indent(&mut self, at: usize, base: usize) -> bool {
        let line = self.lines[at];
        let (message, help) = if self.text[line.start..line.content].contains('\t') {
            (TAB, "indent with spaces")
        } else if line.indent() < base {
            ("this line is indented less than the first line of its block", "indent both the same")
        } else {
            return false;
        };
        let span = self.span(line.content..line.end);
        self.found.push(invalid_frontmatter::RULE.at(span, message).help(help));
        true
    }

    fn items(&mut self, chunks: Vec<Range<usize>>, depth: usize) -> Result<Value, YamlError> {
        let mut items = Vec::new();
        let mut stray = false;
        for chunk in chunks {
            let listed = scan::is_item(self.content(chunk.start));
            match self.item(chunk, depth) {
                Ok(item) => items.push(item),
                Err(error) if error.trouble == YamlTrouble::Limit => return Err(error),
                Err(_) if !listed && stray => self.unread += 1,
                Err(error) => self.leave_out(&error),
            }
            stray = !listed;
        }
        Ok(Value::Seq(items))
    }

    fn item(&mut self, chunk: Range<usize>, depth: usize) -> Result<Node, YamlError> {
        let first = chunk.start;
        if !scan::is_item(self.content(first)) {
            return Err(self.stray(first, "a list continues with `- `"));
        }
        self.blank(first, self.lines[first].content, 1);
        let error = match self.parse(chunk.clone()) {
            Ok(node) => return Ok(node),
            Err(error) if error.trouble == YamlTrouble::Limit => return Err(error),
            Err(error) => error,
        };
        if self.blank_anchors(first, self.lines[first].content)
            && let Ok(node) = self.parse(chunk.clone())
        {
            return Ok(node);
        }
        if !self.lines[first].has_content {
            return self.block(first + 1..chunk.end, depth + 1);
        }
        let content = self.content(first);
        if scan::is_item(content) || scan::key_length(content).is_some() {
            return self.block(chunk, depth + 1);
        }
        self.value(self.lines[first].content, chunk, depth, error)
    }

    fn pairs(&mut self, chunks: Vec<Range<usize>>, depth: usize) -> Result<Value, YamlError> {
        let mut pairs = Pairs::default();
        let mut stray = false;
        for chunk in self.with_text(chunks) {
            let content = self.content(chunk.start);
            let keyed = scan::key_length(content).is_some();
            let is_value = !keyed || !content.starts_with(char::is_alphanumeric);
            let before = (self.found.len(), self.unread);
            match self.pair(chunk.clone(), depth) {
                Ok(entries) => {
                    stray = false;
                    self.add(&mut pairs, entries);
                }
                Err(error) if error.trouble == YamlTrouble::Limit => return Err(error),
                Err(error) => {
                    if keyed || !stray {
                        self.leave_out(&error);
                    }
                    self.unread += 1;
                    stray = true;
                    if let Some(above) = pairs.entries.last().filter(|_| is_value && depth == 1) {
                        self.lost.add_blank(&above.key, &above.value);
                    }
                }
            }
            if depth == 1 {
                self.keep_restrictions(chunk, before);
            }
        }
        Ok(Value::Map(pairs.entries))
    }

    fn pair(&mut self, chunk: Range<usize>, depth: usize) -> Result<Vec<Entry>, YamlError> {
        let first = chunk.start;
        let error = match self.parse(chunk.clone()) {
            Ok(Node { value: Value::Map(entries), .. })
                if !self.content(first).starts_with('{') =>
            {
                return Ok(entries);
            }
            Ok(_) => return Err(self.stray(first, "this is not `key: value`")),
            Err(error) => error,
        };
        let Some(length) = scan::key_length(self.content(first)) else { return Err(error) };
        if error.trouble == YamlTrouble::Limit {
            return Err(error);
        }
        let after = self.lines[first].content + length + 1;
        let key = self.key(self.lines[first].content..after)?;
        let line = self.lines[first];
        let start = after + scan::leading_blanks(&self.text[after..line.end]);
        if self.blank_anchors(first, start)
            && let Ok(Node { value: Value::Map(entries), .. }) = self.parse(chunk.clone())
        {
            self.unread += entries.iter().filter(|entry| entry.value.is_null()).count();
            return Ok(entries);
        }
        let start = start + scan::leading_blanks(&self.text[start..line.end]);
        let value = self.value(start, chunk, depth, error)?;
        Ok(vec![Entry { value, ..key }])
    }

    fn key(&self, range: Range<usize>) -> Result<Entry, YamlError> {
        let node = self.parse_at(&self.text[range.clone()], range.start)?;
        let entry = match node.value {
            Value::Map(entries) => entries.into_iter().next(),
            _ => None,
        };
        entry.ok_or_else(|| YamlError::syntax("this is not a key", self.span(range)))
    }

    fn value(
        &mut self,
        start: usize,
        chunk: Range<usize>,
        depth: usize,
        error: YamlError,
    ) -> Result<Node, YamlError> {
        let line = self.lines[chunk.start];
        let more = self.next_content(chunk.start + 1..chunk.end).is_some();
        let written = &self.text[start..line.end];
        let length = scan::value_length(written);
        if written.is_empty() || written.starts_with('#') {
            return if more {
                self.block(chunk.start + 1..chunk.end, depth + 1)
            } else {
                Err(error)
            };
        }
        if chunk.clone().any(|at| has_foreign(self.content(at))) {
            return Err(error);
        }
        if written.starts_with(['[', '{']) {
            let end = self.lines[chunk.end - 1].end;
            if let Some(node) = self.flow(start..end, depth + 1)? {
                return Ok(node);
            }
            if let Some(node) = self.unclosed(start..end) {
                return Ok(node);
            }
        }
        if more {
            if self.examples_end(chunk.start, chunk.end).is_some() {
                return Ok(self.unindented(start, chunk));
            }
            return self.indented(start, chunk).ok_or(error);
        }
        self.quote(start..start + length, line.content, &error)
    }

    fn stray(&self, line: usize, message: &str) -> YamlError {
        YamlError::syntax(message, self.span(self.lines[line].content..self.lines[line].end))
    }

    fn leave_out(&mut self, error: &YamlError) {
        self.unread += 1;
        self.found.push(finding(error));
    }

    fn keep_restrictions(&mut self, field: Range<usize>, before: (usize, usize)) {
        let text = &self.text[self.lines[field.start].start..self.lines[field.end - 1].end];
        let mut lost = Lost::default();
        if self.unread > before.1 {
            lost.add_unread(text);
        } else if self.found.len() > before.0 {
            lost.add_repaired(text);
        }
        for found in &mut self.found[before.0..] {
            if !lost.is_empty() && found.message.ends_with(FIRST_USED) {
                found.message.truncate(found.message.len() - FIRST_USED.len());
            }
            found.message.push_str(match lost.hides() {
                true if self.is_context => FILE_UNUSED,
                _ if lost.is_of_overlay() => OVERLAY_UNUSED,
                _ => "",
            });
        }
        self.lost.extend(lost);
    }

    fn give_up(&mut self, error: &YamlError) -> Node {
        self.found = vec![finding(error)];
        self.quoted.clear();
        Node::null(error.span)
    }
}
