//! Contexts that load because they resemble the request.

use std::collections::BTreeSet;

use super::{Chooser, SelectionInput, load_of};
use crate::category::Load;
use crate::config::Semantic;
use crate::context_id::ContextId;
use crate::numbers::rounded;
use crate::resolve::catalog::Context;
use crate::select::globs::may_match_in;
use crate::select::languages::{self, Language};
use crate::select::reason::{Reason, ReasonKind};
use crate::select::relevance::{Relevance, Scores};
use crate::select::siblings::{self, NamedSiblings, Rated};

const NEARLY: f64 = 0.9;

type Close<'a, 's> = Vec<(&'a Context, &'s Relevance)>;

impl<'a> Chooser<'a> {
    /// Scores all, so that scores do not depend on the selection.
    pub(super) fn semantic(
        &mut self,
        scores: Scores,
        without: &BTreeSet<&ContextId>,
    ) -> Vec<&'a ContextId> {
        let config = self.inputs.config;
        let mut close = self.comparable(&scores);
        let best = close.iter().map(|(_, one)| one.score).fold(0.0, f64::max);
        let least = rounded(config.threshold.max(config.relative * best), 1000.0);
        close.retain(|(_, one)| one.score > 0.0 && one.score >= least);
        close.sort_by(|(a, x), (b, y)| y.score.total_cmp(&x.score).then_with(|| a.id.cmp(&b.id)));
        let SelectionInput { catalog, barred, .. } = self.inputs;
        close.retain(|(context, _)| !barred.contains(&context.id));
        let chosen = self.reasons.keys().filter(|id| !barred.contains(**id));
        let chosen = chosen.filter_map(|id| catalog.contexts.get(id));
        for (copy, of) in siblings::copies(chosen, &mut close, self.inputs.expander.sources) {
            let by = || format!("excluded by `{of}`, which has the same text");
            self.withheld.entry(copy).or_insert_with(by);
        }
        close.retain(|(context, _)| !without.contains(&context.id));
        let mut loaded = Vec::new();
        for (context, one) in self.first(&close) {
            let reason = Reason::new(ReasonKind::Semantic, resemblance(one));
            if config.semantic == Semantic::Suggest {
                self.selection.suggested.push((context.id.clone(), reason));
            } else {
                self.add(&context.id, reason);
                loaded.push(&context.id);
            }
        }
        let is_loading = best > 0.0 && config.semantic == Semantic::Load;
        self.selection.least_relevance = is_loading.then_some(least);
        let own = self.contexts().zip(scores.contexts).filter(|(it, _)| !self.is_foreign(it));
        self.selection.relevance = own.map(|(it, one)| (it.id.clone(), one)).collect();
        self.selection.passages = scores.passages;
        loaded
    }

    /// Contexts for other files or languages do not load by similarity, unless the request names one.
    fn comparable<'s>(&mut self, scores: &'s Scores) -> Close<'a, 's> {
        let request = self.inputs.request;
        let folders = || request.files.iter().filter(|file| file.ends_with('/'));
        let mut close: Close<'a, 's> = self
            .contexts()
            .zip(&scores.contexts)
            .filter(|(context, _)| load_of(context) != Load::Never && !self.is_foreign(context))
            .filter(|(context, _)| context.id.role.is_none())
            .filter(|(context, _)| !self.excepted.contains(&context.id))
            .collect();
        let texts = [&request.text, &request.error].into_iter();
        let of_files: Vec<Language> =
            request.files.iter().filter_map(|file| languages::of_file(file)).collect();
        let of_texts: Vec<Language> = texts.flat_map(|text| languages::of_text(text)).collect();
        let is_of_other_language = |context: &Context| {
            let own = languages::of_name(&context.id.name);
            let is_wanted = |it: &Language| of_files.contains(it) || of_texts.contains(it);
            !of_files.is_empty() && !own.is_empty() && !own.iter().any(is_wanted)
        };
        let is_elsewhere = |context: &Context| {
            let globs = &context.front.fields.globs;
            !request.files.is_empty()
                && (!globs.is_empty() || is_of_other_language(context))
                && !self.reasons.contains_key(&context.id)
                && !self.at_hand.contains(&context.id)
                && !globs.iter().any(|glob| folders().any(|it| may_match_in(&glob.value, it)))
        };
        let mut elsewhere: Close<'a, 's> =
            close.extract_if(.., |(context, _)| is_elsewhere(context)).collect();
        let best = close.iter().map(|(_, one)| one.score).fold(0.0, f64::max);
        let named = NamedSiblings::new([&request.text, &request.error]);
        let is_meant = |(context, one): &mut (&Context, &Relevance)| {
            one.score >= NEARLY * best && named.says(&context.id) && !is_of_other_language(context)
        };
        close.extend(elsewhere.extract_if(.., is_meant));
        elsewhere.retain(|(_, one)| one.score >= self.inputs.config.threshold);
        let by = |context: &Context| {
            if context.front.fields.globs.is_empty() {
                "excluded by its name: no file of the request is in that language"
            } else {
                "excluded by its globs, which match no file of the request"
            }
        };
        let withheld = elsewhere.iter().map(|(context, _)| (&context.id, by(context).to_owned()));
        self.withheld.extend(withheld);
        self.selection.elsewhere = asked_for(elsewhere, &request.files);
        close
    }

    fn first<'s>(&mut self, close: &[(&'a Context, &'s Relevance)]) -> Close<'a, 's> {
        let SelectionInput { request, config, .. } = self.inputs;
        let limit = if config.semantic == Semantic::Off { 0 } else { config.max_semantic };
        let siblings = NamedSiblings::new([&request.text, &request.error]);
        let rated: Vec<Rated<'a>> = close.iter().map(|(it, one)| (&it.id, one.score)).collect();
        let mut places: Vec<usize> = Vec::new();
        for (at, &(id, _)) in rated.iter().enumerate() {
            if places.contains(&at) {
                continue;
            }
            if places.len() >= limit {
                if config.semantic == Semantic::Load && !self.reasons.contains_key(id) {
                    let by = || format!("{limit} others come first (`selection.most`)");
                    self.withheld.entry(id).or_insert_with(by);
                }
                continue;
            }
            let named =
                if self.reasons.contains_key(id) { None } else { siblings.named(at, &rated) };
            if let Some(named) = named {
                let by = format!("excluded by `{}`, which the request names", rated[named].0);
                self.withheld.entry(id).or_insert(by);
            }
            let place = named.unwrap_or(at);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.sort_unstable();
        places.retain(|&at| !self.reasons.contains_key(rated[at].0));
        places.into_iter().map(|at| close[at]).collect()
    }
}

