//! Reads JSON Lines or a JSON array.

use serde_json::{Deserializer, Value};

use crate::conversation::message::{self, Message, MessageError};
use crate::error::{Error, json_problem};
use crate::escape::Visible;
use crate::source::char_boundary;

const HELP: &str = "a conversation is one message on each line, or a JSON array of messages";

/// # Errors
///
/// [`Error::Usage`] at the first invalid message.
pub fn read(name: &str, text: &str) -> Result<Vec<Message>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut stream = Stream { name, text, at: 0, line: 1, counted: 0 };
    stream.skip_space();
    if stream.takes('[') { stream.array() } else { stream.lines() }
}

struct Stream<'a> {
    name: &'a str,
    text: &'a str,
    at: usize,
    line: usize,
    counted: usize,
}

impl Stream<'_> {
    fn lines(&mut self) -> Result<Vec<Message>, Error> {
        let mut messages = Vec::new();
        while self.at < self.text.len() {
            messages.push(self.message()?);
        }
        Ok(messages)
    }

    fn array(&mut self) -> Result<Vec<Message>, Error> {
        let mut messages = Vec::new();
        self.skip_space();
        while !self.takes(']') {
            if !messages.is_empty() && !self.takes(',') {
                return Err(self.error(self.at, "expected `,` or `]`", HELP));
            }
            self.skip_space();
            messages.push(self.message()?);
        }
        self.skip_space();
        if self.at < self.text.len() {
            return Err(self.error(self.at, "unexpected text after the array", HELP));
        }
        Ok(messages)
    }

    fn message(&mut self) -> Result<Message, Error> {
        let start = self.at;
        let mut values = Deserializer::from_str(&self.text[start..]).into_iter::<Value>();
        let value = match values.next() {
            Some(Ok(value)) => value,
            Some(Err(error)) => {
                let at = offset(&self.text[start..], &error) + start;
                return Err(self.error(at, &json_problem(&error), HELP));
            }
            None => return Err(self.error(start, "a message is missing", HELP)),
        };
        self.at += values.byte_offset();
        self.skip_space();
        let breaks = self.text[self.counted..start].bytes().filter(|&byte| byte == b'\n').count();
        (self.line, self.counted) = (self.line + breaks, start);
        message::read(&value, self.line)
            .map_err(|MessageError { message, help }| self.error(start, &message, &help))
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at = self.text.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn takes(&mut self, wanted: char) -> bool {
        let found = self.text[self.at..].starts_with(wanted);
        self.at += usize::from(found);
        found
    }

    fn error(&self, at: usize, what: &str, help: &str) -> Error {
        let before = &self.text[..char_boundary(self.text, at)];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before[start..].chars().count() + 1;
        let message = Visible(&format!("{what} at `{}:{line}:{column}`", self.name)).to_string();
        Error::usage(message, help)
    }
}

fn offset(text: &str, error: &serde_json::Error) -> usize {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    let line = std::iter::once(0).chain(breaks).nth(error.line().saturating_sub(1));
    line.unwrap_or(text.len()).saturating_add(error.column().saturating_sub(1)).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::piece::joined;

    fn texts(text: &str) -> Vec<(usize, String)> {
        let messages = read("h.jsonl", text).unwrap();
        messages.iter().map(|one| (one.line, joined(&one.content.pieces))).collect()
    }

    fn failure(text: &str) -> String {
        read("h.jsonl", text).unwrap_err().to_string()
    }

    #[test]
    fn lines_and_arrays_are_read_alike() {
        let lines = "\u{feff}{\"role\":\"user\",\"content\":\"a\",\"x\":1}\r\n\r\n{\"role\":\"assistant\",\"content\":\"b\"}\r\n";
        assert_eq!(texts(lines), [(1, "a".to_owned()), (3, "b".to_owned())]);
        let array = "[\n {\"role\":\"user\",\"content\":\"a\"},\n {\"role\":\"user\",\n\"content\":\"b\"}\n]\n";
        assert_eq!(texts(array), [(2, "a".to_owned()), (3, "b".to_owned())]);
        assert_eq!((texts(""), texts("[]"), texts(" \n")), (vec![], vec![], vec![]));
    }

    #[test]
    fn errors_have_their_place() {
        let good = "{\"role\":\"user\",\"content\":\"ä\"}";
        for (text, wanted) in [
            (format!("{good}\n{{\"role\": 3}}\n"), "`role` is a number, not text at `h.jsonl:2:1`"),
            (
                "{\"role\": \"a\\u001b[2J\\n\", \"content\": \"\"}".to_owned(),
                "unknown role `a\\u{1b}[2J\\n` at `h.jsonl:1:1`",
            ),
            (format!("{good}\n\n {{\"role\": }}\n"), "invalid JSON at `h.jsonl:3:11`"),
            (format!("[{good} {good}]"), "expected `,` or `]` at `h.jsonl:1:32`"),
            (format!("[{good}] x"), "unexpected text after the array at `h.jsonl:1:33`"),
            (format!("[{good},"), "a message is missing at `h.jsonl:1:32`"),
            (format!("[{good}"), "expected `,` or `]` at `h.jsonl:1:31`"),
            ("\u{feff}nonsense".to_owned(), "invalid JSON at `h.jsonl:1:2`"),
            ("{\"role\"".to_owned(), "the JSON ends early at `h.jsonl:1:7`"),
            ("{3}".to_owned(), "invalid JSON: key must be a string at `h.jsonl:1:2`"),
        ] {
            assert_eq!(failure(&text), wanted, "{text}");
        }
        assert!(failure(&"[".repeat(100_000)).contains("h.jsonl:1:"));
        assert!(failure("{\"role\":\"user\",\"content\":\"\\ud800\"}").contains("h.jsonl:1:"));
    }

    proptest::proptest! {
        #[test]
        fn nothing_makes_it_panic(text in "[\\[\\]{}\",:a-c0-9\\\\ \r\n\u{feff}ä]{0,60}") {
            let _ = read("h", &text);
        }
    }
}
