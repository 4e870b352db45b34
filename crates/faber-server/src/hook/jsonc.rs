//! Changes JSON files of other programs in place: comments, order and layout of everything else stay.
//!
//! Clients read JSON with comments and trailing commas, so both are understood and kept.

use std::fmt::Write;
use std::ops::Range;

use serde_json::{Map, Value};

/// Maximum nesting.
const DEEPEST: usize = 64;

/// A value with its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub range: Range<usize>,
    pub kind: NodeKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar(Value),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub key: String,
    /// The first byte of the key.
    pub start: usize,
    pub value: Node,
}

/// Why a text is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    pub message: &'static str,
    pub at: usize,
}

impl JsonError {
    /// The place as `LINE:COLUMN`.
    pub fn place(&self, text: &str) -> String {
        let before = &text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{line}:{column}")
    }
}

impl Node {
    pub fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            NodeKind::Object(members) => Some(members),
            _ => None,
        }
    }

    pub fn items(&self) -> Option<&[Self]> {
        match &self.kind {
            NodeKind::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members()?.iter().find(|member| member.key == key).map(|member| &member.value)
    }

    pub fn value(&self) -> Value {
        match &self.kind {
            NodeKind::Object(members) => {
                let entry = |member: &Member| (member.key.clone(), member.value.value());
                Value::Object(members.iter().map(entry).collect::<Map<_, _>>())
            }
            NodeKind::Array(items) => items.iter().map(Self::value).collect(),
            NodeKind::Scalar(value) => value.clone(),
        }
    }
}

