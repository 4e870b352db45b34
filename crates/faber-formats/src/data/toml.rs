//! The top level of TOML, with the small `toml_parser`.

use std::ops::Range;

use toml_parser::decoder::Encoding;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};
use toml_parser::{ParseError, Source};

use faber_core::source::{FileId, Span};
use faber_core::yaml::{Entry, Node, Scalar, ScalarKind, Value};

const MAX_DEPTH: u32 = 32;

#[derive(Debug, Default, PartialEq)]
pub(super) struct TomlTop {
    pub(super) entries: Vec<Entry>,
    pub(super) others: Vec<(String, Span)>,
}

pub(super) fn top(text: &str, file: FileId) -> Result<TomlTop, (String, Span)> {
    let tokens = Source::new(text).lex().into_vec();
    let mut reader = TomlReader {
        text,
        file,
        top: TomlTop::default(),
        key: Vec::new(),
        depth: 0,
        in_table: false,
        failed: None,
    };
    let mut failed: Option<ParseError> = None;
    let mut receive = |event: Event| reader.event(&event);
    parse_document(&tokens, &mut RecursionGuard::new(&mut receive, MAX_DEPTH), &mut failed);
    if let Some(error) = failed {
        let at = error.unexpected().or(error.context());
        let at = at.map_or(0..0, |span| span.start()..span.end());
        return Err((error.description().to_owned(), Span::new(file, at.start, at.end)));
    }
    reader.failed.map_or(Ok(reader.top), Err)
}

struct TomlReader<'a> {
    text: &'a str,
    file: FileId,
    top: TomlTop,
    key: Vec<(String, Span)>,
    depth: usize,
    in_table: bool,
    failed: Option<(String, Span)>,
}

impl TomlReader<'_> {
    fn event(&mut self, event: &Event) {
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.in_table = true;
                self.key.clear();
            }
            EventKind::StdTableClose | EventKind::ArrayTableClose => self.other(),
            EventKind::ArrayOpen | EventKind::InlineTableOpen => {
                if self.depth == 0 && !self.in_table {
                    self.other();
                }
                self.depth += 1;
            }
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                self.depth = self.depth.saturating_sub(1);
            }
            EventKind::SimpleKey if self.depth == 0 => {
                let (name, at) = self.decoded(event);
                self.key.push((name, at));
            }
            EventKind::Scalar if self.depth == 0 => self.scalar(event),
            _ => {}
        }
    }

    fn other(&mut self) {
        let key = std::mem::take(&mut self.key).into_iter().next();
        let is_new = |(name, _): &(String, Span)| self.top.others.iter().all(|it| it.0 != *name);
        self.top.others.extend(key.filter(is_new));
    }

    fn scalar(&mut self, event: &Event) {
        if self.in_table || self.key.len() > 1 {
            return if self.in_table { self.key.clear() } else { self.other() };
        }
        let (text, span) = self.decoded(event);
        let unsigned = text.trim_start_matches(['+', '-']);
        let is_plain = unsigned.starts_with(|c: char| c.is_ascii_digit())
            || ["true", "false", "inf", "nan"].contains(&unsigned);
        if event.encoding().is_none() && !is_plain {
            self.failed.get_or_insert(("this string needs quotes".to_owned(), span));
        }
        let kind = match (event.encoding(), &*text) {
            (None, "true") => ScalarKind::Bool(true),
            (None, "false") => ScalarKind::Bool(false),
            (None, number) => number.parse().map_or(ScalarKind::Str, ScalarKind::Int),
            _ => ScalarKind::Str,
        };
        let Some((key, key_span)) = self.key.pop() else { return };
        if self.top.entries.iter().any(|entry| entry.key == key) {
            self.failed.get_or_insert((format!("duplicate key `{key}`"), key_span));
        }
        let value = Node { span, value: Value::Scalar(Scalar { text, kind }) };
        self.top.entries.push(Entry { key, key_span, value });
    }

    fn decoded(&mut self, event: &Event) -> (String, Span) {
        let range: Range<usize> = event.span().start()..event.span().end();
        let span = Span::new(self.file, range.start, range.end);
        let text = decode(&self.text[range], event.encoding());
        if text.is_none() {
            self.failed.get_or_insert(("invalid string".to_owned(), span));
        }
        (text.unwrap_or_default(), span)
    }
}

