//! Characters that cannot be seen, and words whose letters are not what they seem.
//!
//! Most bytes of a workspace are plain ASCII; they are skipped in blocks. What is found in one line
//! under one rule has one cause and is one finding, whose fix fixes all of it.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diagnostic::{Diagnostic, Edit, Findings};
use crate::rule::Rule;
use crate::rules::{
    bidi_control, control_character, invisible_character, mixed_script, unicode_tag,
    variation_selector_run, zero_width,
};
use crate::source::{FileId, Span};

use super::chars::{self, Kind};
use super::script::{Mixture, judge};
use super::shown;

/// How many bytes are looked at together while nothing special is among them.
const BLOCK: usize = 64;
/// As many of one kind in a line, next to each other or not, are no slip.
const MANY: usize = 4;
/// As many misplaced variation selectors in a line carry text.
const MANY_SELECTORS: usize = 3;
/// As many characters of private use in a row are no icon.
const MANY_PRIVATE: usize = 4;
/// More marks on one letter than any script has.
const MANY_COMBINING: usize = 7;
/// How much of a hidden text is kept, in bytes.
const KEPT: usize = 61;

/// Whether a byte begins something that is looked at closely. Carriage returns are not: there is
/// one in each line of some files, and they are counted elsewhere.
fn is_special(byte: u8) -> bool {
    byte >= 0x7f || (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c))
}

/// The next byte from `at` on that is special.
fn next_special(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(block) = bytes.get(at..at + BLOCK) {
        // Without an early exit, so that the compiler looks at many bytes at once.
        if block.iter().fold(false, |any, &byte| any | is_special(byte)) {
            break;
        }
        at += BLOCK;
    }
    bytes[at..].iter().position(|&byte| is_special(byte)).map(|offset| at + offset)
}

/// What was found in the current line under one rule.
struct Pending {
    first: (usize, usize),
    char: char,
    /// Characters.
    count: usize,
    /// Characters in the longest run.
    longest: usize,
    hidden: Vec<u8>,
    edits: Vec<Edit>,
    /// Whether one of them does something on a terminal.
    acts: bool,
}

/// The pass over one text.
pub(super) struct Walk<'a, 'f> {
    file: FileId,
    text: &'a str,
    found: &'f mut Findings,
    /// What the line has so far, by rule.
    pending: BTreeMap<&'static str, (&'static Rule, Pending)>,
    line: (usize, usize),
    right_to_left: Option<bool>,
    /// Whether every isolate of the line is closed in it, in a line from right to left.
    isolated: Option<bool>,
    /// The runs that were found, where nothing but those is asked for.
    runs: Option<Vec<Range<usize>>>,
    /// Words that may be Latin in disguise, unless the text has words that are truly Cyrillic.
    twins: Vec<(usize, usize, char)>,
    cyrillic: bool,
}

/// Scans `text`.
pub(super) fn scan(file: FileId, text: &str, found: &mut Findings) {
    let mut walk = Walk {
        file,
        text,
        found,
        pending: BTreeMap::new(),
        line: (0, 0),
        right_to_left: None,
        isolated: None,
        runs: None,
        twins: Vec::new(),
        cyrillic: false,
    };
    walk.run();
    walk.carriage_returns();
}

/// The runs of `text` that cannot be seen, in order.
pub(super) fn runs(text: &str) -> Vec<Range<usize>> {
    if next_special(text.as_bytes(), 0).is_none() {
        return Vec::new();
    }
    let mut walk = Walk {
        file: FileId::NONE,
        text,
        found: &mut Findings::default(),
        pending: BTreeMap::new(),
        line: (0, 0),
        right_to_left: None,
        isolated: None,
        runs: Some(Vec::new()),
        twins: Vec::new(),
        cyrillic: false,
    };
    walk.run();
    walk.runs.unwrap_or_default()
}

