//! Reads sentences: `condition → verb targets`, `condition, verb targets`,
//! `verb targets condition`, `label: verb targets`, `targets: condition`.

use std::ops::Range;

use super::condition::{self, MAX_WORDS, RuleCondition, Terms};
use super::terms::Mode;
use super::types::{PromptSentence, Targets};
use super::words::{
    is_condition, is_dash, is_discretion, is_exception, is_filler, is_head, is_kind, is_leading,
    is_load, is_negation, is_opening, is_order, is_prose, is_purpose, is_tail, is_verb,
    is_verb_of_instruction, names_error,
};
use crate::parse::prose::{Inline, Token, TokenKind, tokens};
use crate::parse::references::is_context;
use crate::word_list::words;

/// Limits targets × terms in a hostile prompt.
pub(super) const MAX_NAMES: usize = 16;
pub(super) const MAX_WORDS_OF_SENTENCE: usize = 14;
const MAX_WORDS_OF_LABEL: usize = 3;
const MAX_UNKNOWN_WORDS: usize = 4;

pub(super) fn read(inline: &Inline, range: &Range<usize>) -> PromptSentence {
    let (text, tokens) = (inline.text(), tokens(inline, range));
    if is_detection(&tokens) {
        return PromptSentence::Detection;
    }
    if let Some(keywords) = keywords(text, &tokens) {
        return PromptSentence::Keywords(keywords);
    }
    let reader = PromptSentenceReader { text, tokens: &tokens };
    let arrow = tokens.iter().rposition(|token| token.kind == TokenKind::Arrow);
    let first = tokens.iter().position(is_target);
    let mut read = match (arrow, first) {
        (Some(arrow), _) if first.is_some() || bare_target(&tokens[arrow + 1..]).is_some() => {
            reader.arrow(arrow).unwrap_or(PromptSentence::Other)
        }
        (_, None) => return without_target(&tokens),
        (_, Some(first)) => {
            let read = reader.triggers().or_else(|| reader.question(first));
            let read = read.or_else(|| reader.without_arrow(first));
            let mut read = read.unwrap_or_else(|| reader.unread(first));
            if let PromptSentence::Rule(_, targets) | PromptSentence::Load(targets) = &mut read {
                targets.may_be_files = tokens.iter().any(is_verb) && !tokens.iter().any(is_load);
            }
            read
        }
    };
    if let PromptSentence::Rule(_, targets) = &mut read {
        targets.missed = missed(&tokens, targets);
    }
    read
}

/// `y` in "When a, load x, else y".
fn missed(tokens: &[Token<'_>], targets: &Targets) -> Option<Range<usize>> {
    let last = targets.ranges.last()?.end;
    let from = tokens.iter().position(|token| token.range.start >= last)?;
    let next = from + tokens[from..].iter().position(is_target)?;
    let between = &tokens[from..next];
    let begins = |token: &Token<'_>| {
        is_load(token) || is_condition(token) || token.is_any(&["else", "otherwise"])
    };
    let denies = |token: &Token<'_>| {
        is_negation(token) || token.is_any(&["example", "instance", "instead", "rather"])
    };
    let is_missed = between.iter().any(begins) && !between.iter().any(denies);
    is_missed.then(|| tokens[next].range.clone())
}

