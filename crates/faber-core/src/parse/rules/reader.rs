//! Collects rules, loads and directives of a prompt.

use std::ops::Range;
use std::rc::Rc;

use super::condition::{self, RuleCondition, Terms};
use super::lead::{Lead, ListedTargets, PromptSentences, SentencePart, Spans};
use super::types::{
    DirectiveTarget, Need, PromptDirective, PromptLoad, PromptRules, PromptSentence, Targets,
};
use super::{lead, sentence, table, terms, units, words};
use crate::line::Line;
use crate::parse::prose::{
    Inline, ListItem, Prose, ProseBlock, ProseNode, Token, TokenKind, tokens,
};
use crate::parse::references::{OptionalSections, may_be_file, says_optional};
use crate::source::{SourceMap, Spanned};

pub fn read(sources: &SourceMap, lines: &[Line]) -> PromptRules {
    let prose = Prose::read(sources, lines);
    let mut reader = PromptReader {
        prose: &prose,
        out: PromptRules::default(),
        covered: lines.iter().map(|line| line.text(sources).trim().is_empty()).collect(),
        numbered: lines.iter().map(|line| is_numbered(line.text(sources))).collect(),
        has_table: table::is_in(&prose.blocks),
        optional: OptionalSections::default(),
    };
    reader.blocks(&prose.blocks, &Lead::None);
    reader.out
}

fn is_numbered(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(['.', ')'])
}

pub(super) struct PromptReader<'a> {
    pub(super) prose: &'a Prose<'a>,
    pub(super) out: PromptRules,
    covered: Vec<bool>,
    numbered: Vec<bool>,
    has_table: bool,
    pub(super) optional: OptionalSections,
}

