//! Packing by priority: the highest first, whole when it fits, shortened when that is still useful.
//!
//! Section figures are guarantees: what a section may still need of its figure is kept free while
//! other sections are filled, and what it does not need is free for all.

use crate::budget::level::{Level, Section};

/// Something that wants to be in the bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// 1 is highest.
    pub priority: i64,
    /// Higher goes first among equals of priority.
    pub weight: f64,
    /// Whether the bundle must have it, at some level.
    pub must: bool,
    /// Whether it may be shortened.
    pub truncatable: bool,
    /// The section that it belongs to.
    pub section: Section,
    /// Tokens of the whole.
    pub full: usize,
    /// Tokens that it may take at most, by its own word.
    pub cap: Option<usize>,
}

/// What becomes of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The level.
    pub level: Level,
    /// Tokens at that level; 0 for [`Level::Catalog`] and [`Level::Dropped`].
    pub tokens: usize,
}

/// The tokens that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// For all candidates together.
    pub available: usize,
    /// Guaranteed to each section, by [`Section`] as index.
    pub guarantees: [usize; Section::COUNT],
    /// Tokens that the catalog could use; it is filled last.
    pub catalog: usize,
}

/// Shortens a candidate: given its index and a number of tokens, the best rendering that takes no
/// more, if there is one.
pub type Shorten<'a> = dyn FnMut(usize, usize) -> Option<Decision> + 'a;

/// What is required cannot be had: the tokens that would do, for all that is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// Tokens that what is required takes when shortened as far as it may be.
    pub needed: usize,
}

/// Decides for every candidate. The decisions take at most `room.available` tokens.
///
/// # Errors
///
/// [`Infeasible`] when what is required does not fit even when shortened as far as it may be.
pub fn greedy(
    candidates: &[Candidate],
    room: &Room,
    smallest: &mut dyn FnMut(usize) -> Decision,
    shorten: &mut Shorten<'_>,
) -> Result<Vec<Decision>, Infeasible> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&candidates[a], &candidates[b]);
        b.must.cmp(&a.must).then(a.priority.cmp(&b.priority)).then(b.weight.total_cmp(&a.weight))
    });
    let minimum: Vec<Option<Decision>> = candidates
        .iter()
        .enumerate()
        .map(|(at, candidate)| candidate.must.then(|| minimum(candidate, || smallest(at))))
        .collect();
    let mut owed: usize = minimum.iter().flatten().map(|decision| decision.tokens).sum();
    if owed > room.available {
        return Err(Infeasible { needed: owed });
    }
    let dropped = Decision { level: Level::Dropped, tokens: 0 };
    let mut packing =
        Packing { room, used: [0; Section::COUNT], total: 0, wanted: wanted(candidates, room) };
    let mut decisions = vec![dropped; candidates.len()];
    for at in order {
        let candidate = &candidates[at];
        packing.wanted[candidate.section as usize] -= candidate.full;
        let free = if let Some(least) = minimum[at] {
            owed -= least.tokens;
            room.available - packing.total - owed
        } else {
            packing.free_for(candidate.section)
        };
        let free =
            candidate.cap.filter(|_| candidate.truncatable).map_or(free, |cap| free.min(cap));
        let decision = if candidate.full <= free {
            Decision { level: Level::Detailed, tokens: candidate.full }
        } else if candidate.truncatable {
            shorten(at, free).or(minimum[at]).unwrap_or(dropped)
        } else {
            dropped
        };
        packing.used[candidate.section as usize] += decision.tokens;
        packing.total += decision.tokens;
        decisions[at] = decision;
    }
    Ok(decisions)
}

/// The least that a required candidate takes. Shortening does not always make shorter.
fn minimum(candidate: &Candidate, smallest: impl FnOnce() -> Decision) -> Decision {
    let full = Decision { level: Level::Detailed, tokens: candidate.full };
    if !candidate.truncatable {
        return full;
    }
    let least = smallest();
    if least.tokens < full.tokens { least } else { full }
}

fn wanted(candidates: &[Candidate], room: &Room) -> [usize; Section::COUNT] {
    let mut wanted = [0; Section::COUNT];
    for candidate in candidates {
        wanted[candidate.section as usize] += candidate.full;
    }
    wanted[Section::Catalog as usize] += room.catalog;
    wanted
}

