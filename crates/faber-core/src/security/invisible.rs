//! Invisible and deceptive characters: one finding per rule and line.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::chars;
use crate::diagnostic::{Diagnostic, Edit, Findings};
use crate::escape::clip;
use crate::rule::Rule;
use crate::rules::{
    bidi_control, control_character, invisible_character, mixed_script, unicode_tag,
    variation_selector_run, zero_width,
};
use crate::source::{FileId, Span};
use crate::unseen::{self, Event, RunKind};

use super::code::{self, Code};
use super::script::{Mixture, classify, symbol};

/// More in a line are no accident.
const MANY: usize = 4;
/// Enough in a line to carry text.
const MANY_SELECTORS: usize = 3;
/// More than any script uses.
const MANY_COMBINING: usize = 7;
const MAX_HIDDEN_BYTES: usize = 61;

#[derive(Default)]
struct Pending {
    first: Range<usize>,
    char: char,
    count: usize,
    longest: usize,
    hidden: Vec<u8>,
    edits: Vec<Edit>,
}

struct Reporter<'a, 'f> {
    file: FileId,
    text: &'a str,
    found: &'f mut Findings,
    pending: BTreeMap<&'static str, (&'static Rule, Pending)>,
    /// Latin, unless the text has real Cyrillic words.
    twins: Vec<(Range<usize>, char)>,
    cyrillic: bool,
    code: OnceCell<Code>,
    letters: OnceCell<BTreeSet<char>>,
}

pub(super) fn scan(file: FileId, text: &str, found: &mut Findings) {
    let (pending, twins) = (BTreeMap::new(), Vec::new());
    let (code, letters) = (OnceCell::new(), OnceCell::new());
    let mut reporter =
        Reporter { file, text, found, pending, twins, cyrillic: false, code, letters };
    unseen::walk(text, |event| match event {
        Event::Line => reporter.flush(),
        Event::Run(kind, run) => reporter.note(rule_of(kind), run),
        Event::Word(word) => reporter.word(word),
    });
    reporter.flush();
    if !reporter.cyrillic {
        for (word, char) in std::mem::take(&mut reporter.twins) {
            let code = u32::from(char);
            let what = format!("looks Latin and is Cyrillic: it begins with U+{code:04X}");
            reporter.disguised(word, &what, "write the word with Latin letters");
        }
    }
    reporter.carriage_returns();
}

fn rule_of(kind: RunKind) -> &'static Rule {
    match kind {
        RunKind::Bidi => &bidi_control::RULE,
        RunKind::Control => &control_character::RULE,
        RunKind::Invisible => &invisible_character::RULE,
        RunKind::ZeroWidth => &zero_width::RULE,
        RunKind::Tag => &unicode_tag::RULE,
        RunKind::Selectors => &variation_selector_run::RULE,
    }
}

impl Reporter<'_, '_> {
    fn word(&mut self, word: Range<usize>) {
        self.piled_up(&word);
        // Bytes that are no text.
        let (before, after) = (&self.text[..word.start], &self.text[word.end..]);
        if before.ends_with('\u{fffd}') || after.starts_with('\u{fffd}') {
            return;
        }
        match classify(&self.text[word.clone()]) {
            Mixture::Mixed { .. } if self.is_symbol(&word) => {}
            Mixture::Mixed { foreign, script } => {
                let what = format!("mixes scripts: U+{:04X} is {script}", u32::from(foreign));
                self.disguised(word, &what, "write the whole word in one script");
            }
            Mixture::Twin(char) => self.twins.push((word, char)),
            Mixture::Cyrillic => self.cyrillic = true,
            Mixture::None => {}
        }
    }

    /// `γfit` in a program that also has `γ` alone.
    fn is_symbol(&self, word: &Range<usize>) -> bool {
        let Some(letter) = symbol(&self.text[word.clone()]) else { return false };
        let alone = self.letters.get_or_init(|| {
            let words = self.text.split(|char: char| !char.is_alphanumeric() && char != '_');
            let letter = |word| symbol(word).filter(|it| it.len_utf8() == word.len());
            words.filter_map(letter).collect()
        });
        alone.contains(&letter) && self.code.get_or_init(|| Code::new(self.text)).fenced(word.start)
    }

    fn piled_up(&mut self, word: &Range<usize>) {
        let (mut run, mut count) = (word.start, 0);
        let (mut letters, mut marks) = (0, 0);
        for (offset, char) in self.text[word.clone()].char_indices() {
            if !chars::is_combining(char) {
                count = 0;
                letters += 1;
                continue;
            }
            marks += 1;
            if count == 0 {
                run = word.start + offset;
            }
            count += 1;
            if count == MANY_COMBINING || (marks > MANY_COMBINING && marks > 2 * letters) {
                let message = format!("{marks} marks on {letters} letters");
                let span = Span::new(self.file, run, word.start + offset + char.len_utf8());
                let found = invisible_character::RULE.at(span, message);
                return self.found.push(found.help("write the letter alone"));
            }
        }
    }

