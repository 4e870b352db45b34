//! Candidates as integers, so that rounding decides nothing.

use faber_core::budget::level::Level;
use std::cell::Cell;
use std::cmp::Reverse;

use super::{Candidate, Form, Limits};
use crate::query::utility::{Components, Weights};
use crate::search::item::unit;

/// The unit of components.
pub(super) const MILLION: u32 = 1_000_000;

/// Items in a search, the most useful ones. Their similarities take at most a megabyte.
pub(super) const POOL: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) item: usize,
    /// The index of its form.
    pub(super) form: usize,
}

/// Candidates by falling utility without novelty, then by id.
///
/// Utilities are in hundred-millionths: weights are hundredths and components millionths. The value
/// of a form is a utility times the tenths of its level.
pub(super) struct Problem<'a> {
    candidates: &'a [Candidate],
    /// The index of each item among the candidates.
    positions: Vec<usize>,
    /// The utility of each item without novelty.
    bases: Vec<u64>,
    /// The weight of novelty, in hundredths.
    weight: u64,
    /// The threshold of novelty, in millionths.
    threshold: u32,
    similarity: &'a dyn Fn(usize, usize) -> f64,
    /// Cached similarities within the pool, in millionths, by both items; [`u32::MAX`] if unknown.
    known: Vec<Cell<u32>>,
    work: Cell<u64>,
}

/// The value of a level, in tenths of the full text.
fn tenths(level: Level) -> u64 {
    match level {
        Level::Detailed => 10,
        Level::Summary => 6,
        Level::Essence => 3,
        // Queries have no other levels.
        Level::Truncated | Level::Focused | Level::Catalog | Level::Dropped => 0,
    }
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        candidates: &'a [Candidate],
        similarity: &'a dyn Fn(usize, usize) -> f64,
        limits: &Limits,
    ) -> Self {
        let weights = Weights::of(limits.purpose);
        let base = |at: usize| -> u64 {
            let components = Components { novelty: 0.0, ..candidates[at].components };
            let parts = components.weighted(weights).into_iter();
            parts.map(|(part, weight)| u64::from(weight) * u64::from(millionths(part))).sum()
        };
        let mut order: Vec<(u64, usize)> = (0..candidates.len()).map(|at| (base(at), at)).collect();
        order.sort_by(|a, b| {
            (b.0.cmp(&a.0))
                .then_with(|| candidates[a.1].id.cmp(&candidates[b.1].id))
                .then(a.1.cmp(&b.1))
        });
        let pool = candidates.len().min(POOL);
        Self {
            candidates,
            bases: order.iter().map(|&(base, _)| base).collect(),
            positions: order.iter().map(|&(_, at)| at).collect(),
            weight: u64::from(weights.novelty),
            threshold: millionths(limits.novelty_threshold),
            similarity,
            known: vec![Cell::new(u32::MAX); pool * pool],
            work: Cell::new(0),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// The number of items in a search; the others follow them.
    pub(super) fn pool(&self) -> usize {
        self.len().min(POOL)
    }

    pub(super) fn position(&self, item: usize) -> usize {
        self.positions[item]
    }

    pub(super) fn candidate(&self, item: usize) -> &'a Candidate {
        &self.candidates[self.positions[item]]
    }

    pub(super) fn forms(&self, item: usize) -> &'a [Form] {
        &self.candidate(item).forms
    }

    pub(super) fn form(&self, taken: Taken) -> Form {
        self.forms(taken.item)[taken.form]
    }

    pub(super) fn tokens(&self, taken: &[Taken]) -> usize {
        taken.iter().fold(0, |sum, one| sum.saturating_add(self.form(*one).tokens))
    }

    /// The similarity of two items, in millionths.
    pub(super) fn alike(&self, one: usize, other: usize) -> u32 {
        let (low, high) = (one.min(other), one.max(other));
        let ask = || {
            let (a, b) = (self.positions[low], self.positions[high]);
            millionths((self.similarity)(a.min(b), a.max(b)))
        };
        let pool = self.pool();
        if high >= pool {
            return ask();
        }
        let cell = &self.known[low * pool + high];
        if cell.get() == u32::MAX {
            cell.set(ask());
        }
        cell.get()
    }

    /// The novelty of an item given others, in millionths.
    pub(super) fn novelty(&self, item: usize, others: &[Taken]) -> u32 {
        self.spend(others.len());
        let alike = others.iter().filter(|other| other.item != item);
        MILLION - alike.map(|other| self.alike(item, other.item)).max().unwrap_or(0)
    }

    pub(super) fn is_new(&self, novelty: u32) -> bool {
        novelty >= self.threshold
    }

    /// The utility of an item with this novelty.
    pub(super) fn utility(&self, item: usize, novelty: u32) -> u64 {
        self.bases[item] + self.weight * u64::from(novelty)
    }

    /// The value of a member with this novelty.
    pub(super) fn worth(&self, taken: Taken, novelty: u32) -> u64 {
        tenths(self.form(taken).level) * self.utility(taken.item, novelty)
    }

    /// The maximum value per token of any form in the pool.
    pub(super) fn best_rate(&self) -> u64 {
        let forms = (0..self.pool())
            .flat_map(|item| (0..self.forms(item).len()).map(move |form| Taken { item, form }));
        let rate =
            |one: Taken| self.worth(one, MILLION).div_ceil(self.form(one).tokens.max(1) as u64);
        forms.map(rate).max().unwrap_or(0)
    }

    /// Sorts members into the order of choice and returns their value; `None` if two of them are
    /// too similar.
    pub(super) fn sort(&self, taken: &mut [Taken]) -> Option<u64> {
        self.spend(taken.len() * taken.len() / 2 + 1);
        let mut near = vec![0; taken.len()];
        let (mut worth, mut sound) = (0, true);
        for at in 0..taken.len() {
            let rank = |&one: &usize| {
                let utility = self.utility(taken[one].item, MILLION - near[one]);
                (utility, Reverse(taken[one].item))
            };
            let next = (at..taken.len()).max_by_key(rank).unwrap_or(at);
            taken.swap(at, next);
            near.swap(at, next);
            sound &= self.is_new(MILLION - near[at]);
            worth += self.worth(taken[at], MILLION - near[at]);
            for other in at + 1..taken.len() {
                near[other] = near[other].max(self.alike(taken[at].item, taken[other].item));
            }
        }
        sound.then_some(worth)
    }

    /// Counts steps, so that a search ends after the same number everywhere.
    pub(super) fn spend(&self, steps: usize) {
        self.work.set(self.work.get().saturating_add(steps as u64));
    }

    pub(super) fn spent(&self) -> u64 {
        self.work.get()
    }
}

/// A utility from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "utilities are at most 10^8")]
pub(super) fn unscaled(utility: u64) -> f64 {
    utility as f64 / (100.0 * f64::from(MILLION))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "within 0 and a million"
)]
fn millionths(value: f64) -> u32 {
    (unit(value) * f64::from(MILLION)).round() as u32
}