impl Walk<'_, '_> {
    fn run(&mut self) {
        let mut at = if self.text.starts_with('\u{feff}') { 3 } else { 0 };
        // Where the last word ended, so that no word is read twice.
        let mut floor = at;
        while let Some(start) = next_special(self.text.as_bytes(), at) {
            if start >= self.line.1 {
                self.enter_line(start);
            }
            let Some(char) = self.text[start..].chars().next() else { break };
            at = start + char.len_utf8();
            match chars::kind(char) {
                Kind::Ordinary if is_letter(char) => {
                    at = self.word(floor, start);
                    floor = at;
                }
                Kind::Ordinary => {}
                kind => {
                    let same = |char: &char| chars::kind(*char) == kind;
                    at +=
                        self.text[at..].chars().take_while(same).map(char::len_utf8).sum::<usize>();
                    self.judge(kind, char, (start, at));
                }
            }
        }
        self.flush();
        if !self.cyrillic {
            for (start, end, char) in std::mem::take(&mut self.twins) {
                self.twin(start, end, char);
            }
        }
    }

    /// Begins the line that holds the byte at `offset`.
    fn enter_line(&mut self, offset: usize) {
        self.flush();
        let bytes = self.text.as_bytes();
        let from = self.line.1;
        let start = memchr::memrchr(b'\n', &bytes[from..offset]).map_or(from, |at| from + at + 1);
        let end = memchr::memchr(b'\n', &bytes[offset..]).map_or(bytes.len(), |at| offset + at + 1);
        self.line = (start, end);
        self.right_to_left = None;
        self.isolated = None;
    }

    /// Unicode advises to put Latin letters of such a line between isolates.
    fn isolated(&mut self) -> bool {
        let right_to_left = self.right_to_left();
        let line = &self.text[self.line.0..self.line.1];
        *self.isolated.get_or_insert_with(|| right_to_left && balanced(line))
    }

    fn right_to_left(&mut self) -> bool {
        let line = &self.text[self.line.0..self.line.1];
        *self.right_to_left.get_or_insert_with(|| line.chars().any(chars::is_right_to_left))
    }

    /// Reads the word around the letter at `at` and returns where it ends.
    fn word(&mut self, floor: usize, at: usize) -> usize {
        let bytes = &self.text.as_bytes()[floor..at];
        let letters = bytes.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let start = at - letters;
        let rest = self.text[at..].chars().take_while(|&char| is_letter(char));
        let end = at + rest.map(char::len_utf8).sum::<usize>();
        if self.runs.is_some() {
            return end;
        }
        self.piled_up(start, end);
        match judge(&self.text[start..end]) {
            Mixture::Mixed { foreign, script } => {
                let word = shown(&self.text[start..end]);
                let message =
                    format!("`{word}` mixes scripts: U+{:04X} is {script}", u32::from(foreign));
                self.found.push(
                    mixed_script::RULE
                        .at(Span::new(self.file, start, end), message)
                        .help("write the whole word in one script"),
                );
            }
            Mixture::Twin(char) => self.twins.push((start, end, char)),
            Mixture::Cyrillic => self.cyrillic = true,
            Mixture::None => {}
        }
        end
    }

    /// Finds letters under more marks than can be told apart, which hide them and carry text.
    fn piled_up(&mut self, start: usize, end: usize) {
        let (mut run, mut count) = (start, 0);
        let (mut letters, mut marks) = (0, 0);
        for (offset, char) in self.text[start..end].char_indices() {
            if !chars::is_combining(char) {
                count = 0;
                letters += 1;
                continue;
            }
            marks += 1;
            if count == 0 {
                run = start + offset;
            }
            count += 1;
            if count == MANY_COMBINING || (marks > MANY_COMBINING && marks > 2 * letters) {
                let message = format!("{marks} marks on {letters} letters");
                let span = Span::new(self.file, run, start + offset + char.len_utf8());
                let found = invisible_character::RULE.at(span, message);
                return self.found.push(found.help("write the letter alone"));
            }
        }
    }

    fn twin(&mut self, start: usize, end: usize, char: char) {
        let word = shown(&self.text[start..end]);
        let message = format!(
            "`{word}` looks Latin and is Cyrillic: it begins with U+{:04X}",
            u32::from(char)
        );
        self.found.push(
            mixed_script::RULE
                .at(Span::new(self.file, start, end), message)
                .help("write the word with Latin letters"),
        );
    }

