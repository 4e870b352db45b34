//! Local search for the best selection: from several starts, exchanges members while that increases
//! the value.

use super::problem::{MILLION, Problem, Taken};
use super::start::{By, completed, packings};

/// Maximum steps of a search, so that results do not depend on speed: some milliseconds. With ten
/// candidates, searches end by themselves.
const WORK: u64 = 500_000;

/// The best selection found with at most `capacity` tokens, in the order of choice.
pub(super) fn best(problem: &Problem<'_>, capacity: usize) -> Vec<Taken> {
    let mut starts = packings(problem, capacity);
    for by in [By::Density, By::Worth] {
        starts.push(completed(problem, Vec::new(), capacity, by));
    }
    let mut searches: Vec<Search<'_, '_>> =
        starts.into_iter().map(|taken| Search::new(problem, taken, capacity)).collect();
    // Stable: of equals the first is kept.
    searches.sort_by_key(|search| std::cmp::Reverse(search.worth));
    searches.dedup_by(|a, b| a.taken == b.taken);
    searches.iter_mut().for_each(Search::improve);
    let best = searches.into_iter().reduce(|a, b| if b.worth > a.worth { b } else { a });
    best.map(|search| search.taken).unwrap_or_default()
}

struct Search<'p, 'a> {
    problem: &'p Problem<'a>,
    taken: Vec<Taken>,
    worth: u64,
    capacity: usize,
    /// Maximum value of one token.
    rate: u64,
}

impl<'p, 'a> Search<'p, 'a> {
    fn new(problem: &'p Problem<'a>, mut taken: Vec<Taken>, capacity: usize) -> Self {
        let worth = problem.sort(&mut taken).unwrap_or(0);
        Self { problem, taken, worth, capacity, rate: problem.best_rate() }
    }

    /// Tries all forms of all items until none improves the selection.
    fn improve(&mut self) {
        loop {
            let before = self.worth;
            for item in 0..self.problem.pool() {
                for form in 0..self.problem.forms(item).len() {
                    self.admit(Taken { item, form });
                    if self.problem.spent() > WORK {
                        return;
                    }
                }
            }
            if self.worth == before {
                return;
            }
        }
    }

    /// Adds `new` if that increases the value, after removing what it repeats and as much else as
    /// needed.
    fn admit(&mut self, new: Taken) {
        let tokens = self.problem.form(new).tokens;
        if tokens > self.capacity || self.taken.contains(&new) {
            return;
        }
        let clashes =
            |one: &Taken| !self.problem.is_new(MILLION - self.problem.alike(one.item, new.item));
        let rest: Vec<Taken> = self
            .taken
            .iter()
            .copied()
            .filter(|one| one.item != new.item && !clashes(one))
            .collect();
        let total = self.problem.tokens(&rest);
        let excess = (total + tokens).saturating_sub(self.capacity);
        if excess == 0 {
            self.attempt(rest.iter().copied().chain([new]));
        }
        for out in 0..rest.len() {
            if self.problem.form(rest[out]).tokens >= excess && self.problem.spent() <= WORK {
                let others = rest.iter().enumerate().filter(|(at, _)| *at != out);
                self.attempt(others.map(|(_, one)| *one).chain([new]));
            }
        }
        if excess > 0 {
            self.attempt(self.evict(rest, excess).into_iter().chain([new]));
        }
    }

    /// Removes members with the least value per token until `excess` tokens are free.
    fn evict(&self, mut rest: Vec<Taken>, excess: usize) -> Vec<Taken> {
        let mut freed = 0;
        while freed < excess {
            let rate = |one: &Taken| {
                let novelty = self.problem.novelty(one.item, &rest);
                let tokens = self.problem.form(*one).tokens.max(1) as u64;
                self.problem.worth(*one, novelty) / tokens
            };
            let Some(out) = (0..rest.len()).min_by_key(|&at| rate(&rest[at])) else { break };
            freed += self.problem.form(rest.remove(out)).tokens;
        }
        rest
    }

    /// Completes a selection and keeps it if its value is greater.
    ///
    /// Skips it if it could not be greater even with full novelty.
    fn attempt(&mut self, members: impl Iterator<Item = Taken>) {
        let (mut ceiling, mut room) = (0u64, self.capacity);
        let members: Vec<Taken> = members
            .inspect(|one| {
                ceiling += self.problem.worth(*one, MILLION);
                room = room.saturating_sub(self.problem.form(*one).tokens);
            })
            .collect();
        self.problem.spend(members.len() / 4);
        if ceiling.saturating_add(self.rate.saturating_mul(room as u64)) <= self.worth {
            return;
        }
        let mut taken = completed(self.problem, members, self.capacity, By::Density);
        let worth = self.problem.sort(&mut taken).unwrap_or(0);
        if worth > self.worth {
            (self.taken, self.worth) = (taken, worth);
        }
    }
}