fn without_target(tokens: &[Token<'_>]) -> PromptSentence {
    if says_see_table(tokens) {
        return PromptSentence::SeeTable;
    }
    if let Some(task) = task(tokens) {
        return PromptSentence::Task(task);
    }
    let listed =
        |token: &Token<'_>| token.is_any(&["additional", "custom", "listed", "specified", "that"]);
    let contexts = tokens.iter().any(|token| token.is_any(&["context", "contexts"]));
    let nothing_else =
        tokens.iter().all(|token| is_filler(token) || listed(token) || token.is_mark(".:"));
    let asks = tokens.iter().any(is_load) && tokens.iter().any(listed);
    if contexts && nothing_else && asks { PromptSentence::Detection } else { PromptSentence::Other }
}

fn task(tokens: &[Token<'_>]) -> Option<Range<usize>> {
    let is_task = |token: &&Token<'_>| {
        token.is_name() && ["/tasks/", "/flows/"].iter().any(|it| token.text.starts_with(it))
    };
    let mut tasks = tokens.iter().filter(is_task);
    let task = tasks.next().filter(|_| tasks.next().is_none())?;
    let order = tokens.iter().find(|token| !is_opening(token)).is_some_and(is_order);
    let is_part = |token: &Token<'_>| {
        is_task(&token)
            || is_order(token)
            || is_opening(token)
            || is_filler(token)
            || token.is_any(&["flow", "task", "workflow"])
            || token.kind == TokenKind::Mark
    };
    (order && tokens.iter().all(is_part)).then(|| task.range.clone())
}

