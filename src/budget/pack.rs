//! Packing: which candidate gets in at which level, so that the sum is worth the most.
//!
//! Section figures are guarantees, not caps: a section gets at least what its figure could buy for
//! it alone, and what a section does not use of its figure is free for all.

use crate::budget::knapsack::{self, Choice};
use crate::budget::level::{Level, Section};

/// Something that wants to be in the bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// 1 is highest.
    pub priority: i64,
    /// The weight of its strongest reason.
    pub weight: f64,
    /// Whether the bundle must have it, at some level.
    pub must: bool,
    /// Whether it may be shortened.
    pub truncatable: bool,
    /// The section that it belongs to.
    pub section: Section,
    /// What it may be, the best first; never empty. Being dropped goes without saying.
    pub offers: Vec<Decision>,
}

/// A level, and what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The level.
    pub level: Level,
    /// Tokens at that level: of the context, or of its line in the catalog.
    pub tokens: usize,
}

/// The tokens that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// For all candidates and the catalog together.
    pub available: usize,
    /// Guaranteed to each section, by [`Section`] as index.
    pub guarantees: [usize; Section::COUNT],
    /// Tokens that the catalog could use; it is filled last.
    pub catalog: usize,
}

/// Shortens a candidate: given its index and a number of tokens, the best rendering that takes no
/// more, if there is one.
pub type Shorten<'a> = dyn FnMut(usize, usize) -> Option<Decision> + 'a;

/// What is required cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// Tokens that what is required takes when shortened as far as it may be.
    pub needed: usize,
}

/// Not being there at all.
pub const DROPPED: Decision = Decision { level: Level::Dropped, tokens: 0 };

/// Sections whose figures candidates are packed by.
const GUARANTEED: [Section; 3] = [Section::Profile, Section::Location, Section::Related];

impl Candidate {
    /// What it is worth at its best, in hundredths of a weight: weight × (11 − priority).
    fn worth(&self) -> u64 {
        let hundredths = (self.weight.clamp(0.0, 10_000.0) * 100.0).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to what fits"
        )]
        let hundredths = hundredths as u64;
        hundredths * u64::from(11 - u32::try_from(self.priority.clamp(1, 10)).unwrap_or(10))
    }

    /// The utility of a level: weight × (11 − priority) × the level's value.
    pub fn utility(&self, level: Level) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let exact = (self.worth() * self.tenths(level)) as f64;
        exact / 1000.0
    }

    /// The value of a level in tenths. The best that it may be, such as its beginning when it caps
    /// itself, is all of it.
    fn tenths(&self, level: Level) -> u64 {
        if level == self.offers[0].level { 10 } else { level.tenths() }
    }

    /// The offers that may stand in the end.
    pub fn allowed(&self) -> impl Iterator<Item = Decision> + '_ {
        let whole = |level| level == self.offers[0].level || level == Level::Catalog;
        let offers = self.offers.iter().copied();
        let offers = offers.filter(move |offer| self.truncatable || whole(offer.level));
        let offers = offers.filter(move |offer| !self.must || offer.level != Level::Catalog);
        offers.chain((!self.must).then_some(DROPPED))
    }

    /// The tokens that it takes at the least.
    pub fn least(&self) -> usize {
        self.allowed().map(|offer| offer.tokens).min().unwrap_or(0)
    }
}

/// Decides for every candidate so that the sum of utilities is the most that fits. The decisions
/// take at most `room.available` tokens.
///
/// A section whose share of the best packing is worth less than what its figure could buy gets that
/// instead, and the rest is packed again; what that leaves over goes to whatever it raises the most,
/// and lowers nothing. Of packings of equal utility the one is taken that gives
/// more to lower priority numbers, then to earlier candidates.
///
/// # Errors
///
/// [`Infeasible`] when what is required does not fit even when shortened as far as it may be.
pub fn optimal(candidates: &[Candidate], room: &Room) -> Result<Vec<Decision>, Infeasible> {
    let needed: usize = candidates.iter().map(Candidate::least).sum();
    if needed > room.available {
        return Err(Infeasible { needed });
    }
    let kept = room.catalog.min(room.guarantees[Section::Catalog as usize]);
    let mut packing = Optimal {
        candidates,
        capacity: room.available - kept.min(room.available - needed),
        open: (0..candidates.len()).collect(),
        floors: vec![0; candidates.len()],
        decisions: vec![DROPPED; candidates.len()],
        bonus: bonuses(candidates),
    };
    packing.run(room);
    Ok(packing.decisions)
}

struct Optimal<'a> {
    candidates: &'a [Candidate],
    capacity: usize,
    /// The candidates that are not decided for good.
    open: Vec<usize>,
    /// The tenths that each candidate may not fall below.
    floors: Vec<u64>,
    decisions: Vec<Decision>,
    /// What breaks ties, by candidate; far less than any utility.
    bonus: Vec<u64>,
}

/// Rank by priority, then by position, from the last up.
fn bonuses(candidates: &[Candidate]) -> Vec<u64> {
    let mut ranks: Vec<usize> = (0..candidates.len()).collect();
    ranks.sort_by_key(|&at| std::cmp::Reverse((candidates[at].priority, at)));
    let mut bonus = vec![0; candidates.len()];
    for (rank, at) in (1..).zip(ranks) {
        bonus[at] = rank;
    }
    bonus
}

