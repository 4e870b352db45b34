//! Lead-ins to the next blocks: "Load when the request mentions:".

use std::ops::Range;
use std::rc::Rc;

use super::condition::{self, RuleCondition, Terms};
use super::reader::PromptReader;
use super::types::{DirectiveTarget, Need, RuleKind, SelectionRule, Targets, kind_of};
use super::{sentence, terms};
use crate::parse::prose::{Inline, ListItem};
use crate::source::Spanned;

#[derive(Clone, Default)]
pub(super) enum Lead {
    #[default]
    None,
    Load,
    Terms(Rc<Spans>),
    Unclear,
    Never,
    Keywords(Rc<ListedTargets>),
}

pub(super) struct ListedTargets {
    pub(super) targets: Vec<Spanned<String>>,
    pub(super) optional: bool,
    pub(super) lines: Option<Range<usize>>,
}

#[derive(Default)]
pub(super) struct Spans {
    pub(super) terms: Vec<Spanned<String>>,
    pub(super) except: Vec<Spanned<String>>,
    pub(super) is_error: bool,
}

impl Lead {
    pub(super) fn has_exceptions(&self) -> bool {
        matches!(self, Self::Terms(spans) if !spans.except.is_empty())
    }

    pub(super) fn or<'l>(&'l self, other: &'l Self) -> &'l Self {
        if matches!(self, Self::None) { other } else { self }
    }
}

#[derive(Default)]
pub(super) struct PromptSentences {
    pub(super) asks: Vec<DirectiveTarget>,
    pub(super) pure: bool,
    pub(super) keywords: Option<Lead>,
    pub(super) listed: Option<ListedTargets>,
}

pub(super) struct SentencePart {
    pub(super) lines: Range<usize>,
    pub(super) asks: Vec<DirectiveTarget>,
    pub(super) pure: bool,
    pub(super) leads: bool,
    pub(super) is_arrow: bool,
}

pub(super) fn item_terms(inline: &Inline) -> Option<Terms> {
    let tokens = inline.tokens();
    if !condition::opens(&tokens) {
        let (mode, most) = (terms::Mode::Condition, condition::MAX_WORDS);
        return condition::only_exceptions(inline.text(), &tokens)
            .or_else(|| condition::read_terms(inline.text(), &tokens, mode, most));
    }
    match condition::read(inline.text(), &tokens) {
        RuleCondition::Terms(terms) => Some(terms),
        _ => None,
    }
}

pub(super) fn lines_of(item: &ListItem) -> Range<usize> {
    let end = item.children.last().map_or(item.own.end, |block| block.lines.end);
    item.own.start..end.max(item.own.end)
}

pub(super) fn is_title(inline: &Inline) -> bool {
    let words = inline.tokens();
    !words.is_empty() && words.len() <= condition::MAX_WORDS && inline.is_bold(&inline.all())
}

pub(super) fn is_lead_in(inline: &Inline) -> bool {
    sentence::is_lead_in(&inline.tokens(), inline.is_bold(&inline.all()))
}

impl PromptReader<'_> {
    pub(super) fn rules(
        &mut self,
        inline: &Inline,
        spans: &Spans,
        targets: &Targets,
        read: &mut PromptSentences,
    ) {
        read.pure = targets.pure && spans.except.is_empty();
        for target in self.spanned(inline, &targets.ranges) {
            let optional = self.may_be_missing(targets, &target);
            read.asks.extend(self.rule(spans, target, optional));
        }
    }

    pub(super) fn rule(
        &mut self,
        spans: &Spans,
        target: Spanned<String>,
        optional: bool,
    ) -> Option<DirectiveTarget> {
        self.rule_of(kind_of(spans.is_error, &target.value), spans, target, optional)
    }

    pub(super) fn rule_of(
        &mut self,
        kind: RuleKind,
        spans: &Spans,
        target: Spanned<String>,
        optional: bool,
    ) -> Option<DirectiveTarget> {
        let ask = DirectiveTarget { target: target.clone(), need: Need::Known, optional };
        let (terms, except) = (spans.terms.clone(), spans.except.clone());
        self.out.rules.extend(SelectionRule { kind, terms, except, target, optional }.by_kind());
        (kind != RuleKind::Platform).then_some(ask)
    }
}
