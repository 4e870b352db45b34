//! Invisible and display-changing characters, unless emoji or scripts need them.

use std::ops::Range;

use crate::chars::{self, CharKind};

const BLOCK: usize = 64;
/// Fewer may be an icon.
const MANY_PRIVATE: usize = 4;

pub(crate) enum Event {
    Line,
    Run(RunKind, Range<usize>),
    Word(Range<usize>),
}

#[derive(Clone, Copy)]
pub(crate) enum RunKind {
    Bidi,
    Control,
    Invisible,
    ZeroWidth,
    Tag,
    Selectors,
}

pub(crate) fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    walk(text, |event| {
        if let Event::Run(_, run) = event {
            runs.push(run);
        }
    });
    runs
}

pub(crate) fn walk(text: &str, on: impl FnMut(Event)) {
    if next_special(text.as_bytes(), 0).is_some() {
        Walk { text, on, line: 0..0, right_to_left: None, isolated: None }.run();
    }
}

fn is_special(byte: u8) -> bool {
    byte >= 0x7f || (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c))
}

fn next_special(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(block) = bytes.get(at..at + BLOCK) {
        // For vectorization, no early exit.
        if block.iter().fold(false, |any, &byte| any | is_special(byte)) {
            break;
        }
        at += BLOCK;
    }
    bytes[at..].iter().position(|&byte| is_special(byte)).map(|offset| at + offset)
}

struct Walk<'a, F> {
    text: &'a str,
    on: F,
    line: Range<usize>,
    right_to_left: Option<bool>,
    /// If right to left, whether all isolates are closed.
    isolated: Option<bool>,
}

impl<F: FnMut(Event)> Walk<'_, F> {
    fn run(&mut self) {
        let mut at = if self.text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut floor = at;
        while let Some(start) = next_special(self.text.as_bytes(), at) {
            if start >= self.line.end {
                self.enter_line(start);
            }
            let Some(char) = self.text[start..].chars().next() else { break };
            at = start + char.len_utf8();
            match chars::kind(char) {
                CharKind::Ordinary if is_letter(char) => {
                    let word = self.word(floor, start);
                    at = word.end;
                    floor = at;
                    (self.on)(Event::Word(word));
                }
                CharKind::Ordinary => {}
                kind => {
                    let same = |char: &char| chars::kind(*char) == kind;
                    at +=
                        self.text[at..].chars().take_while(same).map(char::len_utf8).sum::<usize>();
                    self.classify(kind, char, start..at);
                }
            }
        }
    }

    fn enter_line(&mut self, offset: usize) {
        let bytes = self.text.as_bytes();
        let from = self.line.end;
        let start = memchr::memrchr(b'\n', &bytes[from..offset]).map_or(from, |at| from + at + 1);
        let end = memchr::memchr(b'\n', &bytes[offset..]).map_or(bytes.len(), |at| offset + at + 1);
        self.line = start..end;
        self.right_to_left = None;
        self.isolated = None;
        (self.on)(Event::Line);
    }

    fn isolated(&mut self) -> bool {
        let right_to_left = self.right_to_left();
        let line = &self.text[self.line.clone()];
        *self.isolated.get_or_insert_with(|| right_to_left && balanced(line))
    }

    fn right_to_left(&mut self) -> bool {
        let line = &self.text[self.line.clone()];
        *self.right_to_left.get_or_insert_with(|| line.chars().any(chars::is_right_to_left))
    }

    fn word(&self, floor: usize, at: usize) -> Range<usize> {
        let bytes = &self.text.as_bytes()[floor..at];
        let letters = bytes.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let rest = self.text[at..].chars().take_while(|&char| is_letter(char));
        at - letters..at + rest.map(char::len_utf8).sum::<usize>()
    }

    fn classify(&mut self, kind: CharKind, first: char, run: Range<usize>) {
        let text = &self.text[run.clone()];
        let count = text.chars().count();
        let before = self.text[..run.start].chars().next_back();
        let after = self.text[run.end..].chars().next();
        let is_isolate = |char| matches!(char, '\u{2066}'..='\u{2069}');
        let varies = || before.is_some_and(|char| chars::can_vary(char, first));
        let kind = match kind {
            CharKind::Ordinary => return,
            CharKind::Bidi if text.chars().all(is_isolate) && self.isolated() => return,
            CharKind::Bidi => RunKind::Bidi,
            CharKind::Control => RunKind::Control,
            CharKind::Mark if count < 3 && self.right_to_left() => return,
            CharKind::Mark if count < 3 => RunKind::Invisible,
            CharKind::ZeroWidth if count == 1 && joiner_is_fine(first, before, after) => return,
            CharKind::Mark | CharKind::ZeroWidth => RunKind::ZeroWidth,
            CharKind::Tag if is_flag(before, text) => return,
            CharKind::Tag => RunKind::Tag,
            CharKind::Selector if count == 1 && varies() => return,
            CharKind::Selector if repeats(text) && varies() => {
                return self.hidden(run.start + first.len_utf8()..run.end);
            }
            CharKind::Selector => RunKind::Selectors,
            CharKind::Invisible => return self.invisible(run),
            CharKind::Private if count < MANY_PRIVATE => return,
            CharKind::Private => RunKind::Invisible,
        };
        (self.on)(Event::Run(kind, run));
    }

    fn invisible(&mut self, run: Range<usize>) {
        let text = self.text;
        let mut bad: Option<Range<usize>> = None;
        for (offset, char) in text[run.clone()].char_indices() {
            let (start, end) = (run.start + offset, run.start + offset + char.len_utf8());
            if is_at_home(char, &text[..start], &text[end..]) {
                continue;
            }
            match &mut bad {
                Some(bad) if bad.end == start => bad.end = end,
                _ => {
                    if let Some(bad) = bad.replace(start..end) {
                        self.hidden(bad);
                    }
                }
            }
        }
        if let Some(bad) = bad {
            self.hidden(bad);
        }
    }

    fn hidden(&mut self, run: Range<usize>) {
        (self.on)(Event::Run(RunKind::Invisible, run));
    }
}

