//! Chooses passages within a token budget: the best for each question, those nearly as relevant,
//! then by utility. Of two on one subject, the newer is first. Novelty is 1 minus the
//! greatest similarity to chosen passages.

use std::collections::BTreeSet;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::utility::{Components, utility};
use faber_core::budget::level::Level;
use faber_core::config::Purpose;

const NEAR: f64 = 0.95;

/// Similarity of passages on one subject.
const ALIKE: f64 = 0.4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Full,
    Shortened,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChunkCandidate {
    pub id: String,
    pub components: Components,
    pub relative: f64,
    /// Weight in the completeness, 0 to 1.
    pub weight: f64,
    pub dated: Option<Date>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChunkForm {
    pub level: Level,
    pub content: String,
    pub tokens: usize,
    /// Share of the utility, 0 to 1.
    pub share: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryLimits {
    pub max_tokens: usize,
    pub target_tokens: usize,
    pub novelty_threshold: f64,
    pub purpose: Purpose,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkChoice {
    pub chosen: Vec<Chosen>,
    pub left_out: Vec<OmittedCandidate>,
    pub total_tokens: usize,
    pub truncated: bool,
    pub completeness: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    pub candidate: usize,
    pub form: ChunkForm,
    pub components: Components,
    pub utility: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OmittedCandidate {
    pub candidate: usize,
    pub why: Omission,
    pub utility: f64,
}

/// Why a candidate is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Omission {
    /// It is redundant.
    Redundant,
    /// It does not fit.
    NoRoom,
    /// The target was reached before.
    TargetReached,
}

/// `similarity` is 0 to 1; `fit` gives the best form within some tokens.
pub fn choose(
    candidates: &[ChunkCandidate],
    similarity: &dyn Fn(usize, usize) -> f64,
    limits: &QueryLimits,
    fit: &mut dyn FnMut(usize, usize, Length) -> Option<ChunkForm>,
) -> ChunkChoice {
    let mut choice = ChunkChoice::default();
    let mut left: BTreeSet<usize> = (0..candidates.len()).collect();
    let mut nearest = vec![0.0_f64; candidates.len()];
    let mut unfit: Vec<usize> = Vec::new();
    let target = limits.target_tokens.min(limits.max_tokens);
    while choice.total_tokens < target {
        let is_new = |at: &usize| 1.0 - nearest[*at] >= limits.novelty_threshold;
        let is_lead = |at: usize| candidates[at].relative >= 1.0;
        let components =
            |at: usize| Components { novelty: 1.0 - nearest[at], ..candidates[at].components };
        let is_near = |at: usize| candidates[at].relative >= NEAR;
        let rank = |at: usize| {
            let relative = Components { relevance: candidates[at].relative, ..components(at) };
            if is_near(at) {
                candidates[at].components.relevance
            } else {
                utility(relative, limits.purpose)
            }
        };
        let order = |a: &usize, b: &usize| {
            let id = |at: usize| &candidates[at].id;
            let class = |at: usize| (is_lead(at), is_near(at));
            let by_rank = class(*a).cmp(&class(*b)).then(rank(*a).total_cmp(&rank(*b)));
            by_rank.then_with(|| id(*b).cmp(id(*a)))
        };
        let Some(best) = left.iter().copied().filter(is_new).max_by(order) else { break };
        let is_lead_next = is_lead(best);
        let next = newest(best, candidates, left.iter().copied().filter(is_new), similarity);
        left.remove(&next);
        let room = limits.max_tokens - choice.total_tokens;
        let further = left.iter().filter(|at| is_lead(**at) && is_new(at)).count();
        let own = match is_lead_next {
            true if further > 0 => room / (further + 1),
            true if !left.is_empty() => room - room / 4,
            _ => room,
        };
        let length = if is_near(next) { Length::Full } else { Length::Shortened };
        let mut form = fit(next, own, length);
        if form.is_none() && own < room {
            form = fit(next, room, length);
        }
        let Some(form) = form else {
            unfit.push(next);
            continue;
        };
        let components = components(next);
        let utility = utility(components, limits.purpose);
        for &other in left.iter().chain(&unfit) {
            let (low, high) = (next.min(other), next.max(other));
            nearest[other] = nearest[other].max(similarity(low, high).clamp(0.0, 1.0));
        }
        choice.total_tokens += form.tokens;
        choice.chosen.push(Chosen { candidate: next, form, components, utility });
    }
    choice.lengthen(target, fit);
    choice.truncated = choice.chosen.iter().any(|one| one.form.level != Level::Detailed);
    let rest = unfit.into_iter().map(|at| (at, Omission::NoRoom));
    let rest = rest.chain(left.into_iter().map(|at| (at, Omission::TargetReached)));
    choice.leave_out(candidates, limits, rest.collect(), &nearest);
    choice
}

fn newest(
    best: usize,
    candidates: &[ChunkCandidate],
    others: impl Iterator<Item = usize>,
    similarity: &dyn Fn(usize, usize) -> f64,
) -> usize {
    let dated = |at: usize| candidates[at].dated;
    let is_version = |at: &usize| {
        let is_near = candidates[*at].relative >= NEAR && dated(*at).is_some();
        is_near && similarity(best.min(*at), best.max(*at)) >= ALIKE
    };
    if dated(best).is_none() || candidates[best].relative < NEAR {
        return best;
    }
    let others = others.filter(|at| *at != best).filter(is_version);
    others.fold(best, |best, at| if dated(at) > dated(best) { at } else { best })
}

impl ChunkChoice {
    pub(super) fn unfit_lead(&self, candidates: &[ChunkCandidate]) -> Option<usize> {
        let unfit = self.left_out.iter().filter(|one| one.why == Omission::NoRoom);
        unfit.map(|one| one.candidate).find(|at| candidates[*at].relative >= 1.0)
    }

    fn lengthen(
        &mut self,
        target: usize,
        fit: &mut dyn FnMut(usize, usize, Length) -> Option<ChunkForm>,
    ) {
        for one in self.chosen.iter_mut().filter(|one| one.form.level == Level::Focused) {
            let others = self.total_tokens - one.form.tokens;
            let longer = target.checked_sub(self.total_tokens).filter(|room| *room > 0);
            let longer = longer.and_then(|_| fit(one.candidate, target - others, Length::Full));
            let fits =
                |form: &ChunkForm| (one.form.tokens..=target - others).contains(&form.tokens);
            if let Some(form) = longer.filter(fits) {
                self.total_tokens = others + form.tokens;
                one.form = form;
            }
        }
    }

    fn leave_out(
        &mut self,
        candidates: &[ChunkCandidate],
        limits: &QueryLimits,
        rest: Vec<(usize, Omission)>,
        nearest: &[f64],
    ) {
        let weighted = |one: &Chosen| one.utility * candidates[one.candidate].weight;
        let covered: f64 = self.chosen.iter().map(|one| weighted(one) * one.form.share).sum();
        let mut all: f64 = self.chosen.iter().map(weighted).sum();
        for (candidate, why) in rest {
            let novelty = 1.0 - nearest[candidate];
            let components = Components { novelty, ..candidates[candidate].components };
            let utility = utility(components, limits.purpose);
            let why = if novelty < limits.novelty_threshold { Omission::Redundant } else { why };
            if why != Omission::Redundant {
                all += utility * candidates[candidate].weight;
                self.truncated = true;
            }
            self.left_out.push(OmittedCandidate { candidate, why, utility });
        }
        self.left_out.sort_by(|a, b| {
            let id = |one: &OmittedCandidate| &candidates[one.candidate].id;
            b.utility.total_cmp(&a.utility).then_with(|| id(a).cmp(id(b)))
        });
        self.completeness = if all > 0.0 { covered / all } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    type Sized = (f64, usize);

    fn candidates(sizes: &[Sized]) -> Vec<ChunkCandidate> {
        let best = sizes.iter().map(|(relevance, _)| *relevance).fold(f64::MIN_POSITIVE, f64::max);
        let candidate = |(at, &(relevance, _)): (usize, &Sized)| ChunkCandidate {
            id: format!("{at:02}"),
            components: Components { relevance, ..Components::default() },
            relative: relevance / best,
            weight: 1.0,
            dated: None,
        };
        sizes.iter().enumerate().map(candidate).collect()
    }

    fn fit(sizes: &[Sized]) -> impl FnMut(usize, usize, Length) -> Option<ChunkForm> + '_ {
        |at, room, length| {
            let full = sizes[at].1;
            let is_shortened = length == Length::Shortened && full >= 40;
            let room = if is_shortened { room.min(full / 2) } else { room };
            let form = |level, tokens, share| {
                Some(ChunkForm { level, tokens, share, content: String::new() })
            };
            match room {
                room if room >= full => form(Level::Detailed, full, 1.0),
                20.. => form(Level::Focused, room, 0.5),
                _ => None,
            }
        }
    }

    fn limits(max_tokens: usize) -> QueryLimits {
        QueryLimits {
            max_tokens,
            target_tokens: max_tokens,
            novelty_threshold: 0.1,
            purpose: Purpose::Answer,
        }
    }

    fn chosen(choice: &ChunkChoice) -> Vec<(usize, Level, usize)> {
        let one = |one: &Chosen| (one.candidate, one.form.level, one.form.tokens);
        choice.chosen.iter().map(one).collect()
    }

    #[test]
    fn the_best_is_whole_and_others_fill_the_rest() {
        let sizes = [(0.5, 60), (0.9, 70), (0.7, 50)];
        let choice = choose(&candidates(&sizes), &|_, _| 0.0, &limits(100), &mut fit(&sizes));
        assert_eq!(chosen(&choice), [(1, Level::Detailed, 70), (2, Level::Focused, 30)]);
        assert!(choice.truncated && choice.left_out.len() == 1);
        assert!((0.5..0.8).contains(&choice.completeness), "{}", choice.completeness);
        let long = [(0.9, 90), (0.7, 50)];
        let choice = choose(&candidates(&long), &|_, _| 0.0, &limits(100), &mut fit(&long));
        assert_eq!(chosen(&choice), [(0, Level::Focused, 75), (1, Level::Focused, 25)]);
        let choice = choose(&candidates(&long[..1]), &|_, _| 0.0, &limits(100), &mut fit(&long));
        assert_eq!(chosen(&choice), [(0, Level::Detailed, 90)]);
        assert!(!choice.truncated && (choice.completeness - 1.0).abs() < 1e-9);
    }

    #[test]
    fn each_question_has_its_best_passage() {
        let sizes = [(0.9, 80), (0.85, 80), (0.5, 30), (0.4, 30)];
        let mut candidates = candidates(&sizes);
        candidates[2].relative = 1.0;
        let choice = choose(&candidates, &|_, _| 0.0, &limits(100), &mut fit(&sizes));
        let leads = [(0, Level::Focused, 50), (2, Level::Detailed, 30)];
        assert_eq!(chosen(&choice)[..2], leads);
        assert_eq!(choice.unfit_lead(&candidates), None);
    }

    #[test]
    fn the_best_takes_all_room_before_it_is_left_out() {
        let sizes = [(0.9, 90), (0.8, 20)];
        let mut whole = |at: usize, room, _| {
            let tokens = sizes[at].1;
            let form =
                ChunkForm { level: Level::Detailed, content: String::new(), tokens, share: 1.0 };
            (tokens <= room).then_some(form)
        };
        let candidates = candidates(&sizes);
        let mut choose =
            |max_tokens| choose(&candidates, &|_, _| 0.0, &limits(max_tokens), &mut whole);
        assert_eq!(chosen(&choose(100)), [(0, Level::Detailed, 90)]);
        let less = choose(80);
        assert_eq!(chosen(&less), [(1, Level::Detailed, 20)]);
        assert_eq!(less.unfit_lead(&candidates), Some(0));
    }

    #[test]
    fn what_is_less_relevant_is_shortened_if_that_makes_room() {
        let sizes = [(0.9, 40), (0.88, 40), (0.7, 60), (0.6, 60)];
        let choose = |max_tokens| {
            choose(&candidates(&sizes), &|_, _| 0.0, &limits(max_tokens), &mut fit(&sizes))
        };
        let all =
            |third, fourth| [(0, Level::Detailed, 40), (1, Level::Detailed, 40), third, fourth];
        let (third, fourth) = ((2, Level::Focused, 30), (3, Level::Focused, 30));
        assert_eq!(chosen(&choose(140)), all(third, fourth), "as much of either");
        let third = (2, Level::Detailed, 60);
        assert_eq!(chosen(&choose(180)), all(third, (3, Level::Focused, 40)), "room is used");
        let choice = choose(200);
        assert_eq!(chosen(&choice), all(third, (3, Level::Detailed, 60)));
        assert!(!choice.truncated && choice.total_tokens == 200);
    }

    #[test]
    fn repetition_is_left_out_and_the_target_ends_it() {
        let sizes = [(0.9, 30), (0.8, 30), (0.7, 30)];
        let alike = |a, b| if (a, b) == (0, 1) { 0.95 } else { 0.0 };
        let choice = choose(&candidates(&sizes), &alike, &limits(100), &mut fit(&sizes));
        assert_eq!(chosen(&choice), [(0, Level::Detailed, 30), (2, Level::Detailed, 30)]);
        assert_eq!(choice.left_out[0].why, Omission::Redundant);
        assert!((choice.completeness - 1.0).abs() < 1e-9, "repetition is not missing");
        let enough = QueryLimits { target_tokens: 30, ..limits(100) };
        let choice = choose(&candidates(&sizes), &|_, _| 0.0, &enough, &mut fit(&sizes));
        assert_eq!(chosen(&choice), [(0, Level::Detailed, 30)]);
        assert!(choice.left_out.iter().all(|one| one.why == Omission::TargetReached));
        let none = choose(&[], &|_, _| 0.0, &limits(10), &mut fit(&[]));
        assert_eq!(none, ChunkChoice::default());
    }

    #[test]
    fn relevance_is_relative_to_the_best() {
        let sizes = [(0.50, 30), (0.47, 30), (0.41, 30)];
        let alike = |a, b| if (a, b) == (0, 1) { 0.6 } else { 0.0 };
        let second = |purpose| {
            let limits = QueryLimits { purpose, ..limits(60) };
            let choice = choose(&candidates(&sizes), &alike, &limits, &mut fit(&sizes));
            chosen(&choice)[1].0
        };
        assert_eq!(second(Purpose::Answer), 1, "a passage on the subject, although less new");
        assert_eq!(second(Purpose::Explore), 2, "a new one");
    }

    #[test]
    fn of_two_versions_the_newer_is_first_and_both_have_room() {
        let sizes = [(0.57, 40), (0.56, 40), (0.45, 40)];
        let alike = |a, b| if (a, b) == (0, 1) { 0.5 } else { 0.0 };
        let mut candidates = candidates(&sizes);
        candidates[2].components.confidence = 1.0;
        let mut first = |dates: [Option<Date>; 2]| {
            for (candidate, dated) in candidates.iter_mut().zip(dates) {
                candidate.dated = dated;
            }
            let choice = choose(&candidates, &alike, &limits(80), &mut fit(&sizes));
            chosen(&choice).iter().map(|one| one.0).collect::<Vec<_>>()
        };
        let (old, new) = (Some(date(2024, 1, 15)), Some(date(2026, 1, 15)));
        assert_eq!(first([old, new]), [1, 0]);
        assert_eq!(first([new, old]), [0, 1]);
        assert_eq!(first([None, new]), [0, 1]);
    }

    proptest! {
        #[test]
        fn limits_hold_and_nothing_is_lost(
            sizes in prop::collection::vec((0.0..1.0_f64, 1_usize..200), 0..12),
            max_tokens in 0_usize..400,
            target_tokens in 0_usize..400,
            alike in 0.0..1.0_f64,
        ) {
            let limits = QueryLimits { target_tokens, ..limits(max_tokens) };
            let candidates = candidates(&sizes);
            let choice = choose(&candidates, &|_, _| alike, &limits, &mut fit(&sizes));
            prop_assert!(choice.total_tokens <= max_tokens);
            let tokens: usize = choice.chosen.iter().map(|one| one.form.tokens).sum();
            prop_assert_eq!(choice.total_tokens, tokens);
            let before: usize = choice.chosen.iter().rev().skip(1).map(|one| one.form.tokens).sum();
            prop_assert!(choice.chosen.is_empty() || before < target_tokens.min(max_tokens));
            let mut all: Vec<usize> = choice.chosen.iter().map(|one| one.candidate).collect();
            all.extend(choice.left_out.iter().map(|one| one.candidate));
            all.sort_unstable();
            prop_assert_eq!(all, (0..sizes.len()).collect::<Vec<_>>());
            prop_assert!((0.0..=1.0 + 1e-9).contains(&choice.completeness));
        }
    }
}
