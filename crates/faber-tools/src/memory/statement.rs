use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::language::{self, Unit, WordKind};
use faber_core::markdown;
use faber_core::terms::pieces::stem_of;
use faber_core::terms::words::{Normalizer, words};

const ABBREVIATIONS: [&str; 13] =
    ["approx", "bzw", "ca", "cf", "d.h", "e.g", "etc", "i.e", "incl", "resp", "usw", "vs", "z.b"];
const MAX_WORDS: usize = 80;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Writing {
    #[default]
    Document,
    /// Sentences end with lines; quotations are by others.
    Chat,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub text: String,
    pub at: usize,
    pub is_row: bool,
    pub is_cell: bool,
}

pub(super) fn sentences(text: &str, writing: Writing) -> Vec<Sentence> {
    let mut reader = SentenceReader { writing, ..SentenceReader::default() };
    let text = markdown::separate_tags(text);
    for (event, bytes) in Parser::new_ext(&text, markdown::options()).into_offset_iter() {
        reader.event(event, &bytes);
    }
    reader.end_block();
    reader.found
}

#[derive(Default)]
struct SentenceReader {
    writing: Writing,
    silent: usize,
    block: String,
    at: usize,
    header: Vec<String>,
    cell: usize,
    cells: Vec<usize>,
    is_header: bool,
    is_row: bool,
    found: Vec<Sentence>,
}

impl SentenceReader {
    fn event(&mut self, event: Event<'_>, bytes: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, bytes),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) if self.silent == 0 => self.add(&text, bytes),
            Event::SoftBreak | Event::HardBreak if self.silent == 0 => match self.writing {
                Writing::Document => self.block.push(' '),
                Writing::Chat => self.end_block(),
            },
            _ => {}
        }
    }

    fn add(&mut self, text: &str, bytes: &Range<usize>) {
        if self.block.trim().is_empty() {
            self.at = bytes.start;
        }
        self.block.push_str(text);
    }

    fn is_silent(&self, tag: &Tag<'_>) -> bool {
        match tag {
            Tag::BlockQuote(_) => self.writing == Writing::Chat,
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => true,
            tag => matches!(tag, Tag::Heading { .. }),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, bytes: &Range<usize>) {
        if self.silent > 0 || self.is_silent(tag) {
            self.end_block();
            self.silent += 1;
            return;
        }
        match tag {
            Tag::Paragraph | Tag::Item | Tag::List(_) => self.end_block(),
            Tag::TableRow => {
                self.end_block();
                self.is_row = true;
            }
            Tag::TableHead => {
                self.end_block();
                (self.is_header, self.header) = (true, Vec::new());
            }
            Tag::TableCell if !self.is_header => {
                let head = self.header.get(self.cell).cloned().unwrap_or_default();
                self.cells.push(self.block.len());
                self.add(&format!(" {head} "), bytes);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if self.silent > 0 {
            self.silent -= 1;
            return;
        }
        match tag {
            TagEnd::TableCell if self.is_header => {
                self.header.push(std::mem::take(&mut self.block));
            }
            TagEnd::TableCell => self.cell += 1,
            TagEnd::TableHead => (self.is_header, self.cell) = (false, 0),
            TagEnd::Paragraph | TagEnd::Item => self.end_block(),
            TagEnd::TableRow => self.end_row(),
            _ => {}
        }
    }

    fn end_row(&mut self) {
        let (row, cells) = (self.block.clone(), std::mem::take(&mut self.cells));
        self.end_block();
        (self.cell, self.is_row) = (0, false);
        if self.writing == Writing::Chat || cells.len() < 3 {
            return;
        }
        let ends = cells[2..].iter().copied().chain([row.len()]);
        for (start, end) in cells[1..].iter().zip(ends) {
            let text = format!("{}{}", &row[..cells[1]], &row[*start..end]);
            let text = markdown::collapse(text.trim());
            self.found.push(Sentence { text, at: self.at, is_row: true, is_cell: true });
        }
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        let mut start = 0;
        for end in ends(&block) {
            let text = markdown::collapse(block[start..end].trim().trim_end_matches(';'));
            if text.chars().any(char::is_alphanumeric) {
                let (at, is_row) = (self.at, self.is_row);
                self.found.push(Sentence { text, at, is_row, is_cell: false });
            }
            start = end;
        }
    }
}

fn ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_before_space =
            next.is_none_or(|next| next.is_whitespace() || "\"'”»)".contains(next));
        let is_end = match c {
            '.' => is_before_space && !is_abbreviated(&text[..at]),
            '!' | '?' => is_before_space,
            ';' | '。' | '！' | '？' => true,
            _ => false,
        };
        if is_end {
            ends.push(at + c.len_utf8());
        }
    }
    ends.push(text.len());
    ends
}