    fn disguised(&mut self, word: Range<usize>, what: &str, help: &str) {
        let span = Span::new(self.file, word.start, word.end);
        let message = format!("`{}` {what}", clip(&self.text[word]));
        self.found.push(mixed_script::RULE.at(span, message).help(help));
    }

    fn note(&mut self, rule: &'static Rule, run: Range<usize>) {
        let text = &self.text[run.clone()];
        let Some(char) = text.chars().next() else { return };
        let begin = || (rule, Pending { first: run.clone(), char, ..Pending::default() });
        let (_, pending) = self.pending.entry(rule.code).or_insert_with(begin);
        let count = text.chars().count();
        pending.count += count;
        pending.longest = pending.longest.max(count);
        // In code it may be intended, or separate backticks.
        let around =
            (self.text[..run.start].chars().next_back(), self.text[run.end..].chars().next());
        let is_mark = |char: Option<char>| matches!(char, Some('`' | '~'));
        let is_content = [&zero_width::RULE, &invisible_character::RULE].contains(&rule)
            && (is_mark(around.0) || is_mark(around.1) || code::in_span(self.text, run.start));
        let room = MAX_HIDDEN_BYTES.saturating_sub(pending.hidden.len());
        pending.hidden.extend(text.chars().filter_map(chars::hidden_byte).take(room));
        let spaced = text.contains(['\u{2028}', '\u{2029}']);
        let replacement = if spaced { " ".to_owned() } else { String::new() };
        if !is_content {
            let span = Span::new(self.file, run.start, run.end);
            pending.edits.push(Edit { span, replacement });
        }
    }

    fn flush(&mut self) {
        for (mut rule, pending) in std::mem::take(&mut self.pending).into_values() {
            let run = pending.longest >= 2;
            let few = !run && pending.count < MANY_SELECTORS;
            if rule == &variation_selector_run::RULE && few {
                rule = &invisible_character::RULE;
            }
            let grave = rule == &zero_width::RULE && (run || pending.count >= MANY);
            let finding = report(self.file, rule, pending);
            self.found.push(if grave { finding.exceptional() } else { finding });
        }
    }

    /// A terminal would overwrite earlier output.
    fn carriage_returns(&mut self) {
        let bytes = self.text.as_bytes();
        let stray = |&at: &usize| bytes.get(at + 1) != Some(&b'\n');
        let mut stray = memchr::memchr_iter(b'\r', bytes).filter(stray);
        let Some(first) = stray.next() else { return };
        let span = Span::new(self.file, first, first + 1);
        let count = 1 + stray.count();
        let comma = if count > 1 { "," } else { "" };
        let message = format!("{}{comma} without a line feed after it", counted('\r', count));
        self.found.push(
            control_character::RULE
                .at(span, message)
                .help("end lines with a line feed, and delete the carriage returns"),
        );
    }
}

fn counted(char: char, count: usize) -> String {
    let name = chars::name(char);
    match count {
        1 => format!("`{name}`"),
        _ => format!("{count} characters, the first `{name}`"),
    }
}

fn report(file: FileId, rule: &'static Rule, pending: Pending) -> Diagnostic {
    let characters = counted(pending.char, pending.count);
    let is_one = pending.count == 1;
    let mut message = if rule == &control_character::RULE {
        format!("{characters}: texts must not contain control codes")
    } else if rule == &bidi_control::RULE {
        let verb = if is_one { " changes" } else { ", change" };
        format!("{characters}{verb} the order in which the line is shown")
    } else if is_one {
        format!("invisible character {characters}")
    } else {
        characters.replacen("characters", "invisible characters", 1)
    };
    let carrier = rule == &unicode_tag::RULE || rule == &variation_selector_run::RULE;
    let hidden = String::from_utf8_lossy(&pending.hidden);
    let hidden = hidden.trim_end_matches('\u{fffd}');
    let is_text = |char: char| !char.is_control() && char != '\u{fffd}';
    if carrier && !hidden.is_empty() && hidden.chars().all(is_text) {
        let verb = if is_one { " hides" } else { ", hide" };
        message = format!("{characters}{verb} the text `{}`", clip(hidden));
    }
    let span = Span::new(file, pending.first.start, pending.first.end);
    let mut diagnostic = rule.at(span, message);
    if rule == &control_character::RULE {
        return diagnostic.help("delete it, or write its name, such as `U+001B`");
    }
    diagnostic.fix = pending.edits;
    diagnostic.help(if is_one { "delete the character" } else { "delete the characters" })
}
