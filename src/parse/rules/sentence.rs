//! Single sentences of a prompt: what each one asks, if it is a directive.

use std::ops::Range;

use super::words::{
    is_article, is_condition, is_filler, is_load, is_negation, is_occurrence, is_tail, names_error,
};
use crate::parse::prose::{Token, TokenKind};
use crate::parse::references::is_context;
use crate::terms::matcher::Matcher;

/// The most words beside quoted terms that leave it clear what a rule asks.
const MAX_WORDS_BESIDE: usize = 6;
/// The most words of a term without quotes.
const MAX_WORDS_OF_TERM: usize = 5;
/// The same after "If" or "When", where a sentence is more likely than a term.
const MAX_WORDS_OF_CONDITION: usize = 3;
/// The most terms of an error lead-in and the most targets of a sentence. Each target, and each item
/// under a lead-in, gets all terms, which must not multiply in a hostile prompt.
const MAX_NAMES: usize = 16;
/// The most words of a detection line or a lead-in.
const MAX_WORDS_OF_SENTENCE: usize = 14;

/// What a sentence asks, as ranges of its plain text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sentence {
    /// To load the targets when a term is met.
    Rule(RuleSentence),
    /// To load the targets.
    Load(LoadSentence),
    /// To find out the platform or to follow the configuration, which faber does itself.
    Detection,
    /// To look keywords up in the table of the prompt.
    SeeTable,
    /// Something else.
    Other,
}

/// A rule in one sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RuleSentence {
    pub(super) terms: Vec<Range<usize>>,
    pub(super) targets: Vec<Range<usize>>,
    /// Whether it speaks of errors: it begins with "On", and its terms name errors.
    pub(super) is_error: bool,
    /// Whether the sentence is nothing but the rule.
    pub(super) pure: bool,
}

/// A sentence that asks to load something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LoadSentence {
    pub(super) targets: Vec<Range<usize>>,
    /// Whether it asks nothing else.
    pub(super) pure: bool,
    /// Whether all targets are contexts by their spelling alone.
    pub(super) certain: bool,
}

/// The references that a stretch of tokens names.
pub(super) struct Targets {
    pub(super) ranges: Vec<Range<usize>>,
    /// Whether nothing else is said.
    pub(super) pure: bool,
}