fn is_abbreviated(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let word = word.to_lowercase();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    is_initial || ABBREVIATIONS.contains(&word.as_str())
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    /// `Some(true)` after `>`, `Some(false)` after `<`.
    pub is_above: Option<bool>,
    pub unit: Option<Unit>,
    /// In the base unit; versions are verbatim.
    pub value: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum StatementToken {
    Term(String),
    Quantity(Quantity),
    Pivot(String),
    Use,
    And,
    Other,
    Stop,
}

impl StatementToken {
    pub(super) fn term(&self) -> Option<&str> {
        if let Self::Term(stem) = self { Some(stem) } else { None }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Statement {
    pub plain: String,
    pub tokens: Vec<StatementToken>,
    pub is_negative: bool,
    pub rejected: BTreeSet<String>,
    is_row: bool,
}

impl Statement {
    pub(super) fn new(text: &str) -> Self {
        let lower = text.to_lowercase().replace('’', "'");
        let is_german = language::is_german(lower.split_whitespace());
        let mut reader = StatementReader { is_german, ..StatementReader::default() };
        let _ = lower.split_whitespace().take(MAX_WORDS).all(|chunk| reader.chunk(chunk));
        reader.end_number();
        let plain: Vec<&str> = words(&lower).map(|word| &lower[word.bytes]).collect();
        reader.statement.plain = plain.join(" ");
        reader.statement
    }

    pub(super) fn of(sentence: &Sentence) -> Self {
        if sentence.text.ends_with(['?', ':']) {
            return Self::default();
        }
        Self { is_row: sentence.is_row, ..Self::new(&sentence.text) }
    }

    pub(super) fn is_sentence(&self) -> bool {
        !self.is_row
    }

    pub(super) fn terms(&self) -> BTreeSet<&str> {
        self.tokens.iter().filter_map(StatementToken::term).collect()
    }

    pub(super) fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        self.tokens.iter().filter_map(|token| match token {
            StatementToken::Quantity(quantity) => Some(quantity),
            _ => None,
        })
    }
}

#[derive(Default)]
struct StatementReader {
    normalizer: Normalizer<'static>,
    is_german: bool,
    statement: Statement,
    number: Option<(f64, String)>,
    is_above: Option<bool>,
    rejects: bool,
    after_comma: bool,
    before: String,
}

impl StatementReader {
    fn chunk(&mut self, chunk: &str) -> bool {
        let is_sign = |c: char| !c.is_alphanumeric() && !"%+#".contains(c);
        let word = chunk.trim_matches(is_sign);
        let sign = chunk.split(char::is_alphanumeric).next().unwrap_or_default();
        let sign = sign.trim_start_matches(['(', '`', '"']);
        match sign {
            "<" | "<=" | "≤" => self.is_above = Some(false),
            ">" | ">=" | "≥" => self.is_above = Some(true),
            _ => {}
        }
        if matches!(&*self.before, "instead" | "rather") && matches!(word, "of" | "than") {
            self.before.clear();
            self.rejects = true;
            return true;
        }
        let is_quantity = self.quantity(word, sign == "-");
        if !word.is_empty() && !is_quantity {
            self.is_above = self.is_above.filter(|_| self.number.is_some());
        }
        if !is_quantity {
            match language::kind(word) {
                WordKind::Reason if self.after_comma || word != "since" => return false,
                WordKind::Negation => self.negation(),
                WordKind::Rejection => {
                    self.end_number();
                    let is_first = matches!(word, "instead" | "rather");
                    self.rejects = !is_first && (word != "over" || self.uses());
                }
                WordKind::Use => self.push(StatementToken::Use),
                WordKind::Pivot if self.rejects => {}
                WordKind::Pivot => self.push(StatementToken::Pivot(pivot(word).to_owned())),
                WordKind::And => self.push(StatementToken::And),
                WordKind::Filler | WordKind::Reason => {
                    self.rejects &= !matches!(word, "for" | "für" | "in");
                    self.push(StatementToken::Other);
                }
                WordKind::Content => self.content(word),
            }
        }
        word.clone_into(&mut self.before);
        self.after_comma = chunk.ends_with([',', ':', ')']) || word.is_empty();
        if self.after_comma && !word.is_empty() {
            self.push(StatementToken::Stop);
            self.rejects = false;
        }
        true
    }

    fn uses(&self) -> bool {
        self.statement.tokens.contains(&StatementToken::Use)
    }

    fn negation(&mut self) {
        self.end_number();
        if self.after_comma && self.uses() {
            self.rejects = true;
        } else {
            self.statement.is_negative = !self.statement.is_negative;
        }
    }

    fn push(&mut self, token: StatementToken) {
        self.end_number();
        self.statement.tokens.push(token);
    }

    fn content(&mut self, word: &str) {
        if self.number.is_some() && matches!(word, "working" | "business" | "calendar" | "full") {
            return;
        }
        let is_each =
            matches!(&*self.before, "every" | "each" | "per" | "jede" | "jeden" | "jedes" | "pro");
        if is_each && self.number.is_none() {
            self.number = language::unit(word).map(|_| (1.0, "1".to_owned()));
        }
        if let Some((value, _)) = &self.number
            && let Some((unit, size)) = language::unit(word)
        {
            let value = format!("{}", value * size);
            self.number = None;
            return self.add_quantity(Some(unit), value);
        }
        self.end_number();
        for part in words(word) {
            let part = &word[part.bytes];
            if self.number_word(part) || language::kind(part) != WordKind::Content {
                continue;
            }
            let stem = self.stem(part);
            if self.rejects {
                self.statement.rejected.insert(stem);
            } else {
                self.statement.tokens.push(StatementToken::Term(stem));
            }
        }
    }

    fn stem(&self, word: &str) -> String {
        let word = language::canonical(word);
        let stem = if self.is_german {
            language::german_stem(word).to_owned()
        } else {
            stem_of(word, &self.normalizer)
        };
        language::canonical(&stem).to_owned()
    }

    fn number_word(&mut self, word: &str) -> bool {
        let Some(value) = language::number(word) else { return false };
        self.end_number();
        self.number = Some((value, format!("{value}")));
        true
    }

    fn quantity(&mut self, word: &str, is_negative: bool) -> bool {
        if self.number_word(word) {
            return true;
        }
        let bare =
            word.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let bare = bare.unwrap_or(word);
        let is_numeric = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        let end = bare.find(|c| !is_numeric(c)).unwrap_or(bare.len());
        let (digits, rest) = (bare[..end].trim_end_matches(['.', ',']), &bare[end..]);
        if digits.is_empty() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        if rest.is_empty()
            && digits.len() == 3
            && let Some((_, before)) = &self.number
            && before.len() <= 3
            && before.bytes().all(|byte| byte.is_ascii_digit())
        {
            let digits = format!("{before}{digits}");
            self.number = digits.parse().ok().map(|value| (value, digits));
            return true;
        }
        let minus = if is_negative { "-" } else { "" };
        let plain = format!("{minus}{}", plain_number(digits, self.is_german));
        let Ok(value) = plain.parse::<f64>() else {
            self.end_number();
            self.add_quantity(None, plain);
            return rest.is_empty();
        };
        if rest.is_empty() {
            self.end_number();
            self.number = Some((value, plain));
            return true;
        }
        let Some((unit, size)) = language::unit(rest) else { return false };
        self.end_number();
        self.add_quantity(Some(unit), format!("{}", value * size));
        true
    }

    fn end_number(&mut self) {
        if let Some((_, value)) = self.number.take() {
            self.add_quantity(None, value);
        }
    }

    fn add_quantity(&mut self, unit: Option<Unit>, value: String) {
        let is_above = self.is_above.take();
        self.statement.tokens.push(StatementToken::Quantity(Quantity { is_above, unit, value }));
    }
}

/// For Rust's parser: "1,500" becomes 1500. German swaps the marks.
fn plain_number(digits: &str, is_german: bool) -> String {
    let (separator, point) = if is_german { ('.', ',') } else { (',', '.') };
    let (whole, fraction) = digits.split_once(point).unwrap_or((digits, ""));
    let mut groups = whole.split(separator);
    let is_first = |first: &str| (1..=3).contains(&first.len()) && first != "0";
    let is_grouped = groups.next().is_some_and(is_first) && groups.all(|group| group.len() == 3);
    let whole = if is_grouped { whole.replace(separator, "") } else { whole.replace(',', ".") };
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

fn pivot(word: &str) -> &str {
    match word {
        "are" | "be" | "ist" | "sind" => "is",
        "im" => "in",
        "am" => "on",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, writing: Writing) -> Vec<String> {
        sentences(text, writing).into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn sentences_are_of_paragraphs_items_and_rows() {
        let text = "# Title\n\nOne is *here*,\nin two lines. Use e.g. `a.b`; then stop!\n\n- item one\n  - nested\n\
            - [two](x.md)\n\n```\nno code\n```\n\n| Queue | Retries |\n|---|---|\n| mail | 5 |\n";
        let expected = [
            "One is here, in two lines.",
            "Use e.g. a.b",
            "then stop!",
            "item one",
            "nested",
            "two",
            "Queue mail Retries 5",
        ];
        assert_eq!(texts(text, Writing::Document), expected);
        assert_eq!(texts("> quoted\n\nfirst\nsecond", Writing::Chat), ["first", "second"]);
        assert_eq!(texts("> quoted", Writing::Document), ["quoted"]);
        assert!(
            texts("", Writing::Chat).is_empty() && texts("```\nopen", Writing::Chat).is_empty()
        );
    }

    #[test]
    fn numbers_have_units() {
        let read = |text: &str| -> Vec<(Option<Unit>, String)> {
            let statement = Statement::new(text);
            statement.quantities().map(|it| (it.unit, it.value.clone())).collect()
        };
        assert_eq!(read("after two weeks"), read("after 14 days"));
        assert_eq!(read("2h"), [(Some(Unit::Time), "7200".to_owned())]);
        assert_eq!(read("below 80%"), read("below 80 %"));
        assert_eq!(read("Python 3.10"), [(None, "3.10".to_owned())]);
        assert_eq!(
            read("v1.2.3 and 2 000 or 1,000"),
            [(None, "1.2.3".into()), (None, "2000".into()), (None, "1000".into())]
        );
        assert_eq!(read("port 5173, 3000 is taken").len(), 2);
        assert_eq!(read("1,5 seconds"), read("1.5 seconds"));
        assert_eq!(
            read("die Grenze ist 1.500,5 und 1,5 und 0,125"),
            read("1500.5 and 1.5 and 0.125")
        );
        assert_eq!(read("from -5 to 5").len(), 2);
        assert_ne!(read("-5"), read("5"));
        assert!(read("sha256 and x86").is_empty());
    }

    #[test]
    fn what_is_denied_and_rejected_is_told() {
        let statement = Statement::new("Use vitest for components, not Jest, since it is slow");
        assert!(!statement.is_negative);
        assert_eq!(statement.rejected.into_iter().collect::<Vec<_>>(), ["jest"]);
        assert!(Statement::new("never do it").is_negative);
        assert!(!Statement::new("never deploy without a review").is_negative);
        assert_eq!(Statement::new("use biome instead of prettier").rejected.len(), 1);
    }
}