pub(crate) fn decode(raw: &str, encoding: Option<Encoding>) -> Option<String> {
    let Some(encoding) = encoding else { return Some(raw.to_owned()) };
    let (quotes, is_basic, has_lines) = match encoding {
        Encoding::LiteralString => ("'", false, false),
        Encoding::BasicString => ("\"", true, false),
        Encoding::MlLiteralString => ("'''", false, true),
        Encoding::MlBasicString => ("\"\"\"", true, true),
    };
    let mut text = raw.strip_prefix(quotes)?.strip_suffix(quotes)?;
    if has_lines {
        text = text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text);
    }
    let is_line = |c| matches!(c, '\n' | '\r');
    let is_control = |c: char| c.is_control() && c != '\t' && !(has_lines && is_line(c));
    if text.contains(is_control) {
        return None;
    }
    if is_basic { unescaped(text, has_lines) } else { Some(text.to_owned()) }
}

fn unescaped(text: &str, has_lines: bool) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        let kind = escape.chars().next()?;
        rest = &escape[kind.len_utf8()..];
        out.push(match kind {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            '"' | '\\' => kind,
            'x' | 'u' | 'U' => {
                let digits = rest.get(..if kind == 'x' { 2 } else { 4 })?;
                let digits = if kind == 'U' { rest.get(..8)? } else { digits };
                rest = &rest[digits.len()..];
                let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
                char::from_u32(code)?
            }
            ' ' | '\t' | '\r' | '\n' if has_lines => {
                let joined = escape.trim_start_matches([' ', '\t', '\r', '\n']);
                let blank = &escape[..escape.len() - joined.len()];
                rest = joined;
                if !blank.contains('\n') {
                    return None;
                }
                continue;
            }
            _ => return None,
        });
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::source::SourceMap;

    fn read(text: &str) -> Result<TomlTop, (String, Span)> {
        top(text, SourceMap::default().add("a.toml".into(), text.to_owned()))
    }

    #[test]
    fn strings_are_what_another_reader_has() {
        for value in [
            r#""a \"b\" \\ \t \u00e9 \U0001F600 \e""#,
            "'C:\\a'",
            "\"\"\"\nOne\n\"two\" \\\n   three\"\"\"\"",
            "'''\r\nOne\r\n''two'''",
            "\"\"\"a \\  \n\n b\"\"\"",
            "\"\"",
            r#""\x41""#,
            "true",
            "-3",
            "-inf",
            "hello",
            "1979-05-27",
            r#""\q""#,
            "\"open",
            "\"\"\"open",
            r#""\u00""#,
            "\"\"\"a \\ b\"\"\"",
            "\"a\u{1}\"",
            "",
        ] {
            let text = format!("# c\nkey = {value}\n\"x y\" = 1\n");
            let expected = text.parse::<toml_edit::DocumentMut>();
            match (read(&text), expected) {
                (Ok(found), Ok(expected)) => {
                    for entry in &found.entries {
                        if let Some(text) = expected[&entry.key].as_str() {
                            assert_eq!(entry.value.as_str(), Some(text));
                        }
                    }
                    assert_eq!(found.entries.len(), 2, "{text}");
                }
                (Err(_), Err(_)) => {}
                (found, expected) => panic!("{text}: {found:?}, {expected:?}"),
            }
        }
    }

    #[test]
    fn only_values_at_the_top_count() {
        let text = "a = 1\nlist = [\"x\", { b = 2 }]\nc.d = 3\ninline = { a = 1 }\n[t.u]\na = 4\n[[v]]\nb = []\n[[v]]\n";
        let top = read(text).unwrap();
        let keys: Vec<&str> = top.entries.iter().map(|entry| &*entry.key).collect();
        let others: Vec<&str> = top.others.iter().map(|(key, _)| &**key).collect();
        assert_eq!((keys, others), (vec!["a"], vec!["list", "c", "inline", "t", "v"]));
        assert_eq!(read("a = 1\na = 2\n").unwrap_err().0, "duplicate key `a`");
        assert!(read(&format!("a = {}", "[".repeat(100_000))).is_err());
    }
}