impl Optimal<'_> {
    fn run(&mut self, room: &Room) {
        let mut sections = GUARANTEED.to_vec();
        let whole = self.capacity;
        loop {
            let best = self.solve(&self.open, self.capacity).unwrap_or_default();
            for (&at, &decision) in self.open.iter().zip(&best) {
                self.decisions[at] = decision;
            }
            let short = sections.iter().position(|&section| {
                let figure = room.guarantees[section as usize];
                self.guarantee(section, figure)
            });
            match short {
                Some(section) => sections.remove(section),
                None => break,
            };
        }
        if self.open.len() < self.candidates.len() {
            self.raise(whole);
        }
    }

    /// Raises what can be raised within `capacity`, in which everything decided so far fits.
    fn raise(&mut self, capacity: usize) {
        let decided = self.candidates.iter().zip(&self.decisions);
        self.floors = decided.map(|(candidate, has)| candidate.tenths(has.level)).collect();
        let all: Vec<usize> = (0..self.candidates.len()).collect();
        if let Some(best) = self.solve(&all, capacity) {
            self.decisions = best;
        }
    }

    /// Gives a section what its figure buys when that is worth more than what it has.
    fn guarantee(&mut self, section: Section, figure: usize) -> bool {
        let (own, others): (Vec<usize>, Vec<usize>) =
            self.open.iter().partition(|&&at| self.candidates[at].section == section);
        let owed: usize = others.iter().map(|&at| self.candidates[at].least()).sum();
        let figure = figure.min(self.capacity.saturating_sub(owed));
        let Some(bought) = self.solve(&own, figure) else { return false };
        let worth = |decisions: &mut dyn Iterator<Item = (usize, Decision)>| -> u64 {
            let value =
                |at: usize, level| self.candidates[at].worth() * self.candidates[at].tenths(level);
            decisions.map(|(at, offer)| value(at, offer.level)).sum()
        };
        let has = worth(&mut own.iter().map(|&at| (at, self.decisions[at])));
        if worth(&mut own.iter().copied().zip(bought.iter().copied())) <= has {
            return false;
        }
        for (at, decision) in own.into_iter().zip(bought) {
            self.decisions[at] = decision;
            self.capacity -= decision.tokens;
        }
        self.open = others;
        true
    }

    fn solve(&self, open: &[usize], capacity: usize) -> Option<Vec<Decision>> {
        let offers = |&at: &usize| -> Vec<Decision> {
            let candidate = &self.candidates[at];
            let enough = |offer: &Decision| candidate.tenths(offer.level) >= self.floors[at];
            candidate.allowed().filter(enough).collect()
        };
        let offers: Vec<Vec<Decision>> = open.iter().map(offers).collect();
        // The sum of all bonuses stays below one unit of utility.
        let unit = 10 * self.bonus.iter().sum::<u64>() + 1;
        let choice = |at: usize, offer: &Decision| {
            let tenths = self.candidates[at].tenths(offer.level);
            let value = self.candidates[at].worth() * tenths * unit + self.bonus[at] * tenths;
            Choice { cost: offer.tokens, value }
        };
        let classes: Vec<Vec<Choice>> = open
            .iter()
            .zip(&offers)
            .map(|(&at, offers)| offers.iter().map(|offer| choice(at, offer)).collect())
            .collect();
        let taken = knapsack::solve(&classes, capacity)?;
        Some(offers.iter().zip(taken).map(|(offers, at)| offers[at]).collect())
    }
}

/// Decides for every candidate by priority: the highest first, whole when it fits, shortened when
/// that is still useful. The decisions take at most `room.available` tokens.
///
/// # Errors
///
/// [`Infeasible`] when what is required does not fit even when shortened as far as it may be.
pub fn greedy(
    candidates: &[Candidate],
    room: &Room,
    shorten: &mut Shorten<'_>,
) -> Result<Vec<Decision>, Infeasible> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&candidates[a], &candidates[b]);
        b.must.cmp(&a.must).then(a.priority.cmp(&b.priority)).then(b.weight.total_cmp(&a.weight))
    });
    let mut owed: usize = candidates.iter().map(Candidate::least).sum();
    if owed > room.available {
        return Err(Infeasible { needed: owed });
    }
    let mut packing =
        Greedy { room, used: [0; Section::COUNT], total: 0, wanted: [0; Section::COUNT] };
    for candidate in candidates {
        packing.wanted[candidate.section as usize] += candidate.offers[0].tokens;
    }
    packing.wanted[Section::Catalog as usize] += room.catalog;
    let mut decisions = vec![DROPPED; candidates.len()];
    for at in order {
        let candidate = &candidates[at];
        let whole = candidate.offers[0];
        packing.wanted[candidate.section as usize] -= whole.tokens;
        owed -= candidate.least();
        let free = if candidate.must {
            room.available - packing.total - owed
        } else {
            packing.free_for(candidate.section)
        };
        let smallest = || candidate.allowed().filter(|_| candidate.must).min_by_key(|o| o.tokens);
        let decision = if whole.tokens <= free {
            whole
        } else if candidate.truncatable {
            shorten(at, free).or_else(smallest).unwrap_or(DROPPED)
        } else {
            DROPPED
        };
        packing.used[candidate.section as usize] += decision.tokens;
        packing.total += decision.tokens;
        decisions[at] = decision;
    }
    Ok(decisions)
}

struct Greedy<'a> {
    room: &'a Room,
    used: [usize; Section::COUNT],
    total: usize,
    /// Tokens that candidates still to come would take whole, by section.
    wanted: [usize; Section::COUNT],
}

impl Greedy<'_> {
    /// Tokens that a candidate of `section` may take without touching what other sections are
    /// guaranteed and still want.
    fn free_for(&self, section: Section) -> usize {
        let kept: usize = (0..Section::COUNT)
            .filter(|&other| other != section as usize)
            .map(|other| {
                let guaranteed = self.room.guarantees[other].saturating_sub(self.used[other]);
                guaranteed.min(self.wanted[other])
            })
            .sum();
        (self.room.available - self.total).saturating_sub(kept)
    }
}

#[cfg(test)]
mod tests;