/// Reads the sentence that consists of `tokens` of `text`.
pub(super) fn read(text: &str, tokens: &[Token<'_>]) -> Sentence {
    if is_detection(tokens) {
        return Sentence::Detection;
    }
    if let Some(rule) = rule(text, tokens) {
        return Sentence::Rule(rule);
    }
    if says_see_table(tokens) {
        return Sentence::SeeTable;
    }
    load(text, tokens).unwrap_or(Sentence::Other)
}

fn rule(text: &str, tokens: &[Token<'_>]) -> Option<RuleSentence> {
    let conditional = tokens.first().is_some_and(is_condition);
    let arrow = tokens.iter().position(|token| token.kind == TokenKind::Arrow);
    let (left, right) = match arrow {
        Some(at) => (&tokens[..at], &tokens[at + 1..]),
        None if conditional => tokens.split_at(tokens.iter().position(is_load)?),
        None => return None,
    };
    let end = left.iter().rposition(|token| !token.is_mark(":,"))? + 1;
    let left = Left::read(text, &left[..end])?;
    // Without an arrow, only quotation marks or an error tell a term from a story.
    if arrow.is_none() && !left.quoted && !left.is_error {
        return None;
    }
    let targets = targets(right, is_context)?;
    let Left { terms, is_error, .. } = left;
    Some(RuleSentence { terms, targets: targets.ranges, is_error, pure: targets.pure })
}

/// The terms of an error that a lead-in such as "On authentication error:" names.
pub(super) fn error_lead(text: &str, tokens: &[Token<'_>]) -> Option<Vec<Range<usize>>> {
    let end = tokens.iter().rposition(|token| !token.is_mark(":："))? + 1;
    if !tokens[0].is_any(&["on", "upon", "when", "if"]) {
        return None;
    }
    let left = Left::read(text, &tokens[..end])?;
    let sound = left.terms.iter().all(|term| names_error(&text[term.clone()]));
    (sound && left.terms.len() <= MAX_NAMES).then_some(left.terms)
}

/// What stands before the arrow.
struct Left {
    terms: Vec<Range<usize>>,
    /// Whether the terms stand in quotation marks or backticks.
    quoted: bool,
    /// Whether it says "On", and one of the terms names an error.
    is_error: bool,
}

impl Left {
    fn read(text: &str, tokens: &[Token<'_>]) -> Option<Self> {
        let first = tokens.first()?;
        let on = first.is_any(&["on", "upon"]);
        let conditional = on || first.is_any(&["for", "if", "when", "whenever"]);
        if tokens.iter().any(is_negation) || (is_condition(first) && !conditional) {
            return None;
        }
        let is_quoted =
            |token: &Token<'_>| matches!(token.kind, TokenKind::Quoted | TokenKind::Code);
        let quoted = tokens.iter().any(is_quoted);
        let mut terms = if quoted {
            let beside = tokens.iter().filter(|token| token.kind == TokenKind::Word).count();
            if beside > MAX_WORDS_BESIDE {
                return None;
            }
            let quoted = tokens.iter().filter(|token| is_quoted(token));
            quoted.map(|token| token.range.clone()).collect()
        } else {
            // After "If" or "When", many words are a sentence and no term.
            let most = if conditional && !on { MAX_WORDS_OF_CONDITION } else { MAX_WORDS_OF_TERM };
            plain_terms(&tokens[usize::from(conditional)..], most)?
        };
        if terms.iter().any(|term| is_path(&text[term.clone()])) {
            return None;
        }
        terms.retain(|term| !Matcher::is_empty_term(&text[term.clone()]));
        let is_error = on && terms.iter().any(|term| names_error(&text[term.clone()]));
        (!terms.is_empty()).then_some(Self { terms, quoted, is_error })
    }
}

/// Whether `text` is a path: then the arrow does not stand behind a term.
fn is_path(text: &str) -> bool {
    text.contains('/') && (text.starts_with(['/', '.']) || is_context(text))
        || is_context(text) && text.contains('.')
}

/// Terms without quotation marks, separated by `|`, `,` or "or", of at most `most` words each.
fn plain_terms(tokens: &[Token<'_>], most: usize) -> Option<Vec<Range<usize>>> {
    // A label such as "Security:" is no term.
    let label = tokens.iter().rposition(|token| token.is_mark(":")).map_or(0, |at| at + 1);
    let separates = |token: &Token<'_>| token.is_mark("|,;，、；") || token.is_word("or");
    let mut terms = Vec::new();
    for group in tokens[label..].split(separates) {
        // A lone "a" is a term.
        let most_articles = group.len().saturating_sub(1);
        let from = group.iter().take(most_articles).take_while(|token| is_article(token)).count();
        let verbs = group.iter().rev().take_while(|token| is_occurrence(token)).count();
        let to = group.len().saturating_sub(verbs).max(from);
        let [first, ..] = &group[from..to] else { continue };
        let words_only = group[from..to].iter().all(|token| token.kind == TokenKind::Word);
        if to - from > most || !words_only {
            return None;
        }
        terms.push(first.outer.start..group[to - 1].outer.end);
    }
    Some(terms)
}

/// The references that `tokens` begin with, after "Load" and words that change nothing. `accepts`
/// says what is a reference.
pub(super) fn targets(tokens: &[Token<'_>], accepts: fn(&str) -> bool) -> Option<Targets> {
    let is_target = |token: &Token<'_>| {
        // A single word such as "reference-free" is a word; a file name has a dot.
        let shaped = token.kind != TokenKind::Word || token.text.contains(['.', '/']);
        token.is_name() && shaped && accepts(token.text)
    };
    let first = tokens.iter().position(is_target)?;
    let before = &tokens[..first];
    let strange = before.iter().filter(|token| !is_filler(token) && !token.is_mark(":(")).count();
    if strange > MAX_WORDS_OF_TERM - 1 || before.iter().any(is_negation) {
        return None;
    }
    let mut ranges = Vec::new();
    let mut at = first;
    let mut rest = first;
    while let Some(token) = tokens.get(at) {
        if is_target(token) && ranges.len() < MAX_NAMES {
            ranges.push(token.range.clone());
            rest = at + 1;
        } else if !is_filler(token) && !token.is_mark(",+&;|") && !token.is_word("or") {
            break;
        }
        at += 1;
    }
    let pure = strange == 0 && tokens[rest..].iter().all(is_tail);
    Some(Targets { ranges, pure })
}

fn load(text: &str, tokens: &[Token<'_>]) -> Option<Sentence> {
    let verb = tokens.iter().position(is_load)?;
    let early = tokens[..verb].iter().all(|token| is_filler(token) || token.is_mark(":"));
    if !early || tokens.iter().any(is_negation) {
        return None;
    }
    let rest = &tokens[verb + 1..];
    if let Some(targets) = targets(rest, |name| is_context(name) || is_loadable(name)) {
        let certain = targets.ranges.iter().all(|range| is_loadable(&text[range.clone()]));
        let Targets { ranges: targets, pure } = targets;
        return Some(Sentence::Load(LoadSentence { targets, pure, certain }));
    }
    // "Load each specified context" names what the configuration lists.
    let listed =
        |token: &Token<'_>| token.is_any(&["additional", "custom", "listed", "specified", "that"]);
    let contexts = rest.iter().any(|token| token.is_any(&["context", "contexts"]));
    let nothing_else =
        rest.iter().all(|token| is_filler(token) || listed(token) || token.is_mark(".:"));
    (contexts && nothing_else && rest.iter().any(listed)).then_some(Sentence::Detection)
}

/// Whether `text` is a context, or a pattern or placeholder for contexts: what faber sees to.
fn is_loadable(text: &str) -> bool {
    if is_context(text) {
        return text.contains('/') || crate::category::Category::from_prefix(text).is_some();
    }
    let open = text.contains(['*', '{', '<']) && !text.contains("://");
    open && (text.contains("contexts/") || crate::category::Category::from_prefix(text).is_some())
}

/// Whether the sentence asks to look into the configuration for what faber takes from it.
fn is_detection(tokens: &[Token<'_>]) -> bool {
    if tokens.len() > MAX_WORDS_OF_SENTENCE {
        return false;
    }
    let [first, rest @ ..] = tokens else { return false };
    let says = |token: &Token<'_>, part: &str| token.text.to_lowercase().contains(part);
    let names = |token: &Token<'_>| {
        ["config", "platforms.", "custom_contexts"].iter().any(|part| says(token, part))
    };
    let verb = first.is_any(&["check", "detect", "determine", "load", "read"]);
    let harmless = |token: &Token<'_>| {
        token.is_any(&["for", "in", "of", "value"])
            || is_filler(token)
            || matches!(token.kind, TokenKind::Mark | TokenKind::Arrow)
    };
    let pointer = rest.iter().any(|token| says(token, "custom_contexts"))
        || (rest.iter().any(|token| says(token, "platforms."))
            && rest.iter().any(|token| says(token, "config")));
    verb && pointer && rest.iter().all(|token| names(token) || harmless(token))
        || first.is_word("if") && is_fallback(rest)
}

/// "If not configured, use default: github", without its "If".
fn is_fallback(tokens: &[Token<'_>]) -> bool {
    let [first, rest @ ..] = tokens else { return false };
    let mut words = rest.iter();
    first.is_any(&["no", "none", "not"])
        && words.any(|token| token.is_any(&["configured", "detected"]))
        && words.clone().any(|token| token.is_any(&["use", "to"]))
        && words.any(|token| token.is_word("default"))
        && !rest.iter().any(is_negation)
        && !rest.iter().rev().skip(1).any(|token| token.is_mark(".!?;"))
}

/// "Keywords → Specialist mapping in table below".
fn says_see_table(tokens: &[Token<'_>]) -> bool {
    let says = |part: &str| tokens.iter().any(|token| token.text.to_lowercase().contains(part));
    tokens.len() <= MAX_WORDS_OF_SENTENCE
        && (says("keyword") || says("error"))
        && tokens.iter().any(|token| token.is_word("table"))
        && tokens.iter().any(|token| token.is_any(&["above", "below", "following"]))
}

/// Whether the sentence only leads over to what comes next.
pub(super) fn is_lead_in(tokens: &[Token<'_>], is_bold: bool) -> bool {
    let Some(last) = tokens.last() else { return false };
    let inner = &tokens[..tokens.len() - 1];
    let short = tokens.len() <= MAX_WORDS_OF_SENTENCE;
    let one = !inner.iter().any(|token| token.is_mark(".!?"));
    let speaks = tokens.iter().any(is_load);
    let opens = tokens.first().is_some_and(is_load);
    short && one && (last.is_mark(":：") || (speaks && (is_bold || opens)))
}
