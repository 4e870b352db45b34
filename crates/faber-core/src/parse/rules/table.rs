//! Tables from keywords or errors to contexts.

use std::ops::Range;

use super::condition::{self, MAX_WORDS, RuleCondition, Terms};
use super::lead::{Lead, PromptSentences};
use super::reader::PromptReader;
use super::sentence::{is_pattern, is_target};
use super::terms::Mode;
use super::types::{DirectiveTarget, RuleKind, Targets, kind_of};
use super::words::{is_filler, is_prose, is_status, names_error};
use crate::parse::prose::{Inline, ProseBlock, ProseNode, Table, Token, TokenKind};
use crate::parse::references::is_context;
use crate::word_list::words;

const MAX_WORDS_INFERRED: usize = 3;
const MAX_WORDS_OF_ERROR: usize = 8;

/// Most reliable first.
const OF_KEYWORDS: [&[&str]; 3] = [
    &["keyword", "keywords", "trigger", "triggers"],
    &["if", "mention", "mentions", "when"],
    words!(
        "activity, case, command, cue, doing, event, goal, intent, intents, phrase, phrases",
        "query, question, questions, request, requests, scenario, signal, situation, task",
        "tasks, term, terms, topic, topics, want, word, words, working",
    ),
];
const OF_ERRORS: &[&str] =
    words!("error, errors, exception, exceptions, failure, problem, problems, symptom, symptoms");
const OF_CODES: &[&str] = &["code", "status"];
const OF_OTHERS: &[&str] = words!(
    "#, about, action, author, cause, comment, comments, contents, date, description, example",
    "examples, explanation, id, name, no, note, notes, number, owner, priority, purpose, reason",
    "size, status, summary, team, title, updated, version, what, why",
);

struct Columns {
    kind: RuleKind,
    key: usize,
    target: usize,
    is_explicit: bool,
}

pub(super) fn is_in(blocks: &[ProseBlock]) -> bool {
    blocks.iter().any(|block| match &block.node {
        ProseNode::Table(table) => is_rule_table(table),
        ProseNode::List(items) => items.iter().any(|item| is_in(&item.children)),
        _ => false,
    })
}

pub(crate) fn is_rule_table(table: &Table) -> bool {
    columns(table).is_some()
}

fn columns(table: &Table) -> Option<Columns> {
    let target = target_column(table)?;
    let others = || (0..table.header.len()).filter(move |&column| column != target);
    let says = |column: usize, words: &[&str]| header_says(&table.header[column], words);
    let by = |words: &[&str]| others().find(|&column| says(column, words));
    let explicit = |kind, key| Some(Columns { kind, key, target, is_explicit: true });
    if let Some(key) = by(OF_KEYWORDS[0]) {
        return explicit(RuleKind::Keyword, key);
    }
    if let Some(key) = by(OF_ERRORS) {
        return explicit(RuleKind::Error, key);
    }
    let is_code = |cell: &Inline| {
        let mut words = cell.text().split(|c: char| !c.is_alphanumeric());
        names_error(cell.text()) || words.any(is_status)
    };
    let codes = |&column: &usize| table.rows.iter().filter_map(|row| row.get(column)).all(is_code);
    if let Some(key) = by(OF_CODES).filter(codes) {
        return explicit(RuleKind::Error, key);
    }
    if let Some(key) = OF_KEYWORDS[1..].iter().find_map(|words| by(words)) {
        return explicit(RuleKind::Keyword, key);
    }
    let mut left = others().filter(|&column| {
        !says(column, OF_OTHERS) && table.rows.iter().any(|row| has_phrases(row.get(column)))
    });
    let key = left.next().filter(|_| left.next().is_none())?;
    let all = table.rows.iter().all(|row| has_phrases(row.get(key)));
    all.then_some(Columns { kind: RuleKind::Keyword, key, target, is_explicit: false })
}

fn header_says(header: &Inline, words: &[&str]) -> bool {
    let text = header.text().to_lowercase();
    let mut parts = text.split(|c: char| !c.is_alphanumeric() && c != '#');
    parts.any(|word| words.contains(&word))
}

fn has_phrases(cell: Option<&Inline>) -> bool {
    cell.is_some_and(|cell| {
        let text = cell.text();
        let numeric = !text.contains(char::is_alphabetic);
        let tokens = cell.tokens();
        !numeric && condition::read_terms(text, &tokens, Mode::List, MAX_WORDS_INFERRED).is_some()
    })
}

/// A column of keywords counts only if it is the only one.
fn target_column(table: &Table) -> Option<usize> {
    let mut counts = vec![0_usize; table.header.len()];
    for row in &table.rows {
        for (count, cell) in counts.iter_mut().zip(row) {
            *count += usize::from(!targets(&cell.tokens()).is_empty());
        }
    }
    let is_filled = |cell: &Inline| !cell.text().trim().is_empty();
    let is_target = |column: &usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(*column));
        counts[*column] * 2 >= cells.filter(|cell| is_filled(cell)).count()
    };
    let of = |is_key: bool| {
        let columns = (0..counts.len()).filter(|&column| {
            let says = |words: &[&str]| header_says(&table.header[column], words);
            counts[column] > 0 && (says(OF_KEYWORDS[0]) || says(OF_ERRORS)) == is_key
        });
        columns.rev().max_by_key(|&column| counts[column]).filter(is_target)
    };
    of(false).or_else(|| of(true))
}