fn keywords(text: &str, tokens: &[Token<'_>]) -> Option<Terms> {
    let colon = tokens.iter().take(4).position(|token| token.is_mark(":"))?;
    let label = &tokens[..colon];
    let says = label.iter().any(is_trigger_word);
    let is_error = !says && !label.is_empty() && label.iter().all(is_error_word);
    let rest = &tokens[colon + 1..];
    let alone = !tokens.iter().any(|token| token.kind == TokenKind::Arrow || is_target(token));
    if !(says || is_error) || !alone {
        return None;
    }
    let mode = if is_error { Mode::Error } else { Mode::List };
    let terms = condition::read_terms(text, rest, mode, MAX_WORDS)?;
    let is_named = !is_error || terms.wanted.iter().all(|term| names_error(&text[term.clone()]));
    let few = terms.wanted.len() <= MAX_NAMES;
    (is_named && few).then_some(Terms { is_error, ..terms })
}

fn is_error_word(token: &Token<'_>) -> bool {
    token.is_any(&["error", "errors", "exception", "exceptions"])
}

fn is_trigger_word(token: &Token<'_>) -> bool {
    token.is_any(&["keyword", "keywords", "trigger", "triggers"])
}

pub(super) fn is_target(token: &Token<'_>) -> bool {
    let shaped = token.kind != TokenKind::Word || token.text.contains(['.', '/']);
    token.is_name() && shaped && (is_context(token.text) || is_pattern(token.text))
}

fn bare_target<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<&'t Token<'a>> {
    let [word] = without_end(tokens, ".") else { return None };
    (word.is_name() && is_context(word.text)).then_some(word)
}

pub(super) fn is_pattern(text: &str) -> bool {
    let open = text.contains(['*', '{', '<']) && !text.contains("://") && !text.contains(' ');
    open && (text.contains("contexts/") || crate::category::Category::from_prefix(text).is_some())
}

pub(super) struct PromptSentenceReader<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token<'a>],
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a few words")]
struct Tail {
    condition: Option<RuleCondition>,
    has_verb: bool,
    is_purpose: bool,
    except: Vec<Range<usize>>,
    optional: bool,
    pure: bool,
}

impl PromptSentenceReader<'_> {
    fn arrow(&self, at: usize) -> Option<PromptSentence> {
        let (left, right) = (&self.tokens[..at], &self.tokens[at + 1..]);
        let bare = || {
            let target = bare_target(right)?;
            let ranges = vec![target.range.clone()];
            Some((Targets { ranges, pure: true, ..Targets::default() }, self.tail(&[])))
        };
        let Some((targets, tail)) = self.object(right).or_else(bare) else {
            let target = left.iter().find(|token| is_target(token))?;
            let orders = left.first().is_some_and(is_load);
            return orders.then(|| PromptSentence::Unread(target.range.clone()));
        };
        if left.iter().any(is_target) {
            return None;
        }
        if forbids(right) {
            return Some(PromptSentence::Other);
        }
        let left = without_end(left, ":,");
        let terms = if condition::opens(left) {
            match condition::read(self.text, left) {
                RuleCondition::Terms(terms) => Some(terms),
                _ => None,
            }
        } else if left.first().is_some_and(is_condition) {
            None
        } else {
            let colon = left.iter().rposition(|token| token.is_mark(":"));
            let left = &left[colon.map_or(0, |at| at + 1)..];
            condition::read_terms(self.text, left, Mode::List, MAX_WORDS)
        };
        Some(match terms {
            Some(terms) => rule(terms, targets, tail),
            None => PromptSentence::Unread(targets.ranges[0].clone()),
        })
    }

    fn without_arrow(&self, first: usize) -> Option<PromptSentence> {
        let tokens = self.tokens;
        let opening = tokens.iter().take_while(|token| token.is_mark("([*")).count();
        if first == opening {
            return self.target_first(first);
        }
        let verb = self.verb(first);
        if let Some(verb) = verb
            && tokens[..verb].iter().rev().take(4).any(is_negation)
            && !condition::opens(tokens)
        {
            return Some(self.forbidden(verb).unwrap_or(PromptSentence::Other));
        }
        if tokens.first().is_some_and(is_condition) || condition::opens(tokens) {
            return self.condition_first(first, verb);
        }
        if let Some(verb) = tokens[..first].iter().position(is_verb)
            && tokens[..verb].iter().all(is_opening)
            && let Some(found) = self.verb_first(verb)
        {
            return Some(found);
        }
        self.label(first)
    }

    fn condition_first(&self, first: usize, verb: Option<usize>) -> Option<PromptSentence> {
        let (end, from) = if let Some(verb) = verb {
            (verb, verb + 1)
        } else {
            let colon = self.tokens[..first].iter().rposition(|token| token.is_mark(":"))?;
            (colon, colon + 1)
        };
        let (targets, tail) = self.object(self.past_particle(from))?;
        let order = &self.tokens[..end];
        let order = order.iter().rposition(|token| !is_leading(token)).map_or(0, |at| at + 1);
        let condition = condition::read(self.text, &self.tokens[..order]);
        if condition == RuleCondition::Unclear
            && opens_with_purpose(&self.tokens[..order])
            && verb.is_some_and(|at| is_order(&self.tokens[at]) && !is_load(&self.tokens[at]))
        {
            return Some(PromptSentence::Load(Targets { pure: false, ..targets }));
        }
        Some(on(condition, targets, tail))
    }

    pub(super) fn verb(&self, first: usize) -> Option<usize> {
        let begins = |at: usize| {
            let before = at.checked_sub(1).map(|at| &self.tokens[at]);
            before.is_none_or(|it| it.kind == TokenKind::Mark || is_opening(it) || is_dash(it))
        };
        let is_verb = |at: &usize| {
            let token = &self.tokens[*at];
            is_verb(token) && (!is_verb_of_instruction(token) || begins(*at))
        };
        (0..first).rev().find(is_verb)
    }

    pub(super) fn past_particle(&self, at: usize) -> &[Token<'_>] {
        let of_verb = at > 0 && self.tokens[at - 1].is_word("refer");
        let skipped = of_verb && self.tokens.get(at).is_some_and(|token| token.is_word("to"));
        &self.tokens[at + usize::from(skipped)..]
    }

    fn forbidden(&self, verb: usize) -> Option<PromptSentence> {
        let (targets, tail) = self.object(self.past_particle(verb + 1))?;
        let last = targets.ranges.last()?.end;
        let rest = self.tokens.iter().position(|token| token.range.start >= last)?;
        let is_exception = |token: &Token<'_>| token.is_word("unless") || is_exception(token);
        let at = rest + self.tokens[rest..].iter().position(is_exception)?;
        let case = without_end(&self.tokens[at + 1..], ".!");
        let condition = if condition::opens(case) {
            condition::read(self.text, case)
        } else {
            condition::read_case(self.text, case)
        };
        Some(match condition {
            RuleCondition::Terms(terms) => rule(
                terms,
                Targets { pure: at == rest, ..targets },
                Tail { except: Vec::new(), ..tail },
            ),
            _ => PromptSentence::Unread(targets.ranges[0].clone()),
        })
    }

    fn question(&self, first: usize) -> Option<PromptSentence> {
        let tokens = self.tokens;
        let end = tokens[..first].iter().position(|token| token.is_mark("?"))?;
        let rest = &tokens[end + 1..first];
        let verb = rest.iter().position(is_verb)?;
        if !rest[..verb].iter().all(is_opening) {
            return None;
        }
        let (targets, tail) = self.object(self.past_particle(end + verb + 2))?;
        let asks = &["are", "did", "do", "does", "got", "have", "having", "is", "need", "want"];
        let question = &tokens[..end];
        let from = question.iter().take_while(|token| token.is_any(asks)).count();
        let links =
            question[from..].iter().take_while(|token| from > 0 && token.is_word("to")).count();
        let condition = condition::read_question(self.text, &question[from + links..]);
        Some(on(condition, targets, tail))
    }

    fn triggers(&self) -> Option<PromptSentence> {
        let tokens = self.tokens;
        let colon = tokens.iter().position(|token| token.is_mark(":"))?;
        let (label, rest) = (&tokens[..colon], &tokens[colon + 1..]);
        let near = label.iter().rev().take(MAX_UNKNOWN_WORDS).any(is_trigger_word);
        let first = label.iter().position(is_target)?;
        if !near || rest.iter().any(is_target) {
            return None;
        }
        let (mut targets, _) = self.object(&label[first..])?;
        let is_part = |token: &Token<'_>| {
            is_trigger_word(token)
                || is_target(token)
                || is_filler(token)
                || is_verb(token)
                || is_dash(token)
                || token.kind == TokenKind::Mark
                || token.is_any(&["for", "of"])
        };
        targets.pure = label.iter().all(is_part);
        if rest.is_empty() {
            return Some(PromptSentence::Listed(targets));
        }
        let terms = condition::read_terms(self.text, rest, Mode::List, MAX_WORDS);
        Some(match terms {
            Some(terms) => PromptSentence::Rule(terms, targets),
            None => PromptSentence::Unread(targets.ranges[0].clone()),
        })
    }

    fn verb_first(&self, verb: usize) -> Option<PromptSentence> {
        let says = |word: &str| self.tokens[..verb].iter().any(|token| token.is_word(word));
        let is_order = |verb: usize| is_order(&self.tokens[verb]) || says("always");
        let (targets, mut tail) = self.object(self.past_particle(verb + 1))?;
        let condition = tail.condition.take();
        if condition.is_none() && !is_order(verb) {
            return None;
        }
        let see = !is_load(&self.tokens[verb]) && tail.is_purpose;
        match condition {
            None if says("only") => Some(PromptSentence::Unread(targets.ranges[0].clone())),
            None => Some(on(RuleCondition::Always, targets, tail)),
            Some(RuleCondition::Unclear) if see => {
                let targets = Targets { pure: false, ..targets };
                is_order(verb).then_some(PromptSentence::Load(targets))
            }
            Some(condition) => Some(on(condition, targets, tail)),
        }
    }

    fn label(&self, first: usize) -> Option<PromptSentence> {
        let tokens = self.tokens;
        let mut depth = 0_usize;
        let ends = |token: &Token<'_>| {
            depth += usize::from(token.is_mark("(["));
            depth -= usize::from(depth > 0 && token.is_mark(")]"));
            depth == 0 && (token.is_mark(":") || is_dash(token))
        };
        let end = tokens[..first].iter().position(ends)?;
        let (label, rest) = (&tokens[..end], &tokens[end + 1..]);
        let (targets, tail) = self.object(rest)?;
        let verb = tokens[end + 1..first].iter().any(is_verb);
        if label.iter().all(|token| is_kind(token) || is_filler(token) || is_trigger_word(token)) {
            return Some(PromptSentence::Names(targets));
        }
        let quoted = label.iter().any(|token| token.kind == TokenKind::Quoted);
        let terms = condition::read_terms(self.text, label, Mode::List, MAX_WORDS - 1)?;
        let is_head = label.iter().any(is_head);
        let listed = is_list(label) || label.iter().any(is_trigger_word);
        if quoted || terms.is_error || (!is_head && (verb || listed)) {
            return Some(rule(terms, targets, tail));
        }
        let names = !is_head && targets.pure && label.len() <= MAX_WORDS_OF_LABEL;
        names.then_some(PromptSentence::Label(terms, targets))
    }

    fn target_first(&self, first: usize) -> Option<PromptSentence> {
        let (targets, tail) = self.object(&self.tokens[first..])?;
        if let Some(condition) = tail.condition {
            let tail = Tail { condition: None, ..tail };
            let is_read = matches!(condition, RuleCondition::Terms(_) | RuleCondition::Listed);
            return (is_read || tail.has_verb).then(|| on(condition, targets, tail));
        }
        let last = targets.ranges.last()?.end;
        let rest = self.tokens.iter().skip_while(|token| token.range.start < last);
        let rest: Vec<Token<'_>> = rest.cloned().collect();
        let signs = rest.iter().take_while(|token| token.is_mark(":(") || is_dash(token)).count();
        let words = &rest[signs..];
        let listed = |token: &Token<'_>| {
            token.kind == TokenKind::Quoted || token.is_mark(",|)") || token.is_word("or")
        };
        if signs > 0
            && words.iter().any(|token| token.kind == TokenKind::Quoted)
            && words.iter().all(listed)
        {
            let terms = condition::read_terms(self.text, words, Mode::List, MAX_WORDS)?;
            return Some(rule(terms, Targets { pure: true, ..targets }, tail));
        }
        Some(PromptSentence::Names(targets))
    }

    fn object(&self, tokens: &[Token<'_>]) -> Option<(Targets, Tail)> {
        let first = tokens.iter().position(is_target)?;
        let before = &tokens[..first];
        let harmless = |token: &&Token<'_>| {
            is_filler(token) || is_verb(token) || token.is_mark(":(,") || is_dash(token)
        };
        let strange = before.iter().filter(|token| !harmless(token)).count();
        if strange > MAX_UNKNOWN_WORDS || before.iter().any(is_prose) {
            return None;
        }
        let mut targets = Targets::default();
        let mut rest = first;
        for (at, token) in tokens.iter().enumerate().skip(first) {
            if is_target(token) && targets.ranges.len() < MAX_NAMES {
                targets.ranges.push(token.range.clone());
                rest = at + 1;
            } else if !is_filler(token) && !token.is_mark(",+&;|") && !token.is_word("or") {
                break;
            }
        }
        let tail = self.tail(&tokens[rest..]);
        targets.pure = strange == 0 && tail.pure;
        targets.optional = tail.optional;
        Some((targets, tail))
    }

    fn tail(&self, tokens: &[Token<'_>]) -> Tail {
        const BEFORE_CONDITION: &[&str] = words!(
            "always, be, but, consulted, context, first, guide, it, loaded, must, only, read",
            "should, this, used",
        );
        let mut tail = Tail { pure: true, ..Tail::default() };
        let says = |words: &[&str]| tokens.iter().any(|token| token.is_any(words));
        let lower = tokens.iter().position(|token| token.is_word("if"));
        tail.optional = says(&["optional"])
            || lower.is_some_and(|at| {
                condition::read(self.text, without_end(&tokens[at..], ".),"))
                    == RuleCondition::Present
            });
        let skip = |token: &&Token<'_>| {
            token.kind == TokenKind::Mark
                || is_dash(token)
                || is_verb(token)
                || token.is_any(BEFORE_CONDITION)
        };
        let from = tokens.iter().take_while(skip).count();
        tail.has_verb =
            tokens[..from].iter().any(|it| is_verb(it) || it.is_any(&["loaded", "consulted"]));
        let rest = without_end(&tokens[from..], ".)");
        tail.is_purpose = opens_with_purpose(rest);
        let is_conditional = condition::opens(rest)
            || rest.iter().all(is_discretion) && !rest.is_empty()
            || rest.first().is_some_and(is_condition);
        if !tail.optional && is_conditional {
            tail.condition = Some(condition::read(self.text, rest));
        }
        if let Some(RuleCondition::Terms(_) | RuleCondition::Listed) = tail.condition {
            return tail;
        }
        if let Some((_, except)) = condition::exception(self.text, tokens, Mode::Condition) {
            tail.except = except;
        }
        tail.pure =
            tail.condition.is_none() && tail.except.is_empty() && tokens.iter().all(is_tail);
        tail
    }
}

