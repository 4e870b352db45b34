//! Chooses the forms of candidates with the greatest total of
//!
//! ```text
//! weight × (11 − priority) × (0.1 + relevance)⁸ × value of the form
//! ```

use crate::budget::knapsack::{self, Choice};
use crate::budget::level::{Level, Section};

const POWER: i32 = 8;

#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// 1 is highest.
    pub priority: i64,
    pub weight: f64,
    /// 0 to 1.
    pub relevance: f64,
    pub must: bool,
    pub truncatable: bool,
    pub section: Section,
    /// Best first; never empty.
    pub offers: Vec<Offer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    pub form: usize,
    pub level: Level,
    pub tokens: usize,
    /// In thousandths of the full text.
    pub value: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    pub needed: usize,
}

impl Candidate {
    /// In units of 10⁻⁸ of the full text.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to what fits"
    )]
    fn worth(&self) -> u64 {
        let priority = f64::from(11 - u32::try_from(self.priority.clamp(1, 10)).unwrap_or(10));
        let relevance = 0.1 + self.relevance.clamp(0.0, 1.0);
        let worth = self.weight.clamp(0.0, 1000.0) * priority * relevance.powi(POWER);
        (worth * 1e8).round() as u64
    }

    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    pub fn utility(&self, offer: &Offer) -> f64 {
        (self.worth() * u64::from(offer.value)) as f64 / 1e11
    }

    pub fn allowed(&self) -> impl Iterator<Item = &Offer> + '_ {
        let whole = self.offers[0].form;
        self.offers.iter().filter(move |offer| self.truncatable || offer.form == whole)
    }

    pub fn least(&self) -> usize {
        if self.must { self.shortest().tokens } else { 0 }
    }

    /// # Panics
    ///
    /// If there is no offer.
    pub fn shortest(&self) -> &Offer {
        self.allowed().min_by_key(|offer| offer.tokens).expect("there is an offer")
    }
}

/// The greatest total utility within `available` tokens; `None` drops a candidate.
///
/// # Errors
///
/// [`Infeasible`] if required candidates do not fit.
pub fn optimal(
    candidates: &[Candidate],
    available: usize,
) -> Result<Vec<Option<Offer>>, Infeasible> {
    let none = Choice { cost: 0, value: 0 };
    let choices = |candidate: &Candidate| -> Vec<Choice> {
        let worth = candidate.worth();
        let of =
            |offer: &Offer| Choice { cost: offer.tokens, value: worth * u64::from(offer.value) };
        candidate.allowed().map(of).chain((!candidate.must).then_some(none)).collect()
    };
    let classes: Vec<Vec<Choice>> = candidates.iter().map(choices).collect();
    let taken = knapsack::solve(&classes, available).ok_or_else(|| infeasible(candidates))?;
    let decided = candidates.iter().zip(taken);
    Ok(decided.map(|(candidate, at)| candidate.allowed().nth(at).copied()).collect())
}

/// # Errors
///
/// [`Infeasible`] if required candidates do not fit.
pub fn greedy(
    candidates: &[Candidate],
    available: usize,
) -> Result<Vec<Option<Offer>>, Infeasible> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(candidates[at].worth()), at));
    let owed: usize = candidates.iter().map(Candidate::least).sum();
    let mut left = available.checked_sub(owed).ok_or_else(|| infeasible(candidates))?;
    let mut decided: Vec<Option<Offer>> = vec![None; candidates.len()];
    for &at in &order {
        let shortest = candidates[at].shortest();
        let cost = if candidates[at].must { 0 } else { shortest.tokens };
        if cost <= left {
            (decided[at], left) = (Some(*shortest), left - cost);
        }
    }
    for &at in &order {
        let has = decided[at].map_or(0, |offer| offer.tokens);
        let fits = |offer: &&Offer| offer.tokens <= left + has;
        let best = candidates[at].allowed().filter(fits).max_by_key(|offer| offer.value);
        if let Some(best) = best.filter(|best| decided[at].is_none_or(|it| best.value > it.value)) {
            (decided[at], left) = (Some(*best), left + has - best.tokens);
        }
    }
    Ok(decided)
}

fn infeasible(candidates: &[Candidate]) -> Infeasible {
    Infeasible { needed: candidates.iter().map(Candidate::least).sum() }
}

#[cfg(test)]
mod tests;