fn targets(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let arrows = tokens.iter().take_while(|token| token.kind == TokenKind::Arrow).count();
    let tokens = &tokens[arrows..];
    let alone = tokens.iter().all(|token| is_bare_target(token) || is_joint(token));
    let is_named = |token: &&Token<'_>| is_target(token) || (alone && is_bare_target(token));
    let first = tokens.iter().position(|token| is_named(&token)).unwrap_or(tokens.len());
    let before = &tokens[..first];
    if before.iter().any(is_prose) || before.iter().filter(|token| !is_joint(token)).count() > 4 {
        return Vec::new();
    }
    let named = tokens.iter().filter(is_named).map(|token| token.range.clone());
    named.take(super::sentence::MAX_NAMES).collect()
}

fn terms(cell: &Inline, kind: RuleKind, is_explicit: bool) -> Option<Terms> {
    let (text, tokens) = (cell.text(), cell.tokens());
    if condition::opens(&tokens) {
        return match condition::read(text, &tokens) {
            RuleCondition::Terms(terms) => Some(terms),
            _ => None,
        };
    }
    if kind == RuleKind::Error {
        return condition::read_terms(text, &tokens, Mode::Error, MAX_WORDS_OF_ERROR);
    }
    let max_words = if is_explicit { MAX_WORDS } else { MAX_WORDS_INFERRED };
    condition::read_terms(text, &tokens, Mode::List, max_words)
}

pub(super) fn read(
    reader: &mut PromptReader<'_>,
    table: &Table,
    lines: &Range<usize>,
    lead: &Lead,
) {
    let Some(columns) = columns(table) else {
        return without_keywords(reader, table, lines, lead);
    };
    let mut all = !table.rows.is_empty();
    let body = lines.start + 2;
    for (row, line) in table.rows.iter().zip(body..lines.end) {
        match read_row(reader, row, &columns) {
            Some(asks) => reader.direct(line..line + 1, line..line, asks),
            None => all = false,
        }
    }
    if all {
        reader.direct(lines.start..body.min(lines.end), body.min(lines.end)..lines.end, Vec::new());
    }
}

fn read_row(
    reader: &mut PromptReader<'_>,
    row: &[Inline],
    columns: &Columns,
) -> Option<Vec<DirectiveTarget>> {
    let &Columns { kind, key, target, is_explicit } = columns;
    let is_alone = is_alone(row, key, target);
    let Some(cell) = row.get(target) else { return is_alone.then(Vec::new) };
    let mut named = targets(&cell.tokens());
    named.extend(bare_name(cell).filter(|_| named.is_empty() && is_explicit));
    let found = row.get(key).and_then(|key| Some((key, terms(key, kind, is_explicit)?)));
    let Some((cell_of_terms, found)) = found.filter(|_| !named.is_empty()) else {
        let joined = || {
            let cell = row.get(key)?;
            Some((cell, targets(&cell.tokens()).into_iter().next()?))
        };
        let unread = named.first().map(|it| (cell, it.clone())).or_else(joined);
        if let Some((cell, unread)) = unread.filter(|_| is_explicit) {
            reader.out.unread.push(reader.prose.spanned(cell, &unread));
        }
        return None;
    };
    let spans = reader.spans(cell_of_terms, &found);
    let mut asks = Vec::new();
    for target in reader.spanned(cell, &named) {
        let kind = match (kind, kind_of(false, &target.value)) {
            (RuleKind::Keyword, RuleKind::Platform) => RuleKind::Platform,
            _ => kind,
        };
        let optional = reader.optional.is_optional();
        asks.extend(reader.rule_of(kind, &spans, target, optional));
    }
    (is_alone && spans.except.is_empty() && is_pure(cell)).then_some(asks)
}

fn without_keywords(
    reader: &mut PromptReader<'_>,
    table: &Table,
    lines: &Range<usize>,
    lead: &Lead,
) {
    let Some(column) = target_column(table).filter(|_| !matches!(lead, Lead::None)) else { return };
    let body = lines.start + 2;
    for (row, line) in table.rows.iter().zip(body..lines.end) {
        let Some(cell) = row.get(column) else { continue };
        let ranges = targets(&cell.tokens());
        if ranges.is_empty() {
            continue;
        }
        let mut read = PromptSentences::default();
        let pure = is_alone(row, column, column) && is_pure(cell);
        reader.load(cell, &Targets { ranges, pure, ..Targets::default() }, lead, &mut read);
        if read.pure {
            reader.direct(line..line + 1, line..line, read.asks);
        }
    }
}

fn bare_name(cell: &Inline) -> Option<Range<usize>> {
    let tokens = cell.tokens();
    let [word] = &tokens[..] else { return None };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let named = word.is_name() && word.text.len() > 3 && word.text.chars().all(is_name);
    named.then(|| word.range.clone())
}

fn is_alone(row: &[Inline], key: usize, target: usize) -> bool {
    let is_number = |cell: &Inline| !cell.text().contains(char::is_alphabetic);
    row.iter().enumerate().all(|(at, cell)| at == key || at == target || is_number(cell))
}

fn is_pure(cell: &Inline) -> bool {
    let tokens = cell.tokens();
    tokens.iter().all(|it| it.kind == TokenKind::Arrow || is_joint(it) || is_bare_target(it))
}

fn is_bare_target(token: &Token<'_>) -> bool {
    token.is_name() && (is_context(token.text) || is_pattern(token.text))
}

fn is_joint(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Mark || is_filler(token) || token.is_word("or")
}