/// Reads a whole text.
///
/// # Errors
///
/// When it is no JSON, is nested too deeply, or an object has a key twice.
pub fn parse(text: &str) -> Result<Node, JsonError> {
    let mut parser =
        Parser { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 }, depth: 0 };
    let node = parser.value()?;
    parser.skip()?;
    if parser.at < text.len() {
        return Err(parser.error("expected the end of the file"));
    }
    Ok(node)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn error(&self, message: &'static str) -> JsonError {
        let mut at = self.at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        JsonError { message, at }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), JsonError> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    return Err(self.error("a comment has no end"));
                };
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self) -> Result<Node, JsonError> {
        self.skip()?;
        let start = self.at;
        let kind = match self.rest().bytes().next() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(_) => NodeKind::Scalar(self.scalar()?),
            None => return Err(self.error("expected a value")),
        };
        Ok(Node { range: start..self.at, kind })
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<NodeKind, JsonError>,
    ) -> Result<NodeKind, JsonError> {
        if self.depth == DEEPEST {
            return Err(self.error("nested too deeply"));
        }
        self.depth += 1;
        self.at += 1;
        let kind = read(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    /// Whether the container ends here, after a comma if it has members.
    fn ends(&mut self, close: char, is_first: bool) -> Result<bool, JsonError> {
        self.skip()?;
        if !is_first && !self.rest().starts_with(close) {
            if !self.rest().starts_with(',') {
                return Err(self.error("expected a comma"));
            }
            self.at += 1;
            self.skip()?;
        }
        let ends = self.rest().starts_with(close);
        self.at += usize::from(ends);
        Ok(ends)
    }

    fn object(&mut self) -> Result<NodeKind, JsonError> {
        let mut members: Vec<Member> = Vec::new();
        while !self.ends('}', members.is_empty())? {
            let start = self.at;
            if !self.rest().starts_with('"') {
                return Err(self.error("expected a key in quotes"));
            }
            let Value::String(key) = self.scalar()? else {
                return Err(self.error("expected a key in quotes"));
            };
            if members.iter().any(|member| member.key == key) {
                self.at = start;
                return Err(self.error("the key is there twice"));
            }
            self.skip()?;
            if !self.rest().starts_with(':') {
                return Err(self.error("expected a colon"));
            }
            self.at += 1;
            let value = self.value()?;
            members.push(Member { key, start, value });
        }
        Ok(NodeKind::Object(members))
    }

    fn array(&mut self) -> Result<NodeKind, JsonError> {
        let mut items = Vec::new();
        while !self.ends(']', items.is_empty())? {
            items.push(self.value()?);
        }
        Ok(NodeKind::Array(items))
    }

    fn scalar(&mut self) -> Result<Value, JsonError> {
        let rest = self.rest();
        let length = if rest.starts_with('"') {
            string_length(rest)
        } else {
            rest.find(|c: char| " \t\r\n,]}:/".contains(c)).unwrap_or(rest.len())
        };
        let value = serde_json::from_str(&rest[..length]);
        let value = value.map_err(|_| self.error("expected a value"))?;
        self.at += length;
        Ok(value)
    }
}

/// The bytes of the string that `text` begins with, both quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The text with one more member in the object, or one more item in the array, at `container`.
pub fn append(text: &str, container: &Node, key: Option<&str>, value: &Value) -> String {
    let last = match &container.kind {
        NodeKind::Object(members) => members.last().map(|member| member.value.range.end),
        NodeKind::Array(items) => items.last().map(|item| item.range.end),
        NodeKind::Scalar(_) => None,
    };
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let unit = unit(text);
    let outer = indent_of(text, container.range.start);
    let inner = format!("{outer}{unit}");
    let mut added = String::new();
    if let Some(key) = key {
        let _ = write!(added, "{}: ", Value::from(key));
    }
    pretty(value, &unit, &inner, line_break, &mut added);
    let close = container.range.end - 1;
    let from = last.unwrap_or(container.range.start + 1);
    let between = text[from..close].trim_end();
    let needs_comma = last.is_some() && !has_comma(between);
    let comma = if needs_comma { "," } else { "" };
    let (before, after) = (&text[..from], &text[close..]);
    format!("{before}{comma}{between}{line_break}{inner}{added}{line_break}{outer}{after}")
}

/// The text without the part at `range`, which is a member or an item, and without its comma.
pub fn remove(text: &str, range: Range<usize>) -> String {
    let after = &text[range.end..];
    let comma_after = comma_at(after).map(|at| range.end + at);
    // Of the comments around a part only white space goes with it.
    let before = text[..range.start].trim_end_matches([' ', '\t']);
    let line_break = if before.ends_with("\r\n") { 2 } else { usize::from(before.ends_with('\n')) };
    let start = before.len() - line_break;
    if let Some(comma) = comma_after {
        return format!("{}{}{}", &text[..start], &text[range.end..comma], &text[comma + 1..]);
    }
    let kept = &text[..start];
    match last_comma(kept) {
        Some(comma) => format!("{}{}{after}", &kept[..comma], &kept[comma + 1..]),
        None => format!("{kept}{after}"),
    }
}

/// Whether a comma is among white space and comments.
fn has_comma(trivia: &str) -> bool {
    comma_at(trivia).is_some()
}

/// The comma that a text begins with after white space and comments.
fn comma_at(text: &str) -> Option<usize> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.skip().ok()?;
    parser.rest().starts_with(',').then_some(parser.at)
}

/// The comma that a text ends with before white space and comments, which begin after it.
fn last_comma(text: &str) -> Option<usize> {
    let candidates = text.match_indices(',').map(|(at, _)| at).rev();
    for at in candidates.take(64) {
        let mut parser = Parser { text: &text[at + 1..], at: 0, depth: 0 };
        if parser.skip().is_ok() && parser.rest().is_empty() {
            return Some(at);
        }
    }
    None
}