fn resemblance(relevance: &Relevance) -> String {
    let by = match &relevance.words[..] {
        [] => "by meaning".to_owned(),
        words => format!("for `{}`", words.join("`, `")),
    };
    format!("{:.3} {by}", relevance.score)
}

/// Most requests that name a file are only about that file.
const LEAST_EVIDENCE: f64 = 2.0;
const LEAST_WORDS: usize = 2;
const MOST: usize = 3;

/// Best evidence first. Words in the paths of `files` do not count.
fn asked_for(elsewhere: Vec<(&Context, &Relevance)>, files: &[String]) -> Vec<ContextId> {
    let files: Vec<String> = files.iter().map(|file| file.to_lowercase()).collect();
    let is_of_path = |word: &str| files.iter().any(|file| file.contains(&word.to_lowercase()));
    let evidence = |one: &Relevance| {
        let words = one.words.iter().zip(&one.evidence);
        let words = words.filter(|(word, evidence)| **evidence > 0.0 && !is_of_path(word));
        let words: Vec<f64> = words.map(|(_, evidence)| *evidence).collect();
        if words.len() >= LEAST_WORDS { words.iter().sum() } else { 0.0 }
    };
    let mut strong: Vec<(f64, &ContextId)> =
        elsewhere.into_iter().map(|(context, one)| (evidence(one), &context.id)).collect();
    strong.retain(|(evidence, _)| *evidence >= LEAST_EVIDENCE);
    strong.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.cmp(b)));
    strong.into_iter().take(MOST).map(|(_, id)| id.clone()).collect()
}