impl PromptReader<'_> {
    fn blocks(&mut self, blocks: &[ProseBlock], outer: &Lead) {
        let mut headings: Vec<(u8, Lead)> = Vec::new();
        let mut section = outer.clone();
        let (mut next, mut keywords) = (Lead::None, Lead::None);
        let mut tied: Option<(usize, Range<usize>)> = None;
        for block in blocks {
            let (before, rules) = (self.out.directives.len(), self.out.rules.len());
            match &block.node {
                ProseNode::Heading(level, inline) => {
                    self.end_section(tied.take());
                    headings.retain(|(above, _)| above < level);
                    let inherited = headings.last().map_or(outer, |(_, lead)| lead);
                    section = self.heading(inline).or(inherited).clone();
                    headings.push((*level, section.clone()));
                    self.optional.enter(*level, inline.text());
                    self.without_list(&mut next);
                    (next, keywords) = (Lead::None, Lead::None);
                    if matches!(section, Lead::Terms(_)) {
                        tied = Some((before, block.lines.end..block.lines.end));
                    }
                    continue;
                }
                ProseNode::Paragraph(inline) => {
                    self.without_list(&mut next);
                    let lead = next.or(&keywords).or(&section).clone();
                    let bare = !matches!((&next, &keywords), (Lead::None, Lead::None));
                    let (following, own) = self.paragraph(inline, &block.lines, &lead, bare);
                    next = following;
                    keywords = own.unwrap_or(keywords);
                }
                ProseNode::List(items) => match std::mem::take(&mut next) {
                    Lead::Keywords(listed) => self.keyword_list(&listed, items, &block.lines),
                    own => {
                        let lead = own.or(&keywords).or(&section).clone();
                        self.list(items, &lead, !matches!(own, Lead::None));
                        if matches!(lead, Lead::Terms(_)) {
                            self.tie(before, &block.lines);
                        }
                    }
                },
                ProseNode::Table(table) => {
                    self.without_list(&mut next);
                    table::read(self, table, &block.lines, &std::mem::take(&mut next));
                }
                ProseNode::Quote(_) | ProseNode::Opaque => {
                    self.without_list(&mut next);
                    next = Lead::None;
                }
            }
            if self.out.rules.len() > rules && !matches!(block.node, ProseNode::Paragraph(_)) {
                keywords = Lead::None;
            }
            if let Some((_, lines)) = &mut tied {
                lines.end = block.lines.end;
            }
        }
        self.without_list(&mut next);
        self.end_section(tied);
        self.lead_ins(blocks);
    }

    fn keyword_list(&mut self, listed: &ListedTargets, items: &[ListItem], lines: &Range<usize>) {
        let mut found = Spans::default();
        let mut all = true;
        for item in items {
            let inline = &item.inline;
            let terms = lead::item_terms(inline).filter(|_| item.children.is_empty());
            let Some(terms) = terms else {
                let span = self.prose.spanned(inline, &inline.all()).span;
                let unread = |target: &Spanned<String>| Spanned { span, ..target.clone() };
                self.out.unread.extend(listed.targets.first().map(unread));
                all = false;
                continue;
            };
            found.terms.extend(self.spanned(inline, &terms.wanted));
            found.except.extend(self.spanned(inline, &terms.except));
            found.is_error |= terms.is_error;
        }
        if found.terms.is_empty() {
            if all {
                self.out.unread.extend(listed.targets.first().cloned());
            }
            return;
        }
        let mut asks = Vec::new();
        for target in &listed.targets {
            asks.extend(self.rule(&found, target.clone(), listed.optional));
        }
        if let Some(own) = listed.lines.clone().filter(|_| all && found.except.is_empty()) {
            self.direct(own.start..lines.end, lines.end..lines.end, asks);
        }
    }

    fn without_list(&mut self, lead: &mut Lead) {
        if let Lead::Keywords(listed) = lead {
            self.out.unread.extend(listed.targets.first().cloned());
            *lead = Lead::None;
        }
    }

    fn end_section(&mut self, section: Option<(usize, Range<usize>)>) {
        if let Some((from, lines)) = section {
            self.tie(from, &lines);
        }
    }

    /// If other text depends on directives, they need their targets.
    fn tie(&mut self, from: usize, lines: &Range<usize>) {
        if !self.is_covered(lines) {
            let asks = self.out.directives[from..].iter_mut().flat_map(|it| &mut it.asks);
            asks.for_each(|ask| ask.need = Need::Text);
        }
    }

    fn is_covered(&self, lines: &Range<usize>) -> bool {
        self.covered.get(lines.clone()).is_some_and(|lines| lines.iter().all(|covered| *covered))
    }

    fn lead_ins(&mut self, blocks: &[ProseBlock]) {
        for pair in blocks.windows(2).rev() {
            let [first, second] = pair else { continue };
            let ProseNode::Paragraph(inline) = &first.node else { continue };
            let is_keywords = || match sentence::read(inline, &inline.all()) {
                PromptSentence::Keywords(terms) => terms.except.is_empty(),
                _ => false,
            };
            if !self.is_covered(&first.lines) && (lead::is_lead_in(inline) || is_keywords()) {
                self.direct(first.lines.clone(), second.lines.clone(), Vec::new());
            }
        }
    }

    pub(super) fn direct(
        &mut self,
        lines: Range<usize>,
        below: Range<usize>,
        asks: Vec<DirectiveTarget>,
    ) {
        if below.is_empty() || self.is_covered(&below) {
            self.covered[lines.clone()].fill(true);
        }
        self.out.directives.push(PromptDirective { lines, below, asks });
    }

    fn heading(&self, inline: &Inline) -> Lead {
        let tokens = inline.tokens();
        if condition::opens(&tokens) && !tokens.get(1).is_some_and(|token| token.is_word("to")) {
            return self.conditional(inline, &tokens);
        }
        if let [name] = &tokens[..]
            && name.is_name()
            && words::is_error_type(name.text)
        {
            return self.listed(inline, &tokens, 1);
        }
        let quoted = |token: &Token<'_>| {
            token.kind == TokenKind::Quoted
                || token.is_mark(",|)/")
                || token.is_any(&["or", "and", "/"])
        };
        let from = tokens.iter().rposition(|token| !quoted(token)).map_or(0, |at| at + 1);
        let opened =
            from == 0 || tokens[from - 1].is_mark("(:") || words::is_dash(&tokens[from - 1]);
        if !opened {
            return Lead::None;
        }
        self.listed(inline, &tokens[from..], condition::MAX_WORDS)
    }

    fn lead(&self, inline: &Inline, range: &Range<usize>, is_item: bool) -> Lead {
        let tokens = tokens(inline, range);
        if tokens.iter().any(sentence::is_target) {
            return Lead::None;
        }
        if condition::opens(&tokens) {
            return self.conditional(inline, &tokens);
        }
        if tokens.first().is_some_and(words::is_condition) {
            return Lead::Unclear;
        }
        let ends = tokens.last().is_some_and(|token| token.is_mark(":："));
        if tokens.iter().any(words::is_verb) {
            let load = ends && tokens.iter().any(words::is_load);
            let vague = |token: &Token<'_>| {
                token.is_any(&["appropriate", "applicable", "based", "corresponding", "demand"])
                    || token.is_any(&["matching", "necessary", "needed", "relevant", "right"])
            };
            return match load {
                true if tokens.iter().any(words::is_negation) => Lead::Never,
                true if tokens.iter().any(vague) => Lead::Unclear,
                true => Lead::Load,
                false => Lead::None,
            };
        }
        let quoted = tokens.iter().any(|token| token.kind == TokenKind::Quoted);
        let listed = tokens.iter().any(|token| token.is_mark(",|;") || token.is_word("or"));
        if is_item && (quoted || listed) {
            return self.listed(inline, &tokens, condition::MAX_WORDS - 2);
        }
        Lead::None
    }

    fn topic(&self, ListItem { inline, children, .. }: &ListItem) -> Lead {
        let is_flat = |block: &ProseBlock| match &block.node {
            ProseNode::List(items) => items.iter().all(|item| item.children.is_empty()),
            _ => false,
        };
        let tokens = inline.tokens();
        let is_topic = tokens.split_first().is_some_and(|(word, rest)| {
            let is_word = word.kind == TokenKind::Word && !words::is_title(word);
            is_word
                && rest.iter().all(|token| token.is_mark(":："))
                && !inline.is_bold(&inline.all())
        });
        if !is_topic || !children.iter().all(is_flat) {
            return Lead::None;
        }
        self.listed(inline, &tokens[..1], 1)
    }

    fn listed(&self, inline: &Inline, tokens: &[Token<'_>], max_words: usize) -> Lead {
        let terms = condition::read_terms(inline.text(), tokens, terms::Mode::List, max_words);
        terms.map_or(Lead::None, |terms| self.terms(inline, &terms))
    }

    fn conditional(&self, inline: &Inline, tokens: &[Token<'_>]) -> Lead {
        let verb = tokens.iter().rposition(|token| words::is_order(token));
        let end = verb.filter(|&at| at > 1).unwrap_or(tokens.len());
        match condition::read(inline.text(), &tokens[..end]) {
            RuleCondition::Terms(terms) => self.terms(inline, &terms),
            RuleCondition::Always | RuleCondition::Present => Lead::Load,
            RuleCondition::Listed | RuleCondition::Unclear => Lead::Unclear,
        }
    }

    fn terms(&self, inline: &Inline, terms: &Terms) -> Lead {
        if terms.wanted.len() + terms.except.len() > sentence::MAX_NAMES {
            return Lead::Unclear;
        }
        Lead::Terms(Rc::new(self.spans(inline, terms)))
    }

    pub(super) fn spans(&self, inline: &Inline, terms: &Terms) -> Spans {
        Spans {
            terms: self.spanned(inline, &terms.wanted),
            except: self.spanned(inline, &terms.except),
            is_error: terms.is_error,
        }
    }

    fn list(&mut self, items: &[ListItem], lead: &Lead, bare: bool) {
        let starts: Vec<usize> = items.iter().map(|item| item.own.start).collect();
        if starts.first().is_some_and(|&first| self.numbered[first]) {
            self.out.lists.push(starts);
        }
        let before = self.out.directives.len();
        let (mut lead, mut bare) = (lead.clone(), bare);
        for (at, item) in items.iter().enumerate() {
            let next = items.get(at + 1).map(lead::lines_of);
            if let Some(keywords) = self.item(item, next, &lead, bare) {
                (lead, bare) = (keywords, true);
            }
        }
        let refers = |item: &&ListItem| {
            let words = item.inline.tokens();
            !self.is_covered(&item.own)
                && words
                    .iter()
                    .any(|token| token.is_any(&["it", "its", "them", "their", "these", "those"]))
        };
        if items.iter().any(|item| refers(&item)) {
            for directive in self.out.directives.drain(before..) {
                self.covered[directive.lines].fill(false);
            }
        }
    }

    fn item(
        &mut self,
        item: &ListItem,
        next: Option<Range<usize>>,
        lead: &Lead,
        bare: bool,
    ) -> Option<Lead> {
        let whole = lead::lines_of(item);
        let below = item.own.end.min(whole.end)..whole.end;
        let read = self.sentences(&item.inline, lead, bare);
        let mut own_lead = self.lead(&item.inline, &item.inline.all(), true);
        let is_step = self.numbered[item.own.start];
        if matches!((&own_lead, lead), (Lead::None, Lead::None | Lead::Unclear)) && !is_step {
            own_lead = self.topic(item);
        }
        let at = self.out.directives.len();
        if let Some(listed) = read.listed {
            let lines = listed.lines.is_some().then(|| item.own.clone());
            let listed = ListedTargets { lines, ..listed };
            match item.children.first().map(|block| (&block.node, &block.lines)) {
                Some((ProseNode::List(items), lines)) if item.children.len() == 1 => {
                    self.keyword_list(&listed, items, lines);
                }
                _ => self.out.unread.extend(listed.targets.into_iter().take(1)),
            }
            return None;
        }
        if let Some(keywords) = &read.keywords {
            own_lead = keywords.clone();
        }
        self.blocks(&item.children, own_lead.or(lead));
        if matches!(own_lead, Lead::Terms(_)) {
            self.tie(at, &below);
        }
        let leads = !item.children.is_empty()
            && (lead::is_lead_in(&item.inline)
                || lead::is_title(&item.inline)
                || matches!(own_lead, Lead::Terms(_) | Lead::Load));
        if let Some(keywords) = read.keywords {
            if !item.children.is_empty() && !keywords.has_exceptions() {
                self.direct(item.own.clone(), below, Vec::new());
            } else if let Some(next) = next.filter(|_| !keywords.has_exceptions()) {
                self.direct(item.own.clone(), next, Vec::new());
                self.covered[item.own.clone()].fill(true);
            }
            return Some(keywords);
        }
        if read.pure {
            self.direct(item.own.clone(), below, read.asks);
        } else if leads {
            self.direct(item.own.clone(), below, Vec::new());
        }
        None
    }

    fn paragraph(
        &mut self,
        inline: &Inline,
        lines: &Range<usize>,
        lead: &Lead,
        bare: bool,
    ) -> (Lead, Option<Lead>) {
        self.optional.announced |=
            says_optional(inline.text()) && !inline.tokens().iter().any(sentence::is_target);
        let units = units::units(inline);
        let (mut lead, mut bare) = (lead.clone(), bare);
        let mut parts: Vec<SentencePart> = Vec::new();
        let (mut next, mut keywords) = (Lead::None, None);
        for unit in &units {
            self.without_list(&mut next);
            let rules = self.out.rules.len();
            let sentence = sentence::read(inline, unit);
            let is_arrow = matches!(sentence, PromptSentence::Rule(..));
            let is_listed = bare || !matches!(next, Lead::None);
            let read = self.sentence(inline, sentence, next.or(&lead), is_listed);
            if self.out.rules.len() > rules {
                keywords = Some(Lead::None);
            }
            let mut leads = false;
            if let Some(listed) = read.listed {
                let lines = listed.lines.filter(|_| units.len() == 1).map(|_| lines.clone());
                next = Lead::Keywords(Rc::new(ListedTargets { lines, ..listed }));
            } else if let Some(own) = read.keywords {
                (lead, bare) = (own.clone(), true);
                leads = !own.has_exceptions();
                keywords = Some(own);
            } else if !read.pure {
                next = self.lead(inline, unit, false);
                leads = sentence::is_lead_in(&tokens(inline, unit), inline.is_bold(unit));
            }
            parts.push(SentencePart {
                lines: self.prose.lines_of(inline, unit),
                asks: read.asks,
                pure: read.pure,
                leads,
                is_arrow,
            });
        }
        self.parts(parts, lines);
        (next, keywords)
    }

    fn parts(&mut self, parts: Vec<SentencePart>, lines: &Range<usize>) {
        let count = parts.len();
        let all = (0..count).all(|at| parts[at].pure || (parts[at].leads && at + 1 < count));
        let mut merged: Vec<SentencePart> = Vec::new();
        for part in parts {
            match merged.last_mut() {
                Some(last) if part.lines.start < last.lines.end => {
                    last.lines.end = last.lines.end.max(part.lines.end);
                    last.asks.extend(part.asks);
                    last.pure &= part.pure;
                    last.leads &= part.leads;
                    last.is_arrow &= part.is_arrow;
                }
                _ => merged.push(part),
            }
        }
        let end = lines.end;
        let mut below = end..end;
        for part in merged.into_iter().rev() {
            let wanted = part.pure && (all || part.is_arrow);
            let lines = part.lines.clone();
            if wanted {
                self.direct(part.lines, end..end, part.asks);
            } else if part.leads && !below.is_empty() {
                self.direct(part.lines, below, Vec::new());
            }
            below = lines;
        }
    }

    fn sentences(&mut self, inline: &Inline, lead: &Lead, bare: bool) -> PromptSentences {
        let mut all = PromptSentences { pure: true, ..PromptSentences::default() };
        let units = units::units(inline);
        all.pure = !units.is_empty();
        for unit in &units {
            let sentence = match sentence::read(inline, unit) {
                PromptSentence::Label(terms, targets) => match lead {
                    Lead::None | Lead::Unclear => PromptSentence::Rule(terms, targets),
                    _ => PromptSentence::Names(targets),
                },
                sentence => sentence,
            };
            let read = self.sentence(inline, sentence, lead, bare);
            all.asks.extend(read.asks);
            all.pure &= read.pure;
            all.keywords = read.keywords.or(all.keywords);
            all.listed = read.listed.or(all.listed);
        }
        if units.len() > 1 {
            all.listed = all.listed.map(|listed| ListedTargets { lines: None, ..listed });
        }
        all
    }

    fn sentence(
        &mut self,
        inline: &Inline,
        sentence: PromptSentence,
        lead: &Lead,
        bare: bool,
    ) -> PromptSentences {
        let mut read = PromptSentences::default();
        match sentence {
            PromptSentence::Rule(terms, targets) => {
                self.rules(inline, &self.spans(inline, &terms), &targets, &mut read);
                let missed = targets.missed.map(|missed| self.prose.spanned(inline, &missed));
                self.out.unread.extend(missed);
            }
            PromptSentence::Load(targets) => self.load(inline, &targets, lead, &mut read),
            PromptSentence::Listed(targets) => {
                read.listed = Some(ListedTargets {
                    targets: self.spanned(inline, &targets.ranges),
                    optional: targets.optional || self.optional.is_optional(),
                    lines: targets.pure.then_some(0..0),
                });
            }
            PromptSentence::Names(targets) if bare => self.load(inline, &targets, lead, &mut read),
            PromptSentence::Keywords(terms) => {
                read.keywords = Some(self.terms(inline, &terms));
            }
            PromptSentence::Task(task) => {
                let target = self.prose.spanned(inline, &task);
                read.pure = true;
                read.asks.push(DirectiveTarget { target, need: Need::Text, optional: false });
            }
            PromptSentence::Detection => read.pure = true,
            PromptSentence::SeeTable => read.pure = self.has_table,
            PromptSentence::Unread(target) => {
                let target = self.prose.spanned(inline, &target);
                self.out.unread.push(target);
            }
            PromptSentence::Names(_) | PromptSentence::Label(..) | PromptSentence::Other => {}
        }
        read
    }

    pub(super) fn load(
        &mut self,
        inline: &Inline,
        targets: &Targets,
        lead: &Lead,
        read: &mut PromptSentences,
    ) {
        match lead {
            Lead::Terms(terms) => {
                let terms = Rc::clone(terms);
                self.rules(inline, &terms, targets, read);
            }
            Lead::None | Lead::Load => {
                read.pure = targets.pure;
                for target in self.spanned(inline, &targets.ranges) {
                    let optional = self.may_be_missing(targets, &target);
                    read.asks.push(DirectiveTarget {
                        target: target.clone(),
                        need: Need::Text,
                        optional,
                    });
                    self.out.loads.push(PromptLoad { target, optional });
                }
            }
            Lead::Unclear => {
                let first = self.prose.spanned(inline, &targets.ranges[0]);
                self.out.unread.push(first);
            }
            Lead::Never | Lead::Keywords(_) => {}
        }
    }

    pub(super) fn may_be_missing(&self, targets: &Targets, target: &Spanned<String>) -> bool {
        targets.optional
            || self.optional.is_optional()
            || targets.may_be_files && may_be_file(&target.value)
    }

    pub(super) fn spanned(&self, inline: &Inline, ranges: &[Range<usize>]) -> Vec<Spanned<String>> {
        ranges.iter().map(|range| self.prose.spanned(inline, range)).collect()
    }
}
