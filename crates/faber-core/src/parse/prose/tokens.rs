//! Tokens of plain text: words, references and punctuation.

use std::ops::Range;

use super::inline::{Inline, SegmentKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub range: Range<usize>,
    pub(crate) outer: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    Code,
    Link,
    Quoted,
    Arrow,
    Mark,
}

impl Token<'_> {
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        let is =
            |word: &&str| word.len() == self.text.len() && self.text.eq_ignore_ascii_case(word);
        self.kind == TokenKind::Word && words.iter().any(is)
    }

    pub(crate) fn is_mark(&self, signs: &str) -> bool {
        self.kind == TokenKind::Mark && signs.contains(self.text)
    }

    pub(crate) fn is_name(&self) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Code | TokenKind::Link)
    }
}

const SPLITTING: &str = ",;|，、；";
const TRAILING: &str = ".:!?)…：。";

impl Inline {
    pub fn tokens(&self) -> Vec<Token<'_>> {
        tokens(self, &self.all())
    }
}

pub(crate) fn tokens<'a>(inline: &'a Inline, range: &Range<usize>) -> Vec<Token<'a>> {
    let mut scan = Scan {
        text: &inline.text()[..range.end],
        at: range.start,
        found: Vec::new(),
        unclosed: Vec::new(),
    };
    let from = inline.segments().partition_point(|segment| segment.text.end <= range.start);
    for segment in &inline.segments()[from..] {
        if segment.text.start >= range.end {
            break;
        }
        let kind = match segment.kind {
            SegmentKind::Plain => continue,
            SegmentKind::Code => TokenKind::Code,
            SegmentKind::Link => TokenKind::Link,
        };
        if segment.text.start >= scan.at {
            scan.plain(segment.text.start);
        }
        if segment.text.start >= scan.at {
            scan.push(kind, segment.text.clone(), segment.text.clone());
            scan.at = segment.text.end;
        }
    }
    scan.plain(range.end);
    scan.found
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    found: Vec<Token<'a>>,
    /// Opening marks without a closing one. Keeps time linear.
    unclosed: Vec<char>,
}

impl Scan<'_> {
    fn push(&mut self, kind: TokenKind, range: Range<usize>, outer: Range<usize>) {
        self.found.push(Token { kind, text: &self.text[range.clone()], range, outer });
    }

    fn plain(&mut self, end: usize) {
        while self.at < end {
            let rest = &self.text[self.at..end];
            let Some(first) = rest.chars().next() else { return };
            if first.is_whitespace() {
                self.at += first.len_utf8();
            } else if let Some(length) = arrow(rest) {
                self.sign(TokenKind::Arrow, length);
            } else if SPLITTING.contains(first) || matches!(first, '(' | ')' | '[' | ']') {
                self.sign(TokenKind::Mark, first.len_utf8());
            } else if !self.quotation(first) {
                self.word(rest);
            }
        }
    }

    fn sign(&mut self, kind: TokenKind, length: usize) {
        let range = self.at..self.at + length;
        self.at = range.end;
        self.push(kind, range.clone(), range);
    }

    fn quotation(&mut self, first: char) -> bool {
        let close = match first {
            '"' | '\'' => first,
            '“' => '”',
            '„' => '“',
            '‘' => '’',
            '«' => '»',
            _ => return false,
        };
        if self.unclosed.contains(&first) {
            return false;
        }
        let start = self.at + first.len_utf8();
        let rest = &self.text[start..];
        let closes = |at: usize| {
            let after = rest[at + close.len_utf8()..].chars().next();
            !matches!(close, '\'' | '’') || !after.is_some_and(char::is_alphanumeric)
        };
        let Some((length, _)) = rest.match_indices(close).find(|&(at, _)| closes(at)) else {
            self.unclosed.push(first);
            return false;
        };
        let inner = start..start + length;
        let outer = self.at..inner.end + close.len_utf8();
        self.at = outer.end;
        self.push(TokenKind::Quoted, inner, outer);
        true
    }

    fn word(&mut self, rest: &str) {
        let mut length = rest.len();
        for (at, c) in rest.char_indices() {
            let ends = c.is_whitespace() || SPLITTING.contains(c) || arrow(&rest[at..]).is_some();
            if at > 0 && (ends || matches!(c, '"' | '“')) {
                length = at;
                break;
            }
        }
        let word = &rest[..length];
        let core = word.trim_end_matches(|c| TRAILING.contains(c));
        let core = if core.is_empty() { 0 } else { core.len() };
        if core > 0 {
            let kind =
                if matches!(&word[..core], "+" | "&") { TokenKind::Mark } else { TokenKind::Word };
            self.sign(kind, core);
        }
        for sign in word[core..].chars() {
            self.sign(TokenKind::Mark, sign.len_utf8());
        }
    }
}

fn arrow(text: &str) -> Option<usize> {
    if text.starts_with(['→', '⇒', '⟶', '➜']) {
        return Some('→'.len_utf8());
    }
    let shaft = text.bytes().take(3).take_while(|byte| matches!(byte, b'-' | b'=')).count();
    (shaft > 0 && text[shaft..].starts_with('>')).then_some(shaft + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(TokenKind, String)> {
        let mut inline = Inline::default();
        for (index, part) in text.split('`').enumerate() {
            let kind = if index % 2 == 0 { SegmentKind::Plain } else { SegmentKind::Code };
            inline.push(part, 0..part.len(), kind, false);
        }
        let found = inline.tokens();
        found.into_iter().map(|token| (token.kind, token.text.to_owned())).collect()
    }

    #[test]
    fn words_signs_quotations_and_code_are_distinguished() {
        use TokenKind::{Arrow, Code, Mark, Quoted, Word};
        let expect = |text: &str, expected: &[(TokenKind, &str)]| {
            let expected: Vec<_> =
                expected.iter().map(|&(kind, text)| (kind, text.to_owned())).collect();
            assert_eq!(read(text), expected, "{text}");
        };
        expect(
            "\"a b\" | “c” → Load: `x.md`.",
            &[
                (Quoted, "a b"),
                (Mark, "|"),
                (Quoted, "c"),
                (Arrow, "→"),
                (Word, "Load"),
                (Mark, ":"),
                (Code, "x.md"),
                (Mark, "."),
            ],
        );
        expect(
            "a->b --> c++ & don't",
            &[
                (Word, "a"),
                (Arrow, "->"),
                (Word, "b"),
                (Arrow, "-->"),
                (Word, "c++"),
                (Mark, "&"),
                (Word, "don't"),
            ],
        );
        expect("\"a `b` c\" 'd' \"", &[(Quoted, "a b c"), (Quoted, "d"), (Word, "\"")]);
        expect(
            "node.js (if present)",
            &[(Word, "node.js"), (Mark, "("), (Word, "if"), (Word, "present"), (Mark, ")")],
        );
    }

    #[test]
    fn quotation_marks_without_partners_take_linear_time() {
        assert_eq!(read(&"“ ‘ ".repeat(100_000)).len(), 200_000);
        assert_eq!(read(&"'a'b ".repeat(100_000)).len(), 100_000);
    }
}
