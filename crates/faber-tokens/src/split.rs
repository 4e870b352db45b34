//! Splits text like the regular expressions of the encodings.
//!
//! `o200k_base`, in order:
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//! `cl100k_base`:
//! ```text
//! '(?i:[sdmt]|ll|ve|re)
//! [^\r\n\p{L}\p{N}]?+\p{L}++
//! \p{N}{1,3}+
//!  ?[^\s\p{L}\p{N}]++[\r\n]*+
//! \s++$
//! \s*[\r\n]
//! \s+(?!\S)
//! \s
//! ```

use crate::categories::{CharCategory, Properties};

const UPPER: u8 = 1;
const LOWER: u8 = 1 << 1;
/// `Lm` and `Lo`.
const PLAIN: u8 = 1 << 2;
const MARK: u8 = 1 << 3;
const NUMBER: u8 = 1 << 4;
const SPACE: u8 = 1 << 5;
const BREAK: u8 = 1 << 6;
const OTHER: u8 = 1 << 7;

const LETTER: u8 = UPPER | LOWER | PLAIN;
/// Start and continuation of a word in `o200k_base`.
const HEAD: u8 = UPPER | PLAIN | MARK;
const TAIL: u8 = LOWER | PLAIN | MARK;
const PREFIX: u8 = MARK | SPACE | OTHER;
const SYMBOL: u8 = MARK | OTHER;
const WHITE: u8 = SPACE | BREAK;

static ASCII: [u8; 128] = {
    let mut sets = [OTHER; 128];
    let mut at = 0_u8;
    while at < 128 {
        sets[at as usize] = match at {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            b'\r' | b'\n' => BREAK,
            b'\t' | 0x0b | 0x0c | b' ' => SPACE,
            _ => OTHER,
        };
        at += 1;
    }
    sets
};

fn set(c: char) -> u8 {
    match Properties::of(c).category() {
        CharCategory::Lu | CharCategory::Lt => UPPER,
        CharCategory::Ll => LOWER,
        CharCategory::Lm | CharCategory::Lo => PLAIN,
        CharCategory::Mn | CharCategory::Mc | CharCategory::Me => MARK,
        CharCategory::Nd | CharCategory::Nl | CharCategory::No => NUMBER,
        CharCategory::Zs | CharCategory::Zl | CharCategory::Zp => SPACE,
        _ if c == '\u{85}' => SPACE,
        _ => OTHER,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    O200k,
    Cl100k,
}

#[derive(Clone, Debug)]
pub(crate) struct Pieces<'a> {
    text: &'a str,
    at: usize,
    pattern: Pattern,
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(text: &'a str, pattern: Pattern) -> Self {
        Self { text, at: 0, pattern }
    }

    #[inline]
    fn look(&self, at: usize) -> Option<(u8, usize)> {
        let &byte = self.text.as_bytes().get(at)?;
        if let Some(&set) = ASCII.get(usize::from(byte)) {
            return Some((set, 1));
        }
        let c = self.text[at..].chars().next()?;
        Some((set(c), c.len_utf8()))
    }

    fn is(&self, at: usize, sets: u8) -> bool {
        self.look(at).is_some_and(|(set, _)| set & sets != 0)
    }

    #[inline]
    fn run(&self, mut at: usize, sets: u8) -> usize {
        while let Some((set, length)) = self.look(at)
            && set & sets != 0
        {
            at += length;
        }
        at
    }

    fn end(&self) -> usize {
        let start = self.at;
        let Some((set, length)) = self.look(start) else { return start };
        let word = match self.pattern {
            Pattern::O200k => self.word(start, set, length),
            Pattern::Cl100k => self.plain_word(start, set, length),
        };
        if let Some(end) = word {
            end
        } else if set == NUMBER {
            (1..3).fold(start + length, |at, _| match self.look(at) {
                Some((NUMBER, length)) => at + length,
                _ => at,
            })
        } else if set & SYMBOL != 0 {
            self.symbols(start)
        } else if self.text[start..].starts_with(' ') && self.is(start + 1, SYMBOL) {
            self.symbols(start + 1)
        } else {
            self.white(start)
        }
    }

    fn word(&self, start: usize, set: u8, length: usize) -> Option<usize> {
        let after = start + length;
        let starts =
            [(set & PREFIX != 0).then_some(after), (set & (HEAD | TAIL) != 0).then_some(start)];
        let starts = || starts.into_iter().flatten();
        let end = starts().find_map(|start| self.cased(start)).or_else(|| {
            starts()
                .map(|start| (start, self.run(start, UPPER)))
                .find_map(|(a, b)| (a < b).then_some(b))
        })?;
        Some(end + self.contraction(end))
    }

    fn cased(&self, start: usize) -> Option<usize> {
        let (mut at, mut last) = (start, None);
        while let Some((set, length)) = self.look(at)
            && set & HEAD != 0
        {
            at += length;
            if set & TAIL != 0 {
                last = Some(at);
            }
        }
        let end = self.run(at, TAIL);
        if end > at { Some(end) } else { last }
    }

    fn plain_word(&self, start: usize, set: u8, length: usize) -> Option<usize> {
        let contraction = self.contraction(start);
        let word = if set & PREFIX != 0 { start + length } else { start };
        let end = self.run(word, LETTER);
        if contraction > 0 { Some(start + contraction) } else { (end > word).then_some(end) }
    }

    /// Returns the length. `ſ` is a form of `s`.
    fn contraction(&self, at: usize) -> usize {
        let Some(after) = self.text.as_bytes()[at..].strip_prefix(b"'") else { return 0 };
        let lower = |at: usize| after.get(at).map(u8::to_ascii_lowercase);
        match (lower(0), lower(1)) {
            (Some(b's' | b't' | b'm' | b'd'), _) => 2,
            (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
            _ if after.starts_with("ſ".as_bytes()) => 3,
            _ => 0,
        }
    }

    fn symbols(&self, start: usize) -> usize {
        let mut at = self.run(start, SYMBOL);
        while let Some(&byte) = self.text.as_bytes().get(at)
            && (matches!(byte, b'\r' | b'\n') || (byte == b'/' && self.pattern == Pattern::O200k))
        {
            at += 1;
        }
        at
    }

    /// To the end, the last line break, or one character before the next piece.
    fn white(&self, start: usize) -> usize {
        let (mut at, mut last, mut line) = (start, start, None);
        while let Some((set, length)) = self.look(at)
            && set & WHITE != 0
        {
            last = at;
            at += length;
            if set == BREAK {
                line = Some(at);
            }
        }
        let at_end = at == self.text.len();
        match (line, self.pattern) {
            (Some(line), Pattern::O200k) => line,
            (Some(line), Pattern::Cl100k) if !at_end => line,
            _ if at_end || last == start => at,
            _ => last,
        }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.at == self.text.len() {
            return None;
        }
        let end = self.end();
        let piece = &self.text[self.at..end];
        self.at = end;
        Some(piece)
    }
}
