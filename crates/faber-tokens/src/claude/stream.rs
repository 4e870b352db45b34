//! Marks word borders and case.

use std::ops::Range;

use super::case::Cased;
use super::classes::{
    RunClass, class, is_border_number, is_like_punctuation, is_number, is_selector, kind,
    may_be_stray,
};

// Markers are bytes that UTF-8 never contains.
const BOW: u8 = 0xff;
const EOW: u8 = 0xfe;
pub(super) const SHIFT: u8 = 0xfd;
pub(super) const CAPS: u8 = 0xfc;

const CONTRACTIONS: [&str; 7] = ["s", "t", "d", "m", "ll", "re", "ve"];

/// A begin of a word, which absorbs a space, may precede the text.
pub(super) fn stream(text: &str, caps: Option<usize>, after_begin: bool) -> Vec<u8> {
    let out = Vec::with_capacity(text.len() * 3 / 2);
    TokenWriter { text, runs: runs(text), caps, after_begin, out }.write()
}

#[derive(Clone, Debug)]
struct ByteRun {
    class: RunClass,
    at: Range<usize>,
}

/// Of one class, or of one kind of [`RunClass::Hard`].
fn runs(text: &str) -> Vec<ByteRun> {
    let mut runs: Vec<ByteRun> = Vec::new();
    let mut of = None;
    for (at, c) in text.char_indices() {
        let last = runs.last_mut();
        let own = class(c);
        let stray = own == RunClass::Word
            && may_be_stray(c)
            && last.as_ref().is_none_or(|last| last.class != RunClass::Word);
        let class = if stray { RunClass::Stray } else { own };
        let end = at + c.len_utf8();
        let own_kind = (class == RunClass::Hard).then(|| kind(c));
        match last {
            Some(last)
                if last.class == class
                    && (class != RunClass::Hard || is_selector(c) || own_kind == of) =>
            {
                last.at.end = end;
            }
            _ => {
                of = own_kind;
                runs.push(ByteRun { class, at: at..end });
            }
        }
    }
    runs
}

struct TokenWriter<'a> {
    text: &'a str,
    runs: Vec<ByteRun>,
    caps: Option<usize>,
    after_begin: bool,
    out: Vec<u8>,
}

impl TokenWriter<'_> {
    fn write(mut self) -> Vec<u8> {
        self.head();
        for at in 0..self.runs.len() {
            match self.runs[at].class {
                RunClass::Word => self.word(at),
                RunClass::Stray => {
                    self.begin(None);
                    self.body(at);
                    if self.class(at + 1) != Some(RunClass::Word) {
                        self.out.push(EOW);
                    }
                }
                _ => self.bordered(at),
            }
        }
        self.out
    }

    fn text(&self, at: usize) -> &str {
        &self.text[self.runs[at].at.clone()]
    }

    fn class(&self, at: usize) -> Option<RunClass> {
        self.runs.get(at).map(|run| run.class)
    }

    fn body(&mut self, at: usize) {
        self.out.extend_from_slice(&self.text.as_bytes()[self.runs[at].at.clone()]);
    }

    fn head(&mut self) {
        if !self.after_begin {
            return;
        }
        let quote = self.opens_word(0);
        let has_own = !quote
            && self.runs.first().is_some_and(|run| {
                let text = &self.text[run.at.clone()];
                match run.class {
                    RunClass::Word | RunClass::Punctuation | RunClass::Stray => true,
                    RunClass::Space => text.starts_with(' '),
                    RunClass::Digit | RunClass::Hard => begins_bordered(text),
                }
            });
        if !has_own {
            self.out.push(if quote { b' ' } else { BOW });
        }
    }

    fn begin(&mut self, case: Option<u8>) {
        if self.out.ends_with(&[EOW, b' ']) {
            self.out.pop();
        }
        self.out.extend(case);
        self.out.push(BOW);
    }

    fn word(&mut self, at: usize) {
        let joined = at > 0 && self.class(at - 1) == Some(RunClass::Stray);
        if joined || self.is_contraction(at) {
            self.body(at);
        } else {
            let Cased { marker, text } = Cased::new(self.text(at), self.caps);
            self.begin(marker);
            self.out.extend_from_slice(text.as_bytes());
        }
        self.out.push(EOW);
    }

    fn bordered(&mut self, at: usize) {
        let text = self.text(at);
        let punctuation = self.runs[at].class == RunClass::Punctuation;
        let numbers = matches!(self.runs[at].class, RunClass::Digit | RunClass::Hard);
        let left = punctuation || is_border_symbol(text.chars().next());
        let right = punctuation || is_border_symbol(text.chars().next_back());
        let (left, right) = if left || right {
            (left && !self.opens_word(at), right)
        } else {
            (numbers && begins_with_number(text), numbers && ends_with_number(text))
        };
        let (left, right) = (left && self.after_space(at), right && self.before_space(at));
        if left {
            self.begin(None);
        }
        self.body(at);
        if right {
            self.out.push(EOW);
        }
    }

    fn after_space(&self, at: usize) -> bool {
        match at.checked_sub(1) {
            None => self.after_begin,
            Some(before) => {
                self.runs[before].class == RunClass::Space && self.text(before).ends_with(' ')
            }
        }
    }

    fn before_space(&self, at: usize) -> bool {
        self.class(at + 1) == Some(RunClass::Space) && {
            let after = self.text(at + 1);
            after.starts_with(' ') && !after.starts_with("  ")
        }
    }

    fn opens_word(&self, at: usize) -> bool {
        matches!(self.class(at + 1), Some(RunClass::Word | RunClass::Stray)) && self.text(at) == "'"
    }

    fn is_contraction(&self, at: usize) -> bool {
        CONTRACTIONS.contains(&self.text(at))
            && at > 0
            && self.class(at - 1) == Some(RunClass::Punctuation)
            && self.text(at - 1) == "'"
            && at.checked_sub(2).is_none_or(|before| !self.has_right_border(before))
    }

    fn has_right_border(&self, at: usize) -> bool {
        let text = self.text(at);
        let class = self.runs[at].class;
        class == RunClass::Punctuation
            || is_border_symbol(text.chars().next_back())
            || (matches!(class, RunClass::Digit | RunClass::Hard) && ends_with_number(text))
    }
}

fn is_border_symbol(c: Option<char>) -> bool {
    c.is_some_and(|c| is_selector(c) || is_like_punctuation(c))
}

fn begins_with_number(text: &str) -> bool {
    is_number(text) && text.chars().next().is_some_and(is_border_number)
}

fn ends_with_number(text: &str) -> bool {
    is_number(text) && text.chars().next_back().is_some_and(is_border_number)
}

fn begins_bordered(text: &str) -> bool {
    is_border_symbol(text.chars().next()) || begins_with_number(text)
}
