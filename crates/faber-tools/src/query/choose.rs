//! The choice of what to tell within a number of tokens.
//!
//! What is sought is the set of candidates, each in one of its forms, whose worth is the most. The
//! worth of a set is the sum over its members of the utility times the value of the form's level
//! (all of it 1, its summary 0.6, its essence 0.3), where the novelty that goes into the utility is 1 less the greatest
//! similarity to the members chosen before. The order of choice is that of the greedy method: next
//! is always the member with the greatest utility beside what is chosen already; of equals the one
//! that is more useful by itself, then the lower id. A set may hold no two members so alike that
//! the later one's novelty is below the threshold.
//!
//! Up to the target the best such set is sought among the 512 most useful candidates. The search is
//! no proof: of random cases small enough to try everything, it finds the best set in 99 of 100.
//! When the target is not reached then and something still fits below the maximum, one more
//! candidate crosses it: the one that is worth the most for each of its tokens, so that what goes
//! over the target is little. Without a target of its own the maximum is the target.

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

/// Something that may be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its id; ties are broken by it.
    pub id: String,
    /// What its utility is made of. Its novelty is not looked at: it depends on what is chosen.
    pub components: Components,
    /// The forms that it may take, the most detailed first. Without one it cannot be chosen.
    pub forms: Vec<Form>,
}

/// A form of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its level of detail.
    pub level: Level,
    /// Its tokens, with whatever stands around it.
    pub tokens: usize,
}

/// How much may be told, and what for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The most tokens.
    pub max_tokens: usize,
    /// The tokens at which it is enough; what is above the most counts as the most.
    pub target_tokens: usize,
    /// The novelty, 0 to 1, below which a candidate says nothing new.
    pub novelty_threshold: f64,
    /// What it is for.
    pub purpose: Purpose,
}

/// What was chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// What is told, in the order of choice.
    pub chosen: Vec<Chosen>,
    /// The others, by falling utility and then by id.
    pub left_out: Vec<LeftOut>,
    /// The tokens of what is told.
    pub total_tokens: usize,
    /// Whether something that is new was left out, or is shorter than it may be.
    pub truncated: bool,
    /// The worth of what is told over the utility of all that is relevant, 0 to 1: of every
    /// candidate, but for those that repeat what is told. 1 when nothing is relevant.
    pub coverage_estimate: f64,
}

/// One that is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// Its position among the candidates.
    pub candidate: usize,
    /// The form that it takes.
    pub form: Form,
    /// What its utility is made of, with its novelty when it was chosen.
    pub components: Components,
    /// Its utility then, 0 to 1.
    pub utility: f64,
}

/// One that is not told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut {
    /// Its position among the candidates.
    pub candidate: usize,
    /// Why.
    pub why: Why,
    /// Its utility beside all that is told, 0 to 1.
    pub utility: f64,
}

/// Why a candidate is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It says nothing new.
    Redundant,
    /// There is no room for it.
    NoRoom,
    /// There was enough before it.
    TargetReached,
}

/// Chooses what to tell.
///
/// `similarity` says how alike two candidates are, by their positions, from 0 to 1; what is
/// outside of that counts as the nearer end. The lower position is asked for first.
///
/// The tokens of what is chosen never exceed `limits.max_tokens`, and those of all but the last are
/// below the target. The outcome does not depend on the order of the candidates as long as their
/// ids differ.
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

/// What a sorted selection means for every candidate. `full` is why those are not told that would
/// be new.
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
