//! The part of a conversation that fits, in turns.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::assemble::builder::{BundleBuilder, tokens};
use crate::budget::level::Section;
use crate::budget::truncate;
use crate::conversation::choose::{self, Rules, Trigger, Weight};
use crate::conversation::form::Form;
use crate::conversation::message::{Message, MessageRole};
use crate::conversation::turn::{self, RequestSource, Turn, TurnNeed};
use crate::render::block::{BundleBlock, BundleBlockKind, BundleLine, text_of};
use crate::render::body::{self, Vendor};

const LONG: usize = 50;

impl BundleBuilder<'_> {
    pub(super) fn read_history(&self, messages: &[Message]) -> Option<History> {
        if messages.is_empty() {
            return None;
        }
        let mut turns = turn::turns(messages);
        for turn in &mut turns {
            match self.job.body {
                Some(vendor) => body::fit(turn, vendor),
                None => turn.thinking.clear(),
            }
        }
        let whole = turns.par_iter().map(|turn| self.turn_tokens(turn)).collect();
        let asks = match self.job.request.text.trim() {
            "" => RequestSource::Conversation,
            _ if self.job.request_is_newest_message => RequestSource::NewestMessage,
            _ => RequestSource::Separate,
        };
        let needs = turn::needs(&turns, asks);
        Some(History { turns, whole, needs, short: Default::default() })
    }

    pub(super) fn history_block(&self, fit: HistoryFit, fired: &[Trigger]) -> HistoryBlock {
        let Some(history) = self.history.as_deref() else { return HistoryBlock::default() };
        let Some(room) = fit.room else { return self.least(history, fit, fired) };
        if history.tokens() <= room {
            let whole = self.block_in_forms(history, vec![Form::Whole; history.turns.len()], fired);
            if whole.tokens() <= room {
                return whole;
            }
        }
        let around = self.heading().map_or(0, |block| block.tokens);
        let note = self.note_block(&left_out(history.turns.iter().map(|turn| turn.of.len()).sum()));
        let around = around + note.map_or(0, |block| block.tokens);
        let least = tokens(self.config.budget.min_useful);
        let rules = Rules {
            room: room.saturating_sub(around),
            summarize: fired.contains(&Trigger::Summarize),
            cut: fired.contains(&Trigger::Truncate).then_some(least),
        };
        let shorts = self.shorts(history, rules.summarize);
        let weigh = |at: usize| Weight {
            whole: history.whole[at],
            short: shorts[at].as_ref().map(|(_, tokens)| *tokens),
            required: fit.requires(history.needs[at]),
            cuttable: history.turns[at].calls.is_empty(),
        };
        let mut weights: Vec<Weight> = (0..history.turns.len()).map(weigh).collect();
        let exchange = history.exchange().filter(|_| fit.is_loose);
        let exchange = exchange.map(|at| {
            let others = weights.iter().enumerate().filter(|(of, one)| *of != at && one.required);
            let others: usize = others.map(|(_, one)| one.whole).sum();
            let form = Form::Cut(rules.room.saturating_sub(others));
            weights[at].whole =
                self.shown(history, at, form, fired).map_or(0, |(_, tokens)| tokens);
            (at, form)
        });
        let cut = |at: usize, limit: usize| {
            self.shown(history, at, Form::Cut(limit), fired).map(|(_, tokens)| tokens)
        };
        let mut forms = choose::choose(&weights, rules, &cut);
        if let Some((at, form)) = exchange {
            forms[at] = form;
        }
        self.with_summary(history, forms, rules.room, fired)
    }

    /// Required turns, or all in short form if that is not longer.
    fn least(&self, history: &History, fit: HistoryFit, fired: &[Trigger]) -> HistoryBlock {
        let shorts = self.shorts(history, fired.contains(&Trigger::Summarize));
        let form = |at: usize, otherwise: Form| match history.needs[at] {
            TurnNeed::Exchange if fit.is_loose => Form::Cut(0),
            need if fit.requires(need) => Form::Whole,
            _ => otherwise,
        };
        let places = 0..history.turns.len();
        let required = places.clone().map(|at| form(at, Form::Left)).collect();
        let required = self.block_in_forms(history, required, &[]);
        let short = |at: usize| if shorts[at].is_some() { Form::Short } else { Form::Whole };
        let short: Vec<Form> = places.map(|at| form(at, short(at))).collect();
        let tokens = |(at, form): (usize, &Form)| match (form, &shorts[at]) {
            (Form::Short, Some((_, tokens))) => *tokens,
            _ => history.whole[at],
        };
        if short.iter().enumerate().map(tokens).sum::<usize>() > required.tokens() {
            return required;
        }
        let all = self.block_in_forms(history, short, fired);
        if all.tokens() <= required.tokens() { all } else { required }
    }

    fn with_summary(
        &self,
        history: &History,
        forms: Vec<Form>,
        room: usize,
        fired: &[Trigger],
    ) -> HistoryBlock {
        let mut history_block = self.block_in_forms(history, forms, fired);
        let Some(answer) = history_block.older.as_ref().and_then(|older| self.recaps.get(older))
        else {
            return history_block;
        };
        let stays = |form: Form, turn: &Turn| match form {
            Form::Whole => true,
            Form::Cut(_) => !turn.calls.is_empty(),
            Form::Short | Form::Left => false,
        };
        let staying = history_block.kept.iter().filter(|kept| stays(kept.form, &kept.turn));
        let used: usize = staying.map(|kept| kept.tokens).sum();
        let cost = |text: &str| {
            let block = Some(text).filter(|text| !text.is_empty());
            block.and_then(|text| self.summary_block(text)).map_or(0, |block| block.tokens)
        };
        let answer = truncate::truncate(answer, room.saturating_sub(used), &cost).text();
        if answer.trim().is_empty() {
            return history_block;
        }
        let forms = history_block.forms.iter().zip(&history.turns);
        let kept = |(form, turn): (&Form, &Turn)| {
            if stays(*form, turn) { *form } else { Form::Left }
        };
        let forms = forms.map(kept).collect();
        let older = history_block.older.take();
        history_block = self.block_in_forms(history, forms, &[]);
        let place =
            history_block.blocks.iter().position(|block| block.kind == BundleBlockKind::Note);
        if let (Some(place), Some(block)) = (place, self.summary_block(&answer)) {
            history_block.blocks.insert(place + 1, block);
        }
        HistoryBlock { older, summary: Some(answer), ..history_block }
    }

    fn shown(
        &self,
        history: &History,
        at: usize,
        form: Form,
        fired: &[Trigger],
    ) -> Option<(Turn, usize)> {
        let turn = &history.turns[at];
        match form {
            Form::Whole => Some((turn.clone(), history.whole[at])),
            Form::Short => self.shorts(history, fired.contains(&Trigger::Summarize))[at].clone(),
            Form::Cut(limit) => {
                let cut = turn.cut(limit, &|turn| self.turn_tokens(turn))?;
                let tokens = self.turn_tokens(&cut);
                Some((cut, tokens))
            }
            Form::Left => None,
        }
    }

    fn block_in_forms(
        &self,
        history: &History,
        mut forms: Vec<Form>,
        fired: &[Trigger],
    ) -> HistoryBlock {
        let mut kept = Vec::new();
        for (at, form) in forms.iter_mut().enumerate() {
            let shown = self.shown(history, at, *form, fired);
            match &shown {
                None => *form = Form::Left,
                Some((turn, _)) if *turn == history.turns[at] => *form = Form::Whole,
                Some(_) => {}
            }
            kept.extend(shown.map(|(turn, tokens)| KeptHistory { turn, form: *form, tokens }));
        }
        let there: BTreeSet<usize> = kept.iter().flat_map(|kept| &kept.turn.of).copied().collect();
        let all = history.turns.iter().flat_map(|turn| &turn.of).copied();
        let missing = all.filter(|at| !there.contains(at)).collect::<BTreeSet<_>>().len();
        let older = || {
            let older = history.turns.iter().zip(&forms).filter(|(_, form)| **form != Form::Whole);
            let said = |turn: &Turn| format!("{}: {}", turn.role.name(), turn.text());
            older.map(|(turn, _)| said(turn)).collect::<Vec<_>>().join("\n\n")
        };
        let wanted = fired.contains(&Trigger::Summarize) && self.config.budget.summarizer.is_some();
        let older = Some(wanted).filter(|wanted| *wanted).map(|_| older());
        let older = older.filter(|text| !text.is_empty());
        let note = self.note(missing, &kept);
        let blocks = self.history_blocks(&kept, note.as_deref());
        HistoryBlock { blocks, kept, forms, note, older, summary: None }
    }

    /// Bodies for Anthropic must begin with the user, as a note does.
    fn note(&self, missing: usize, kept: &[KeptHistory]) -> Option<String> {
        if missing > 0 {
            return Some(left_out(missing));
        }
        let first = kept.iter().find(|kept| !kept.turn.role.instructs())?;
        let opens =
            self.job.body == Some(Vendor::Anthropic) && first.turn.role != MessageRole::User;
        opens.then(|| "[The conversation begins with the assistant.]".to_owned())
    }

    fn history_blocks(&self, kept: &[KeptHistory], note: Option<&str>) -> Vec<BundleBlock> {
        let mut blocks = Vec::new();
        if kept.is_empty() && note.is_none() {
            return blocks;
        }
        blocks.extend(self.heading());
        blocks.extend(note.and_then(|note| self.note_block(note)));
        for (at, kept) in kept.iter().enumerate() {
            let (kind, lines) = (BundleBlockKind::Message(at), self.turn_lines(&kept.turn));
            blocks.push(BundleBlock {
                kind,
                section: Section::History,
                lines,
                tokens: kept.tokens,
            });
        }
        blocks
    }

    fn heading(&self) -> Option<BundleBlock> {
        let heading = self.job.style.conversation();
        let heading = self.job.body.is_none().then_some(heading)?;
        self.block(BundleBlockKind::Conversation, Section::History, heading)
    }

    fn note_block(&self, note: &str) -> Option<BundleBlock> {
        let lines = self.job.style.note(note);
        let mut block = self.block(BundleBlockKind::Note, Section::History, lines)?;
        if self.job.body.is_some() {
            block.tokens = self.counter.count(note);
        }
        Some(block)
    }

    fn summary_block(&self, summary: &str) -> Option<BundleBlock> {
        let lines = self.job.style.message("Summary", summary);
        let mut block = self.block(BundleBlockKind::Note, Section::History, lines)?;
        if self.job.body.is_some() {
            block.tokens = self.counter.count(&body::summary(summary));
        }
        Some(block)
    }

    fn turn_lines(&self, turn: &Turn) -> Vec<BundleLine> {
        self.job.style.message(turn.heading(), &turn.text())
    }

    fn turn_tokens(&self, turn: &Turn) -> usize {
        if self.job.body.is_none() {
            return self.counter.count(&text_of(&self.turn_lines(turn)));
        }
        turn.texts().iter().map(|text| self.counter.count(text)).sum()
    }

    fn shorts<'p>(&self, history: &'p History, extracts: bool) -> &'p Shorts {
        history.short[usize::from(extracts)].get_or_init(|| {
            let turns = history.turns.par_iter().zip(&history.whole);
            let short = |(turn, whole): (&Turn, &usize)| {
                let extracts = extracts && *whole >= LONG;
                let short = turn.short(extracts, &|text| self.counter.count(text))?;
                let tokens = self.turn_tokens(&short);
                (tokens < *whole).then_some((short, tokens))
            };
            turns.map(short).collect()
        })
    }
}

