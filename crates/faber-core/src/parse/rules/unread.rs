//! Sentences like directives, but of unknown form.

use super::condition::{self, RuleCondition};
use super::sentence::{MAX_WORDS_OF_SENTENCE, PromptSentenceReader, is_target};
use super::types::PromptSentence;
use super::words::{
    is_article, is_filler, is_negation, is_opening, is_order, is_prose, is_talk, is_verb,
};
use crate::parse::prose::{Token, TokenKind};

impl PromptSentenceReader<'_> {
    pub(super) fn unread(&self, first: usize) -> PromptSentence {
        let orders = |at: usize| {
            let object = self.past_particle(at + 1);
            let near = object.iter().take_while(|token| is_filler(token)).count();
            is_verb(&self.tokens[at]) && object.get(near).is_some_and(is_target)
        };
        let conditions =
            |token: &Token<'_>| token.is_any(&["if", "unless", "when", "whenever", "until"]);
        let is_conditional = self.tokens.iter().any(conditions)
            || self.tokens.get(first + 1).is_some_and(|token| token.is_mark("("));
        let is_order = self.verb(first).is_some_and(orders) && is_conditional;
        if is_order || self.loads_part(first) || self.applies(first) || self.is_place(first) {
            return PromptSentence::Unread(self.tokens[first].range.clone());
        }
        PromptSentence::Other
    }

    fn loads_part(&self, first: usize) -> bool {
        let verb = self.tokens[..first].iter().position(|token| !is_opening(token));
        let Some(verb) = verb.filter(|&at| is_order(&self.tokens[at])) else { return false };
        let part = &self.tokens[verb + 1..first];
        let is_part = |token: &Token<'_>| token.is_any(&["of", "on"]) || !is_prose(token);
        let is_quoted = |token: &Token<'_>| token.kind == TokenKind::Quoted;
        part.len() <= MAX_WORDS_OF_SENTENCE
            && part.iter().any(|token| token.is_any(&["from", "of"]))
            && part.iter().all(|token| is_part(token) || is_quoted(token))
    }

    fn is_place(&self, first: usize) -> bool {
        let [.., verb, to] = &self.tokens[..first] else { return false };
        let of = |token: &Token<'_>| is_talk(token) || token.is_any(&["request", "requests"]);
        to.is_word("to")
            && verb.is_any(&["belong", "belongs", "go", "goes"])
            && self.tokens.iter().find(|token| !is_article(token)).is_some_and(of)
    }

    fn applies(&self, first: usize) -> bool {
        let (before, rest) = self.tokens.split_at(first);
        let case = before.iter().rposition(|token| !is_filler(token)).map_or(0, |at| at + 1);
        let is_case = before[..case].last().is_some_and(|token| token.is_mark(","))
            && condition::opens(before)
            && matches!(condition::read(self.text, &before[..case]), RuleCondition::Terms(_));
        let is_example = before.iter().any(|token| token.is_any(&["example", "instance"]));
        is_case && !is_example && !rest.iter().any(is_negation)
    }
}