    /// Decides what a run of characters of one kind is.
    fn judge(&mut self, kind: Kind, first: char, run: (usize, usize)) {
        let count = self.text[run.0..run.1].chars().count();
        let before = self.text[..run.0].chars().next_back();
        let after = self.text[run.1..].chars().next();
        let rule = match kind {
            Kind::Ordinary => return,
            Kind::Bidi
                if self.text[run.0..run.1].chars().all(chars::is_isolate) && self.isolated() =>
            {
                return;
            }
            Kind::Bidi => &bidi_control::RULE,
            Kind::Control => &control_character::RULE,
            Kind::Mark if count < 3 && self.right_to_left() => return,
            Kind::Mark if count < 3 => &invisible_character::RULE,
            Kind::ZeroWidth if count == 1 && joiner_is_fine(first, before, after) => return,
            Kind::Mark | Kind::ZeroWidth => &zero_width::RULE,
            Kind::Tag if is_flag(before, &self.text[run.0..run.1]) => return,
            Kind::Tag => &unicode_tag::RULE,
            Kind::Selector
                if count == 1 && before.is_some_and(|char| chars::can_vary(char, first)) =>
            {
                return;
            }
            Kind::Selector => &variation_selector_run::RULE,
            Kind::Invisible => return self.invisible(run),
            Kind::Private if count < MANY_PRIVATE => return,
            Kind::Private => &invisible_character::RULE,
        };
        self.note(rule, run);
    }

    /// A run of characters each of which has its own place where it is fine.
    fn invisible(&mut self, run: (usize, usize)) {
        let text = self.text;
        let mut bad: Option<(usize, usize)> = None;
        for (offset, char) in text[run.0..run.1].char_indices() {
            let (start, end) = (run.0 + offset, run.0 + offset + char.len_utf8());
            if is_at_home(char, &text[..start], &text[end..]) {
                continue;
            }
            match &mut bad {
                Some(bad) if bad.1 == start => bad.1 = end,
                _ => {
                    if let Some(bad) = bad.replace((start, end)) {
                        self.note(&invisible_character::RULE, bad);
                    }
                }
            }
        }
        if let Some(bad) = bad {
            self.note(&invisible_character::RULE, bad);
        }
    }

    fn note(&mut self, rule: &'static Rule, run: (usize, usize)) {
        let text = &self.text[run.0..run.1];
        let Some(char) = text.chars().next() else { return };
        if let Some(runs) = &mut self.runs {
            return runs.push(run.0..run.1);
        }
        let (_, pending) = self.pending.entry(rule.code).or_insert_with(|| {
            let (hidden, edits) = (Vec::new(), Vec::new());
            (rule, Pending { first: run, char, count: 0, longest: 0, hidden, edits, acts: false })
        });
        let count = text.chars().count();
        pending.count += count;
        pending.longest = pending.longest.max(count);
        pending.acts |= text.chars().any(acts);
        let room = KEPT.saturating_sub(pending.hidden.len());
        pending.hidden.extend(text.chars().filter_map(chars::hidden_byte).take(room));
        // Separators stand between lines and words, so a space keeps those apart.
        let spaced = text.contains(['\u{2028}', '\u{2029}']);
        let replacement = if spaced { " ".to_owned() } else { String::new() };
        pending.edits.push(Edit { span: Span::new(self.file, run.0, run.1), replacement });
    }

    /// Turns what the line has into findings.
    fn flush(&mut self) {
        for (mut rule, pending) in std::mem::take(&mut self.pending).into_values() {
            let run = pending.longest >= 2;
            let few = !run && pending.count < MANY_SELECTORS;
            if rule == &variation_selector_run::RULE && few {
                rule = &invisible_character::RULE;
            }
            let grave = rule == &zero_width::RULE && (run || pending.count >= MANY);
            let harmless = rule == &control_character::RULE && !pending.acts;
            let finding = report(self.file, rule, pending);
            self.found.push(if grave || harmless { finding.exceptional() } else { finding });
        }
    }