fn is_letter(char: char) -> bool {
    char.is_alphabetic() || (chars::is_combining(char) && char != '\u{34f}')
}

fn joiner_is_fine(char: char, before: Option<char>, after: Option<char>) -> bool {
    let is = |side: Option<char>, test: fn(char) -> bool| side.is_some_and(test);
    match char {
        '\u{200d}' | '\u{200c}' if is(before, chars::joins) || is(after, chars::joins) => true,
        '\u{200d}' => {
            let ends_emoji = |char| {
                chars::is_emoji(char) || matches!(char, '\u{fe0e}' | '\u{fe0f}' | '\u{e007f}')
            };
            is(before, ends_emoji) && is(after, chars::is_emoji)
        }
        '\u{200b}' => is(before, chars::lacks_spaces) || is(after, chars::lacks_spaces),
        _ => false,
    }
}

fn repeats(selectors: &str) -> bool {
    ["\u{fe0e}", "\u{fe0f}"].iter().any(|one| (2..=3).any(|times| selectors == one.repeat(times)))
}

fn balanced(line: &str) -> bool {
    let mut open = 0usize;
    for char in line.chars() {
        match char {
            '\u{2066}'..='\u{2068}' => open += 1,
            '\u{2069}' if open == 0 => return false,
            '\u{2069}' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// ISO 3166-2.
const STATES: &str = "al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt \
    ne nv nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc";
const PROVINCES: &str = "ab bc mb nb nl ns nt nu on pe qc sk yt";

fn is_flag(before: Option<char>, tags: &str) -> bool {
    let Some(tags) = tags.strip_suffix('\u{e007f}') else { return false };
    let plain: String = tags.chars().filter_map(chars::hidden_byte).map(char::from).collect();
    let part_of = |country: &str, parts: &str| {
        let part = plain.strip_prefix(country);
        part.is_some_and(|part| parts.split_whitespace().any(|one| one == part))
    };
    before == Some('\u{1f3f4}')
        && (part_of("gb", "eng sct wls nir") || part_of("us", STATES) || part_of("ca", PROVINCES))
}

fn is_at_home(char: char, before: &str, after: &str) -> bool {
    let last = before.chars().next_back();
    let next = after.chars().next();
    let letters = |text: &mut dyn Iterator<Item = char>| {
        text.take(2).filter(|char| char.is_alphabetic()).count() == 2
    };
    match char {
        '\u{ad}' => letters(&mut before.chars().rev()) && letters(&mut after.chars()),
        // Orders Hebrew points.
        '\u{34f}' => last.is_some_and(|char| matches!(char, '\u{591}'..='\u{5c7}')),
        // Replace the missing half of a Korean syllable.
        '\u{115f}' => next.is_some_and(|char| matches!(char, '\u{1161}'..='\u{11a7}')),
        '\u{1160}' => last.is_some_and(|char| matches!(char, '\u{1100}'..='\u{115e}')),
        '\u{2061}'..='\u{2064}' => {
            !(letters(&mut before.chars().rev()) && letters(&mut after.chars()))
                && next.is_some_and(|char| {
                    char.is_alphanumeric() || matches!(char, '(' | ' ' | '[' | ',')
                })
        }
        // Joins Egyptian hieroglyphs.
        '\u{13430}'..='\u{1343f}' => {
            last.is_some_and(|char| matches!(char, '\u{13000}'..='\u{1345f}'))
        }
        '\u{180b}'..='\u{180f}' => last.is_some_and(|char| matches!(char, '\u{1820}'..='\u{18aa}')),
        '\u{2800}' => {
            let braille = |char| matches!(char, '\u{2801}'..='\u{28ff}');
            last.is_some_and(braille) || next.is_some_and(braille)
        }
        _ => false,
    }
}
