//! Quotes values, also within flow collections.

use std::ops::Range;

use super::pieces::Pairs;
use super::{Repair, scan};
use crate::rules::invalid_frontmatter;
use crate::source::Span;
use crate::yaml::{Entry, MAX_DEPTH, Node, Value, YamlError};

const HELP_CHARS: usize = 80;

impl Repair {
    /// Fails with `error` if quotes do not help (aliases, forbidden characters).
    pub(super) fn quote(
        &mut self,
        range: Range<usize>,
        context: usize,
        error: &YamlError,
    ) -> Result<Node, YamlError> {
        let raw = &self.text[range.clone()];
        let span = self.span(range.clone());
        let is_alias = scan::alias(raw).is_some_and(|name| self.anchored.contains(name));
        if is_alias || scan::anchors_length(raw) > 0 {
            return Err(YamlError::anchor(span));
        }
        let is_closed_below = scan::is_closed_below(&self.text[range.start..]);
        let unclosed = unclosed_text(raw).filter(|_| !is_closed_below);
        let text = unclosed.or_else(|| unquoted(raw)).unwrap_or(raw);
        let quoted = format!("'{}'", text.replace('\'', "''"));
        // Even in single quotes, control characters fail or change.
        match self.parse_at(&quoted, 0) {
            Ok(node) if node.as_str() == Some(text) => {}
            _ => return Err(error.clone()),
        }
        let shown = format!("{}{quoted}", &self.text[context..range.start]);
        let help = if shown.chars().count() > HELP_CHARS {
            "put single quotes around it".to_owned()
        } else {
            format!("quote it: `{}`", shown.trim())
        };
        let message = match unclosed {
            Some(_) => "the quote of this value is not closed".to_owned(),
            None => format!("this value needs quotes: {}", what_yaml_saw(raw, error)),
        };
        let mut diagnostic = invalid_frontmatter::RULE.at(span, message);
        diagnostic = if is_closed_below {
            diagnostic.help("close the quote, or indent the lines below it")
        } else {
            diagnostic.help(help).fix(span, quoted)
        };
        let value = Value::text(text.to_owned());
        self.found.push(diagnostic);
        self.quoted.insert(span);
        Ok(Node { span, value })
    }

    /// Joins lines of quoted texts to their key, and lines from `<example>` on to `description`, as
    /// Claude clients do.
    pub(super) fn with_text(&self, chunks: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let last = chunks.last().map_or(0, |chunk| chunk.end);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for chunk in chunks {
            if joined.last().is_some_and(|before| chunk.start < before.end) {
                continue;
            }
            let end = self.examples_end(chunk.start, last);
            let end = end.or_else(|| self.quote_end(chunk.start, last)).unwrap_or(chunk.end);
            joined.push(chunk.start..end.max(chunk.end));
        }
        joined
    }

    pub(super) fn examples_end(&self, first: usize, last: usize) -> Option<usize> {
        let value = self.content(first).strip_prefix("description:")?.trim_start();
        if self.lines[first].indent() > 0 || value.starts_with(['"', '\'', '|', '>', '[', '{']) {
            return None;
        }
        let end = (first + 1..last).rfind(|&at| self.content(at).ends_with("</example>"))?;
        (first..end).any(|at| self.content(at).contains("<example>")).then_some(end + 1)
    }

    fn quote_end(&self, first: usize, last: usize) -> Option<usize> {
        let content = self.content(first);
        let value = content[scan::key_length(content)? + 1..].trim_start();
        let start = self.lines[first].end - value.len();
        let text = &self.text[start..self.lines[last - 1].end];
        let end = start + scan::quoted_length(text).filter(|_| scan::is_closed_below(text))?;
        let line = (first..last).find(|&at| end <= self.lines[at].end)?;
        let is_key = |at| scan::key_length(self.content(at)).is_some();
        (!(first + 1..=line).any(is_key)).then_some(line + 1)
    }

    pub(super) fn indented(&mut self, start: usize, chunk: Range<usize>) -> Option<Node> {
        let end = self.quote_end(chunk.start, chunk.end)?;
        let range = start..self.lines[end - 1].end;
        let mut fix = String::new();
        for line in self.text[range.clone()].split_inclusive('\n') {
            if !fix.is_empty() && !line.trim().is_empty() {
                fix.push_str(&" ".repeat(self.lines[chunk.start].indent() + 2));
            }
            fix.push_str(line);
        }
        let value = self.parse_at(&fix, start).ok()?.value;
        let span = self.span(range);
        self.found.push(
            invalid_frontmatter::RULE
                .at(span, "the lines of this quoted text are not indented")
                .help("indent them more than the key")
                .fix(span, fix),
        );
        Some(Node { span, value })
    }

    pub(super) fn unindented(&mut self, start: usize, chunk: Range<usize>) -> Node {
        let end = chunk.clone().rfind(|&at| self.lines[at].has_content).unwrap_or(chunk.start);
        let range = start..self.lines[end].end;
        let raw = self.text[range.clone()].replace("\r\n", "\n");
        let lines: Vec<&str> = raw.split('\n').map(str::trim_end).collect();
        let ending = if self.text[range.clone()].contains("\r\n") { "\r\n" } else { "\n" };
        let indented = lines.iter().map(|line| match *line {
            "" => ending.to_owned(),
            line => format!("{ending}  {line}"),
        });
        let fix = format!("|-{}", indented.collect::<String>());
        let span = self.span(range);
        self.found.push(
            invalid_frontmatter::RULE
                .at(span, "this text has several lines that are not indented")
                .help("write `|-` after the colon, and indent the lines")
                .fix(span, fix),
        );
        self.quoted.insert(span);
        Node { span, value: Value::text(lines.join("\n")) }
    }