    /// Finds carriage returns that end no line: they let a terminal write over what it has shown.
    fn carriage_returns(&mut self) {
        let bytes = self.text.as_bytes();
        let stray = |&at: &usize| bytes.get(at + 1) != Some(&b'\n');
        let mut stray = memchr::memchr_iter(b'\r', bytes).filter(stray);
        let Some(first) = stray.next() else { return };
        let span = Span::new(self.file, first, first + 1);
        let count = 1 + stray.count();
        let message = format!("{} without a line feed after it", counted('\r', count));
        self.found.push(
            control_character::RULE
                .at(span, message)
                .help("end lines with a line feed, and delete the carriage returns"),
        );
    }
}

/// Whether a control code does something on a terminal, or ends a text in some program; the rest are
/// leftovers of old protocols.
fn acts(char: char) -> bool {
    !matches!(char, '\u{1}'..='\u{6}' | '\u{10}'..='\u{1a}' | '\u{1c}'..='\u{1f}')
}

/// Whether `char` belongs into a word.
fn is_letter(char: char) -> bool {
    char.is_alphabetic() || (chars::is_combining(char) && char != '\u{34f}')
}

/// Whether one character without width is where its script or an emoji needs it.
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

/// Whether every isolate of `line` ends in it.
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

/// Parts of the United States and of Canada, as ISO 3166-2 has them.
const STATES: &str = "al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt \
    ne nv nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc";
const PROVINCES: &str = "ab bc mb nb nl ns nt nu on pe qc sk yt";

/// Whether tag characters complete the flag of a part of a country that has one as an emoji.
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

/// Whether a character that cannot be seen has work to do between `before` and `after`.
fn is_at_home(char: char, before: &str, after: &str) -> bool {
    let last = before.chars().next_back();
    let next = after.chars().next();
    let letters = |text: &mut dyn Iterator<Item = char>| {
        text.take(2).filter(|char| char.is_alphabetic()).count() == 2
    };
    match char {
        // A soft hyphen stands between syllables.
        '\u{ad}' => letters(&mut before.chars().rev()) && letters(&mut after.chars()),
        // Hebrew orders its points with it.
        '\u{34f}' => last.is_some_and(|char| matches!(char, '\u{591}'..='\u{5c7}')),
        // Fillers stand for the missing half of a Korean syllable.
        '\u{115f}' => next.is_some_and(|char| matches!(char, '\u{1161}'..='\u{11a7}')),
        '\u{1160}' => last.is_some_and(|char| matches!(char, '\u{1100}'..='\u{115e}')),
        // Operators of mathematics, between terms and not inside of a word.
        '\u{2061}'..='\u{2064}' => {
            !(letters(&mut before.chars().rev()) && letters(&mut after.chars()))
                && next.is_some_and(|char| {
                    char.is_alphanumeric() || matches!(char, '(' | ' ' | '[' | ',')
                })
        }
        // Egyptian signs are put on top of each other with them.
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

/// `U+200B ZERO WIDTH SPACE`, with how many more there are.
fn counted(char: char, count: usize) -> String {
    let name = chars::name(char);
    match count {
        1 => format!("`{name}`"),
        _ => format!("{count} characters from `{name}` on"),
    }
}

fn report(file: FileId, rule: &'static Rule, pending: Pending) -> Diagnostic {
    let what = if rule == &control_character::RULE {
        "a control code has no place in a text"
    } else if rule == &bidi_control::RULE {
        "changes the order in which the line is shown"
    } else {
        "cannot be seen"
    };
    let mut message = format!("{}: {what}", counted(pending.char, pending.count));
    let carrier = rule == &unicode_tag::RULE || rule == &variation_selector_run::RULE;
    if carrier && !pending.hidden.is_empty() {
        let hidden: String = pending.hidden.iter().map(|&byte| char::from(byte)).collect();
        message =
            format!("{} hide a text: `{}`", counted(pending.char, pending.count), shown(&hidden));
    }
    let span = Span::new(file, pending.first.0, pending.first.1);
    let mut diagnostic = rule.at(span, message);
    if rule == &control_character::RULE {
        return diagnostic.help("delete it, or write its name, such as `U+001B`");
    }
    diagnostic.fix = pending.edits;
    diagnostic.help("delete what cannot be seen")
}