fn on(condition: RuleCondition, targets: Targets, tail: Tail) -> PromptSentence {
    match condition {
        RuleCondition::Terms(terms) => rule(terms, targets, tail),
        RuleCondition::Always if tail.except.is_empty() => {
            PromptSentence::Load(Targets { optional: tail.optional, ..targets })
        }
        RuleCondition::Present => PromptSentence::Load(Targets { optional: true, ..targets }),
        RuleCondition::Listed if tail.except.is_empty() => PromptSentence::Listed(targets),
        RuleCondition::Always | RuleCondition::Listed | RuleCondition::Unclear => {
            PromptSentence::Unread(targets.ranges[0].clone())
        }
    }
}

fn opens_with_purpose(tokens: &[Token<'_>]) -> bool {
    let the = tokens.get(1).is_some_and(|token| token.is_word("the"));
    tokens.first().is_some_and(|token| token.is_word("for"))
        && tokens.get(1 + usize::from(the)).is_some_and(is_purpose)
}

fn forbids(tokens: &[Token<'_>]) -> bool {
    let first = tokens.iter().position(is_target).unwrap_or(tokens.len());
    tokens[..first].iter().any(is_negation)
}

fn rule(mut terms: Terms, targets: Targets, tail: Tail) -> PromptSentence {
    terms.except.extend(tail.except);
    let pure = targets.pure && terms.except.is_empty();
    PromptSentence::Rule(terms, Targets { pure, ..targets })
}

fn is_list(label: &[Token<'_>]) -> bool {
    label.iter().any(|token| token.is_mark(",|"))
}

fn without_end<'t, 'a>(tokens: &'t [Token<'a>], marks: &str) -> &'t [Token<'a>] {
    let end = tokens.iter().rposition(|token| !token.is_mark(marks)).map_or(0, |at| at + 1);
    &tokens[..end]
}

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

fn says_see_table(tokens: &[Token<'_>]) -> bool {
    let says = |part: &str| tokens.iter().any(|token| token.text.to_lowercase().contains(part));
    tokens.len() <= MAX_WORDS_OF_SENTENCE
        && (says("keyword") || says("error"))
        && tokens.iter().any(|token| token.is_word("table"))
        && tokens.iter().any(|token| token.is_any(&["above", "below", "following"]))
}

pub(super) fn is_lead_in(tokens: &[Token<'_>], is_bold: bool) -> bool {
    let Some(last) = tokens.last() else { return false };
    let inner = &tokens[..tokens.len() - 1];
    let short = tokens.len() <= MAX_WORDS_OF_SENTENCE;
    let one = !inner.iter().any(|token| token.is_mark(".!?"));
    let speaks = tokens.iter().any(is_load);
    let opens = tokens.first().is_some_and(is_load);
    short && one && (last.is_mark(":：") || (speaks && (is_bold || opens)))
}
