//! Choice of passages within a token budget.
//!
//! The goal is the set of candidates, each in one of its forms, with the greatest value. The value
//! of a set is the sum of utility times the value of the form's level (full text 1, summary 0.6,
//! essence 0.3), where the novelty in the utility is 1 minus the greatest similarity to the members
//! chosen before. The order is greedy: next is always the member with the greatest utility given
//! those before; ties go to the more useful by itself, then the lower id. The novelty of every
//! member must reach the threshold.
//!
//! Up to the target the best set is searched among the 512 most useful candidates. The search is
//! heuristic: in 99 of 100 small random cases it finds the optimum. If the target is not reached
//! and something still fits below the maximum, one more candidate may exceed the target: the one
//! with the most value per token. The default target is the maximum.

mod exchange;
mod problem;
mod start;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;

use super::utility::Components;
use faber_core::budget::level::Level;
use faber_core::config::Purpose;
use problem::{MILLION, Problem, Taken, unscaled};

#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its id, which breaks ties.
    pub id: String,
    /// The components of its utility. Novelty is ignored: it depends on the choice.
    pub components: Components,
    /// Its forms, the most detailed first. Without one it cannot be chosen.
    pub forms: Vec<Form>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub level: Level,
    /// With everything around it.
    pub tokens: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    pub max_tokens: usize,
    /// Sufficient tokens; clamped to the maximum.
    pub target_tokens: usize,
    /// Candidates with less novelty, 0 to 1, are redundant.
    pub novelty_threshold: f64,
    pub purpose: Purpose,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// In the order of choice.
    pub chosen: Vec<Chosen>,
    /// The others, by falling utility and then by id.
    pub left_out: Vec<LeftOut>,
    pub total_tokens: usize,
    /// Whether something new was left out or shortened.
    pub truncated: bool,
    /// The value of the choice over the utility of all relevant candidates that do not repeat it, 0
    /// to 1. 1 if nothing is relevant.
    pub coverage_estimate: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// Its index among the candidates.
    pub candidate: usize,
    pub form: Form,
    /// The components of its utility, with its novelty when it was chosen.
    pub components: Components,
    /// 0 to 1.
    pub utility: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut {
    /// Its index among the candidates.
    pub candidate: usize,
    pub why: Why,
    /// Its utility given the choice, 0 to 1.
    pub utility: f64,
}

/// Why a candidate is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It is redundant.
    Redundant,
    /// It does not fit.
    NoRoom,
    /// The target was reached before.
    TargetReached,
}

/// Chooses passages.
///
/// `similarity` of two candidates, by index, is clamped to 0 to 1; the lower index comes first.
///
/// The tokens of the choice never exceed `limits.max_tokens`, and those of all but the last are
/// below the target. The result does not depend on the order of candidates with different ids.
pub fn choose(
    candidates: &[Candidate],
    similarity: &dyn Fn(usize, usize) -> f64,
    limits: &Limits,
) -> Choice {
    let problem = Problem::new(candidates, similarity, limits);
    let target = limits.target_tokens.min(limits.max_tokens);
    let mut taken = exchange::best(&problem, target);
    problem.sort(&mut taken);
    let mut tokens = problem.tokens(&taken);
    if tokens < target
        && let Some(crossing) = start::crossing(&problem, &taken, limits.max_tokens - tokens)
    {
        tokens += problem.form(crossing).tokens;
        taken.push(crossing);
    }
    let full = if tokens >= target && target < limits.max_tokens {
        Why::TargetReached
    } else {
        Why::NoRoom
    };
    outcome(candidates, &problem, &taken, full)
}

/// The result for every candidate. `full` is the reason for new ones that are left out.
fn outcome(candidates: &[Candidate], problem: &Problem<'_>, taken: &[Taken], full: Why) -> Choice {
    let mut choice = Choice { total_tokens: problem.tokens(taken), ..Choice::default() };
    // Tenths of utilities, in the units of the problem.
    let (mut told, mut relevant) = (0, 0);
    for (at, &one) in taken.iter().enumerate() {
        let novelty = problem.novelty(one.item, &taken[..at]);
        told += problem.worth(one, novelty);
        relevant += 10 * problem.utility(one.item, novelty);
        let (candidate, form) = (problem.position(one.item), problem.form(one));
        let mut components = problem.candidate(one.item).components;
        components.novelty = f64::from(novelty) / f64::from(MILLION);
        let utility = unscaled(problem.utility(one.item, novelty));
        choice.chosen.push(Chosen { candidate, form, components, utility });
        choice.truncated |= one.form > 0;
    }
    let mut inside = vec![false; problem.len()];
    for one in taken {
        inside[one.item] = true;
    }
    for item in (0..problem.len()).filter(|&item| !inside[item]) {
        let novelty = problem.novelty(item, taken);
        let utility = problem.utility(item, novelty);
        let why = if problem.is_new(novelty) { full } else { Why::Redundant };
        if why != Why::Redundant {
            relevant += 10 * utility;
            choice.truncated = true;
        }
        let (candidate, utility) = (problem.position(item), unscaled(utility));
        choice.left_out.push(LeftOut { candidate, why, utility });
    }
    choice.left_out.sort_by(|a, b| {
        let id = |one: &LeftOut| &candidates[one.candidate].id;
        b.utility.total_cmp(&a.utility).then_with(|| id(a).cmp(id(b)))
    });
    choice.coverage_estimate = share(told, relevant);
    choice
}

#[expect(clippy::cast_precision_loss, reason = "a ratio, of which three digits are printed")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