/// The indentation of the line that `at` is in.
fn indent_of(text: &str, at: usize) -> &str {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// One level of indentation as the text has it.
fn unit(text: &str) -> String {
    let indents = text.lines().map(|line| &line[..line.len() - line.trim_start().len()]);
    let first = indents.into_iter().find(|indent| !indent.is_empty());
    first.filter(|unit| unit.len() <= 8).unwrap_or("  ").to_owned()
}

fn pretty(value: &Value, unit: &str, indent: &str, line_break: &str, out: &mut String) {
    let inner = format!("{indent}{unit}");
    let mut first = true;
    let mut begin = |out: &mut String| {
        let comma = if std::mem::take(&mut first) { "" } else { "," };
        let _ = write!(out, "{comma}{line_break}{inner}");
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            out.push('{');
            for (key, value) in members {
                begin(out);
                let _ = write!(out, "{}: ", Value::from(key.as_str()));
                pretty(value, unit, &inner, line_break, out);
            }
            let _ = write!(out, "{line_break}{indent}}}");
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for item in items {
                begin(out);
                pretty(item, unit, &inner, line_break, out);
            }
            let _ = write!(out, "{line_break}{indent}]");
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text = "\u{feff}// a\n{ \"a\": [1, /* x */ \"b,]\\\"\",], // c\n \"d\": {} , }\n";
        let node = parse(text).unwrap();
        assert_eq!(node.value(), json!({ "a": [1, "b,]\""], "d": {} }));
        for (text, message, place) in [
            ("", "expected a value", "1:1"),
            ("{\n  \"a\" 1}", "expected a colon", "2:7"),
            ("{\"a\":1 \"b\":2}", "expected a comma", "1:8"),
            ("{a:1}", "expected a key in quotes", "1:2"),
            ("[1", "expected a comma", "1:3"),
            ("{\"a\":1,\"a\":2}", "the key is there twice", "1:8"),
            ("{} x", "expected the end of the file", "1:4"),
            ("/* x", "a comment has no end", "1:1"),
            ("\"é", "expected a value", "1:1"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!((error.message, &*error.place(text)), (message, place), "{text}");
        }
        assert_eq!(parse(&"[".repeat(100_000)).unwrap_err().message, "nested too deeply");
    }

    #[test]
    fn a_part_is_added_in_the_layout_of_the_file() {
        let add = |text: &str, key: Option<&str>| {
            append(text, &parse(text).unwrap(), key, &json!({ "x": [1] }))
        };
        insta::assert_snapshot!(add("{}", Some("k")), @r#"
        {
          "k": {
            "x": [
              1
            ]
          }
        }
        "#);
        insta::assert_snapshot!(add("{\n    \"a\": 1 // mine\n    // also\n}\n", Some("k")), @r#"
        {
            "a": 1, // mine
            // also
            "k": {
                "x": [
                    1
                ]
            }
        }
        "#);
        assert_eq!(add("[1,]", None), "[1,\n  {\n    \"x\": [\n      1\n    ]\n  }\n]");
        assert!(add("{\r\n\t\"a\": 1\r\n}", Some("k")).ends_with("\r\n\t}\r\n}"));
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i32>().prop_map(Value::from),
            "[ -~é]{0,8}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-z/,]{0,5}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// What is added is there, nothing else changes, and to remove it leaves what was there before.
        #[test]
        fn adding_and_removing_changes_nothing_else(
            (mut members, added) in (prop::collection::btree_map("[a-y]{1,4}", json_value(), 0..5), json_value()),
            is_pretty in any::<bool>(),
        ) {
            members.remove("zz");
            let before = Value::Object(members.into_iter().collect());
            let text = if is_pretty {
                serde_json::to_string_pretty(&before).unwrap()
            } else {
                before.to_string()
            };
            let node = parse(&text).unwrap();
            prop_assert_eq!(&node.value(), &before);
            let after = append(&text, &node, Some("zz"), &added);
            let node = parse(&after).unwrap();
            let member = node.members().unwrap().last().unwrap();
            prop_assert_eq!(&member.value.value(), &added);
            let range = member.start..member.value.range.end;
            let removed = remove(&after, range);
            prop_assert_eq!(parse(&removed).unwrap().value(), before);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[\\[\\]{}:,\"/*\\\\ \na1é]{0,40}") {
            if let Err(error) = parse(&text) {
                error.place(&text);
            }
        }
    }
}
