//! Values of JSON and TOML with their paths and places.

use std::ops::Range;

use serde_json::Value;
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};

use crate::data::toml;

const MAX_DEPTH: u32 = 32;

#[derive(Debug, PartialEq)]
pub(super) struct Leaf {
    /// Keys; indices count as `0`, `1`, ….
    pub(super) path: Vec<String>,
    pub(super) value: String,
    /// A number or boolean.
    pub(super) is_plain: bool,
    pub(super) range: Range<usize>,
}

impl Leaf {
    pub(super) fn shown(&self) -> String {
        let is_index = |part: &&String| part.bytes().all(|byte| byte.is_ascii_digit());
        let keys: Vec<&str> =
            self.path.iter().filter(|part| !is_index(part)).map(String::as_str).collect();
        let quote = if self.is_plain { "" } else { "\"" };
        let shown = format!("{}: {quote}{}{quote}", keys.join("."), self.value);
        faber_core::escape::clip(&shown)
    }
}

/// With comments and trailing commas; nothing if it cannot be read.
pub(super) fn of_json(text: &str) -> Vec<Leaf> {
    let plain = without_comments(text);
    let Ok(value) = serde_json::from_str(&plain) else { return Vec::new() };
    let mut reader = JsonLeaves { text: &plain, at: 0, all: Vec::new() };
    reader.add(&value, &mut Vec::new());
    reader.all
}

/// Follows the text in its order.
struct JsonLeaves<'a> {
    text: &'a str,
    at: usize,
    all: Vec<Leaf>,
}

impl JsonLeaves<'_> {
    fn add(&mut self, value: &Value, path: &mut Vec<String>) {
        match value {
            Value::Object(entries) => {
                for (key, value) in entries {
                    self.next(&quoted(key));
                    path.push(key.clone());
                    self.add(value, path);
                    path.pop();
                }
            }
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    path.push(index.to_string());
                    self.add(value, path);
                    path.pop();
                }
            }
            Value::String(value) => {
                let range = self.next(&quoted(value));
                self.leaf(path, value.clone(), false, range);
            }
            plain => {
                let value = plain.to_string();
                let range = self.next(&value);
                self.leaf(path, value, true, range);
            }
        }
    }

    fn leaf(&mut self, path: &[String], value: String, is_plain: bool, range: Range<usize>) {
        self.all.push(Leaf { path: path.to_vec(), value, is_plain, range });
    }

    /// Written otherwise, such as with escapes, it has the place before it.
    fn next(&mut self, written: &str) -> Range<usize> {
        match self.text[self.at..].find(written) {
            Some(length) => {
                let start = self.at + length;
                self.at = start + written.len();
                start..self.at
            }
            None => self.at..self.at,
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Of the same length.
fn without_comments(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let (mut at, mut comma, mut is_text) = (0, None, false);
    while at < out.len() {
        let byte = out[at];
        if is_text {
            at += usize::from(byte == b'\\') + 1;
            is_text = byte != b'"';
            continue;
        }
        let end = match out.get(at..at + 2) {
            Some(b"//") => text[at..].find('\n').map_or(out.len(), |length| at + length),
            Some(b"/*") => text[at..].find("*/").map_or(out.len(), |length| at + length + 2),
            _ => at,
        };
        if end > at {
            out[at..end].fill(b' ');
            at = end;
            continue;
        }
        match byte {
            b'"' => (is_text, comma) = (true, None),
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    String::from_utf8(out).unwrap_or_default().replace('\u{feff}', "   ")
}

/// What can be read of it.
pub(super) fn of_toml(text: &str) -> Vec<Leaf> {
    let tokens = Source::new(text).lex().into_vec();
    let mut reader = TomlLeaves {
        text,
        table: Vec::new(),
        keys: Vec::new(),
        levels: Vec::new(),
        all: Vec::new(),
    };
    let mut receive = |event: Event| reader.event(&event);
    parse_document(&tokens, &mut RecursionGuard::new(&mut receive, MAX_DEPTH), &mut ());
    reader.all
}

enum Level {
    Array(usize),
    /// The number of keys around it.
    Inline(usize),
}

struct TomlLeaves<'a> {
    text: &'a str,
    table: Vec<String>,
    keys: Vec<String>,
    levels: Vec<Level>,
    all: Vec<Leaf>,
}

impl TomlLeaves<'_> {
    fn event(&mut self, event: &Event) {
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => self.keys.clear(),
            EventKind::StdTableClose | EventKind::ArrayTableClose => {
                self.table = std::mem::take(&mut self.keys);
            }
            EventKind::SimpleKey => self.keys.extend(self.decoded(event)),
            EventKind::ArrayOpen => {
                self.levels.push(Level::Array(0));
                self.keys.push("0".to_owned());
            }
            EventKind::InlineTableOpen => self.levels.push(Level::Inline(self.keys.len())),
            EventKind::ArrayClose => {
                self.levels.pop();
                self.keys.pop();
                self.end_value();
            }
            EventKind::InlineTableClose => {
                if let Some(Level::Inline(around)) = self.levels.pop() {
                    self.keys.truncate(around);
                }
                self.end_value();
            }
            EventKind::ValueSep => {
                if let Some(Level::Array(index)) = self.levels.last_mut() {
                    *index += 1;
                    let index = index.to_string();
                    self.keys.pop();
                    self.keys.push(index);
                }
            }
            EventKind::Scalar => {
                if let Some(value) = self.decoded(event) {
                    let path = self.table.iter().chain(&self.keys).cloned().collect();
                    let range = event.span().start()..event.span().end();
                    let is_plain = event.encoding().is_none();
                    self.all.push(Leaf { path, value, is_plain, range });
                }
                self.end_value();
            }
            _ => {}
        }
    }

    fn end_value(&mut self) {
        match self.levels.last() {
            None => self.keys.clear(),
            Some(Level::Inline(around)) => self.keys.truncate(*around),
            Some(Level::Array(_)) => {}
        }
    }

    fn decoded(&self, event: &Event) -> Option<String> {
        toml::decode(&self.text[event.span().start()..event.span().end()], event.encoding())
    }
}