fn left_out(messages: usize) -> String {
    match messages {
        1 => "[1 message of this conversation is left out.]".to_owned(),
        n => format!("[{n} messages of this conversation are left out.]"),
    }
}

pub(super) type Shorts = Vec<Option<(Turn, usize)>>;

pub(super) struct History {
    pub(super) turns: Vec<Turn>,
    pub(super) whole: Vec<usize>,
    pub(super) needs: Vec<TurnNeed>,
    pub(super) short: [OnceLock<Shorts>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HistoryFit {
    /// In tokens; `None` for required turns only.
    pub(super) room: Option<usize>,
    pub(super) is_loose: bool,
}

impl HistoryFit {
    pub(super) const ALL: Self = Self { room: Some(usize::MAX), is_loose: false };

    fn requires(self, need: TurnNeed) -> bool {
        match need {
            TurnNeed::No => false,
            TurnNeed::IfItFits => !self.is_loose,
            TurnNeed::Exchange | TurnNeed::Always => true,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct KeptHistory {
    pub turn: Turn,
    pub form: Form,
    pub tokens: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct HistoryBlock {
    pub(super) blocks: Vec<BundleBlock>,
    pub(super) kept: Vec<KeptHistory>,
    pub(super) forms: Vec<Form>,
    pub(super) note: Option<String>,
    pub(super) older: Option<String>,
    pub(super) summary: Option<String>,
}

impl HistoryBlock {
    pub(super) fn tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.tokens).sum()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.forms.iter().all(|form| *form == Form::Whole)
    }
}

impl History {
    pub(super) fn gives_way(&self) -> bool {
        self.needs.iter().any(|need| matches!(need, TurnNeed::IfItFits | TurnNeed::Exchange))
    }

    pub(super) fn messages(&self, history_block: &HistoryBlock, count: usize) -> Vec<Form> {
        let mut of: Vec<Option<Form>> = vec![None; count];
        for (turn, form) in self.turns.iter().zip(&history_block.forms) {
            for &at in &turn.of {
                of[at] = match of[at] {
                    None => Some(*form),
                    Some(known) if known == *form => Some(known),
                    Some(_) => Some(Form::Short),
                };
            }
        }
        of.into_iter().map(|form| form.unwrap_or(Form::Whole)).collect()
    }

    pub(super) fn exchange(&self) -> Option<usize> {
        self.needs.iter().position(|need| *need == TurnNeed::Exchange)
    }

    pub(super) fn tokens(&self) -> usize {
        self.whole.iter().sum()
    }
}
