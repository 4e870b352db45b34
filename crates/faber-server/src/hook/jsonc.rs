//! Edits JSON with comments and trailing commas.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(crate) struct JsoncDocument<'a> {
    text: &'a str,
    root: Node<'a>,
    tokens: Vec<TokenAndRange<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Container<'a> {
    Object(&'a Object<'a>, &'a str),
    Array(&'a Array<'a>),
}

pub(crate) fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

pub(crate) fn value(text: &str) -> Option<Value> {
    JsoncDocument::read(split_mark(text).1).ok().map(|document| document.root.into())
}

impl<'a> JsoncDocument<'a> {
    pub(crate) fn read(text: &'a str) -> Result<Self, String> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let read = parse_to_ast(text, &collect, &OPTIONS).map_err(|error| {
            let mut message = error.kind().to_string();
            message[..1].make_ascii_lowercase();
            format!("{message} at {}:{}", error.line_display(), error.column_display())
        })?;
        let root = read.value.ok_or("the file is empty")?;
        Ok(Self { text, root, tokens: read.tokens.unwrap_or_default() })
    }

    pub(crate) fn root(&self) -> Option<&Object<'a>> {
        self.root.as_object()
    }

    /// On its own line, unless the container ends on the line of its last value.
    pub(crate) fn append(&self, container: Container<'_>, value: &Value) -> String {
        let (range, key) = match container {
            Container::Object(object, key) => (object.range, format!("{}: ", Value::from(key))),
            Container::Array(array) => (array.range, String::new()),
        };
        let close = self.token_at(range.end - 1);
        let trivia = self.tokens[..close].iter().rev().take_while(|it| is_comment(it)).count();
        let last = &self.tokens[close - 1 - trivia];
        let (last_end, end) = (last.end(), self.tokens[close - 1].end());
        let is_empty = last.start() == range.start;
        let has_comma = last.token == Token::Comma;
        let comma = if is_empty || has_comma { "" } else { "," };
        let trailing = if has_comma { "," } else { "" };
        let line_break = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let closes_on_own_line = self.text[end..range.end].contains('\n');
        let outer = indent_of(self.text, range.start);
        let unit = unit(self.text);
        let own_line = format!("{line_break}{outer}{unit}");
        let (before, added, after) = if closes_on_own_line || (is_empty && trivia == 0) {
            let close = if closes_on_own_line { "" } else { &*format!("{line_break}{outer}") };
            let added = pretty(value, unit).replace('\n', &own_line);
            (own_line, added, close.to_owned())
        } else {
            (" ".to_owned(), value.to_string(), String::new())
        };
        let (head, comments, rest) =
            (&self.text[..last_end], &self.text[last_end..end], &self.text[end..]);
        format!("{head}{comma}{comments}{before}{key}{added}{trailing}{after}{rest}")
    }

    pub(crate) fn without(&self, parts: &[Range<usize>]) -> String {
        let mut is_gone = vec![false; self.tokens.len()];
        let mut cuts: Vec<Range<usize>> = Vec::new();
        for part in parts {
            let (first, end) = (self.token_at(part.start), self.token_at(part.end));
            is_gone[first..end].fill(true);
            let next = end + self.tokens[end..].iter().take_while(|it| is_comment(it)).count();
            let comma_after = self.tokens[next].token == Token::Comma;
            let comma = if comma_after { Some(next) } else { self.comma_before(first, &is_gone) };
            let (mut cut, mut after) = (part.clone(), end);
            if let Some(comma) = comma {
                is_gone[comma] = true;
                if comma == end {
                    (cut.end, after) = (self.tokens[comma].end(), end + 1);
                } else {
                    cuts.push(self.tokens[comma].range().start..self.tokens[comma].end());
                }
            }
            let (before, after) = (&self.tokens[first - 1], &self.tokens[after]);
            let is_open = matches!(before.token, Token::OpenBrace | Token::OpenBracket);
            let is_close = matches!(after.token, Token::CloseBrace | Token::CloseBracket);
            if is_open && is_close {
                cut.end = after.start();
            }
            let ends_line = self.text[cut.end..after.start()].contains('\n');
            if !matches!(before.token, Token::CommentLine(_)) || ends_line {
                cut.start = before.end();
            }
            cuts.push(cut);
        }
        cuts.sort_by_key(|cut| cut.start);
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for cut in cuts {
            out.push_str(&self.text[at..cut.start]);
            at = cut.end;
        }
        out.push_str(&self.text[at..]);
        out
    }

    fn comma_before(&self, first: usize, is_gone: &[bool]) -> Option<usize> {
        let mut before =
            (0..first).rev().filter(|&at| !is_gone[at] && !is_comment(&self.tokens[at]));
        before.next().filter(|&at| self.tokens[at].token == Token::Comma)
    }

    fn token_at(&self, place: usize) -> usize {
        self.tokens.partition_point(|token| token.start() < place)
    }
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn indent_of(text: &str, at: usize) -> &str {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn unit(text: &str) -> &str {
    let indents = text.lines().map(|line| &line[..line.len() - line.trim_start().len()]);
    let first = indents.into_iter().find(|indent| !indent.is_empty());
    first.filter(|unit| unit.len() <= 8).unwrap_or("  ")
}

fn pretty(value: &Value, unit: &str) -> String {
    let mut out = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, formatter));
    written.expect("a value can be written to memory");
    String::from_utf8(out).expect("JSON is UTF-8")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn added(text: &str, value: &Value) -> String {
        let document = JsoncDocument::read(text).unwrap();
        let container = match &document.root {
            Node::Object(object) => Container::Object(object, "zz"),
            Node::Array(array) => Container::Array(array),
            other => panic!("{other:?} is not a container"),
        };
        document.append(container, value)
    }

    fn removed(text: &str) -> String {
        let document = JsoncDocument::read(text).unwrap();
        let last = match &document.root {
            Node::Object(object) => object.properties.last().unwrap().range,
            Node::Array(array) => array.elements.last().unwrap().range(),
            other => panic!("{other:?} is not a container"),
        };
        let part = last.start..last.end;
        document.without(std::slice::from_ref(&part))
    }

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text = "\u{feff}// a\n{ \"a\": [1, /* x */ \"b,]\\\"\",], // c\n \"d\": {} , }\n";
        assert_eq!(value(text), Some(json!({ "a": [1, "b,]\""], "d": {} })));
        for (text, message) in [
            ("", "the file is empty"),
            ("{\n  \"a\" 1}", "expected colon after the string or word in object property at 2:7"),
            ("{\"a\":1 \"b\":2}", "expected comma at 1:7"),
            ("{a:1}", "expected string for object property at 1:2"),
            ("[1", "unterminated array at 1:1"),
            ("{} x", "text cannot contain more than one JSON value at 1:4"),
            ("/* x", "unterminated comment block at 1:1"),
            ("\"é", "unterminated string literal at 1:1"),
        ] {
            assert_eq!(JsoncDocument::read(text).err().as_deref(), Some(message), "{text}");
        }
        let deep = JsoncDocument::read(&"[".repeat(100_000)).err().unwrap();
        assert_eq!(deep, "maximum nesting depth exceeded at 1:513");
    }

    #[test]
    fn a_value_is_added_in_the_layout_of_the_file() {
        for (text, expected) in [
            ("{}", "{\n  \"zz\": {\n    \"x\": 1\n  }\n}"),
            ("{\n}", "{\n  \"zz\": {\n    \"x\": 1\n  }\n}"),
            (
                "{\n    \"a\": 1 // mine\n    // also\n}\n",
                "{\n    \"a\": 1, // mine\n    // also\n    \"zz\": {\n        \"x\": 1\n    }\n}\n",
            ),
            ("{ \"a\": 1 }", "{ \"a\": 1, \"zz\": {\"x\":1} }"),
            ("[1 /* one */,]", "[1 /* one */, {\"x\":1},]"),
            (
                "{\r\n\t\"a\": 1,\r\n}",
                "{\r\n\t\"a\": 1,\r\n\t\"zz\": {\r\n\t\t\"x\": 1\r\n\t},\r\n}",
            ),
            ("[/* none */]", "[/* none */ {\"x\":1}]"),
        ] {
            let with = added(text, &json!({ "x": 1 }));
            assert_eq!(with, expected);
            if text != "{\n}" {
                assert_eq!(removed(&with), text);
            }
        }
    }

    #[test]
    fn what_is_around_a_removed_value_stays() {
        let without = |text: &str, parts: &[&str]| {
            let places = parts.iter().map(|part| {
                let start = text.find(part).unwrap();
                start..start + part.len()
            });
            JsoncDocument::read(text).unwrap().without(&places.collect::<Vec<_>>())
        };
        assert_eq!(without("[1, 2, 3]", &["1"]), "[ 2, 3]");
        assert_eq!(without("[1, 2, 3]", &["2", "3"]), "[1]");
        assert_eq!(without("[1, 2, 3,]", &["1", "3"]), "[ 2,]");
        assert_eq!(
            without("[1, /* a */ 2 /* b */, // c\n]", &["2"]),
            "[1, /* a */ /* b */ // c\n]"
        );
        assert_eq!(without("[ // a\n 1, 2\n]", &["1"]), "[ // a\n  2\n]");
        assert_eq!(without("[ // a\n 1, // b\n 2\n]", &["1"]), "[ // a\n  // b\n 2\n]");
        assert_eq!(without("[\n  1\n]", &["1"]), "[]");
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
        #[test]
        fn adding_and_removing_changes_nothing_else(
            values in prop::collection::vec(json_value(), 0..5),
            value in json_value(),
            spaces in prop::collection::vec("( |\t|\r\n|\n|//[^\r\n]{0,4}\n|/\\*[^*]{0,4}\\*/){0,3}", 12),
            (is_object, has_comma) in any::<(bool, bool)>(),
        ) {
            let mut spaces = spaces.iter();
            let mut space = || spaces.next().unwrap().as_str();
            let mut items = Vec::new();
            for (at, value) in values.iter().enumerate() {
                let key = if is_object { format!("\"a{at}\":") } else { String::new() };
                items.push(format!("{}{key}{value}{}", space(), space()));
            }
            let comma = if has_comma && !items.is_empty() { "," } else { "" };
            let (open, close) = if is_object { ('{', '}') } else { ('[', ']') };
            let text = format!("{open}{}{comma}{}{close}\n", items.join(","), space());
            let with = added(&text, &value);
            let after = JsoncDocument::read(&with).unwrap();
            match &after.root {
                Node::Object(object) => {
                    prop_assert_eq!(object.properties.len(), values.len() + 1);
                    prop_assert_eq!(&Value::from(object.get("zz").unwrap().value.clone()), &value);
                }
                Node::Array(array) => {
                    prop_assert_eq!(array.elements.len(), values.len() + 1);
                    prop_assert_eq!(&Value::from(array.elements[values.len()].clone()), &value);
                }
                _ => unreachable!(),
            }
            let without = removed(&with);
            if !values.is_empty() || text.contains('/') {
                prop_assert_eq!(without, text);
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[\\[\\]{}:,\"/*\\\\ \na1é]{0,40}") {
            let _ = JsoncDocument::read(&text);
        }
    }
}