    pub(super) fn flow(
        &mut self,
        range: Range<usize>,
        depth: usize,
    ) -> Result<Option<Node>, YamlError> {
        let start = range.start;
        let span = self.span(start..start + 1);
        if depth > MAX_DEPTH {
            return Err(YamlError::too_deep(span));
        }
        let Some(items) = scan::flow_items(&self.text[range]) else { return Ok(None) };
        let items = items.into_iter().map(|item| start + item.start..start + item.end);
        if self.text[start..].starts_with('[') {
            let mut nodes = Vec::new();
            for item in items {
                nodes.push(self.flow_item(item, depth)?);
            }
            return Ok(Some(Node { span, value: Value::Seq(nodes) }));
        }
        let found = self.found.len();
        let mut pairs = Pairs::default();
        for item in items {
            let Some(entry) = self.flow_pair(item, depth)? else {
                self.forget(found);
                return Ok(None);
            };
            self.add(&mut pairs, vec![entry]);
        }
        Ok(Some(Node { span, value: Value::Map(pairs.entries) }))
    }

    pub(super) fn unclosed(&mut self, range: Range<usize>) -> Option<Node> {
        let raw = self.text[range.clone()].trim_end();
        let (what, close) = if raw.starts_with('[') { ("list", ']') } else { ("map", '}') };
        let is_text = raw[1..].trim().contains(' ') && !raw.contains([',', ':']);
        if is_text || raw.contains(close) {
            return None;
        }
        let node = self.parse_at(&format!("{raw}{close}"), range.start).ok()?;
        let message = format!("this {what} is not closed");
        let at = self.span(range.start..range.start + 1);
        self.found.push(invalid_frontmatter::RULE.at(at, message).help(format!(
            "close it with `{close}`; it is read as if it ended with its last line"
        )));
        Some(node)
    }

    fn flow_item(&mut self, item: Range<usize>, depth: usize) -> Result<Node, YamlError> {
        let error = match self.parse_within('[', item.clone()) {
            Ok(Node { value: Value::Seq(mut nodes), .. }) if nodes.len() == 1 => {
                return Ok(nodes.remove(0));
            }
            Ok(node) => two_values(node.span),
            Err(error) => error,
        };
        self.flow_value(item, depth, &error)
    }

    fn flow_pair(&mut self, item: Range<usize>, depth: usize) -> Result<Option<Entry>, YamlError> {
        let error = match self.parse_within('{', item.clone()) {
            Ok(Node { value: Value::Map(mut entries), .. }) if entries.len() == 1 => {
                return Ok(Some(entries.remove(0)));
            }
            Ok(node) => two_values(node.span),
            Err(error) => error,
        };
        let Some(length) = scan::key_length(&self.text[item.clone()]) else { return Ok(None) };
        let after = item.start + length + 1;
        let Ok(key) = self.key(item.start..after) else { return Ok(None) };
        let rest = &self.text[after..item.end];
        let start = after + rest.len() - rest.trim_start().len();
        if start == item.end {
            return Ok(None);
        }
        let value = self.flow_value(start..item.end, depth, &error)?;
        Ok(Some(Entry { value, ..key }))
    }

    fn flow_value(
        &mut self,
        range: Range<usize>,
        depth: usize,
        error: &YamlError,
    ) -> Result<Node, YamlError> {
        if self.text[range.clone()].starts_with(['[', '{'])
            && let Some(node) = self.flow(range.clone(), depth + 1)?
        {
            return Ok(node);
        }
        let start = range.start;
        self.quote(range, start, error)
    }

    fn parse_within(&self, open: char, item: Range<usize>) -> Result<Node, YamlError> {
        let close = if open == '[' { ']' } else { '}' };
        self.parse_at(&format!("{open}{}{close}", &self.text[item.clone()]), item.start - 1)
    }

    fn forget(&mut self, keep: usize) {
        for diagnostic in self.found.drain(keep..) {
            self.quoted.remove(&diagnostic.primary.span);
        }
    }
}

fn two_values(span: Span) -> YamlError {
    YamlError::syntax("this is not one value", span)
}

fn unquoted(raw: &str) -> Option<&str> {
    let inner = |quote| raw.strip_prefix(quote)?.strip_suffix(quote);
    let is_within_word = |text: &str, at: usize| {
        text[..at].ends_with(char::is_alphanumeric)
            && text[at + 1..].starts_with(char::is_alphanumeric)
    };
    inner('"').filter(|text| !text.contains('"')).or_else(|| {
        inner('\'').filter(|text| text.match_indices('\'').all(|(at, _)| is_within_word(text, at)))
    })
}

fn unclosed_text(raw: &str) -> Option<&str> {
    let quote = raw.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let text = raw[1..].trim_end();
    (!text.is_empty() && !text.contains(quote)).then_some(text)
}

fn what_yaml_saw(raw: &str, error: &YamlError) -> String {
    let first = raw.chars().next().unwrap_or(' ');
    match first {
        '*' => "`*` begins an alias".to_owned(),
        '&' => "`&` begins an anchor".to_owned(),
        '%' => "`%` begins a directive".to_owned(),
        '@' | '`' => format!("`{first}` is reserved"),
        '[' => "`[` begins a list".to_owned(),
        '{' => "`{` begins a map".to_owned(),
        '"' | '\'' if raw.matches(first).count() == 1 => "the quote is not closed".to_owned(),
        '"' | '\'' => error.message.clone(),
        _ if raw.contains(": ") || raw.ends_with(':') => "`: ` begins a map".to_owned(),
        _ => error.message.clone(),
    }
}