struct Packing<'a> {
    room: &'a Room,
    used: [usize; Section::COUNT],
    total: usize,
    /// Tokens that candidates still to come would take whole, by section.
    wanted: [usize; Section::COUNT],
}

impl Packing<'_> {
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidate(priority: i64, full: usize) -> Candidate {
        Candidate {
            priority,
            weight: 1.0,
            must: false,
            truncatable: true,
            section: Section::Location,
            full,
            cap: None,
        }
    }

    fn room(available: usize) -> Room {
        Room { available, guarantees: [0; Section::COUNT], catalog: 0 }
    }

    /// Shortens to whatever is asked for, but not below 10 tokens.
    fn run(candidates: &[Candidate], room: &Room) -> Result<Vec<(Level, usize)>, Infeasible> {
        let mut smallest = |_| Decision { level: Level::Essence, tokens: 10 };
        let mut shorten =
            |_, limit| (limit >= 10).then_some(Decision { level: Level::Truncated, tokens: limit });
        let decisions = greedy(candidates, room, &mut smallest, &mut shorten)?;
        Ok(decisions.into_iter().map(|decision| (decision.level, decision.tokens)).collect())
    }

    #[test]
    fn the_highest_priority_goes_first_and_the_rest_is_shortened() {
        let candidates = [candidate(3, 60), candidate(1, 60), candidate(2, 5)];
        assert_eq!(
            run(&candidates, &room(100)).unwrap(),
            [(Level::Truncated, 35), (Level::Detailed, 60), (Level::Detailed, 5)]
        );
    }

    #[test]
    fn what_may_not_be_shortened_is_whole_or_not_there() {
        let whole = Candidate { truncatable: false, ..candidate(1, 101) };
        assert_eq!(run(&[whole], &room(100)).unwrap(), [(Level::Dropped, 0)]);
    }

    #[test]
    fn what_is_required_is_shortened_before_it_fails() {
        let must = Candidate { must: true, ..candidate(9, 80) };
        assert_eq!(
            run(&[candidate(1, 90), must.clone(), must.clone()], &room(100)).unwrap(),
            [(Level::Dropped, 0), (Level::Detailed, 80), (Level::Truncated, 20)]
        );
        assert_eq!(run(&[must.clone(), must], &room(19)), Err(Infeasible { needed: 20 }));
    }

    #[test]
    fn a_guarantee_is_kept_while_it_is_wanted_and_free_when_it_is_not() {
        let mut guarantees = [0; Section::COUNT];
        guarantees[Section::Related as usize] = 30;
        let room = Room { guarantees, ..room(100) };
        let related = Candidate { section: Section::Related, ..candidate(9, 20) };
        assert_eq!(
            run(&[candidate(1, 100), related], &room).unwrap(),
            [(Level::Truncated, 80), (Level::Detailed, 20)]
        );
        assert_eq!(run(&[candidate(1, 100)], &room).unwrap(), [(Level::Detailed, 100)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]
        #[test]
        fn never_more_than_there_is(
            parts in prop::collection::vec(
                (1i64..7, 1usize..200, any::<bool>(), any::<bool>(), 0usize..5, prop::option::of(1usize..150)),
                0..20,
            ),
            available in 0usize..600,
            guarantees in prop::array::uniform7(0usize..200),
        ) {
            let sections = [Section::Profile, Section::Location, Section::Related, Section::Location, Section::Location];
            let candidates: Vec<_> = parts.into_iter().map(|(priority, full, must, truncatable, section, cap)| {
                Candidate { priority, weight: 1.0, must, truncatable, section: sections[section], full, cap }
            }).collect();
            let room = Room { available, guarantees, catalog: 50 };
            match run(&candidates, &room) {
                Err(infeasible) => prop_assert!(infeasible.needed > available),
                Ok(decisions) => {
                    prop_assert!(decisions.iter().map(|d| d.1).sum::<usize>() <= available);
                    for (candidate, (level, tokens)) in candidates.iter().zip(decisions) {
                        prop_assert!(!candidate.must || level != Level::Dropped);
                        prop_assert!(candidate.truncatable || matches!(level, Level::Detailed | Level::Dropped));
                        prop_assert!(level != Level::Detailed || tokens == candidate.full);
                    }
                }
            }
        }
    }
}
