//! Contexts that packing must include: named ones and those that always load.

use crate::assemble::item::BundleItem;
use crate::budget::pack::Candidate;

/// The shortest forms of always-loading contexts may take 1/4 of the room.
const SHORTEST_FORMS_DIVISOR: usize = 4;

/// Decides about some contexts before packing. Named ones get their shortest form, all but the best
/// within half of the room; those of files at hand are then in full, also within half of the room, the
/// ones with the most worth first. Always-loading ones are in full within `share` tokens, else in
/// their shortest form.
pub(super) fn preselect(
    items: &[&BundleItem<'_>],
    candidates: &mut [Candidate],
    available: usize,
    share: usize,
) {
    let needed: usize = candidates.iter().map(Candidate::least).sum();
    let mut left = available.saturating_sub(needed);
    let mut named: Vec<usize> =
        (0..items.len()).filter(|&at| !candidates[at].must && items[at].is_named()).collect();
    let worth = |at: usize| candidates[at].utility(&candidates[at].offers[0]);
    named.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
    let by_worth = named.clone();
    for (place, at) in named.into_iter().enumerate() {
        let cost = candidates[at].shortest().tokens;
        let free = if place == 0 { 0 } else { available / 2 };
        if cost <= left.saturating_sub(free) {
            (candidates[at].must, left) = (true, left - cost);
        }
    }
    let mut room = left.min(available / 2);
    for at in by_worth {
        let more = candidates[at].offers[0].tokens - candidates[at].least();
        // For others with more worth, only room is kept.
        if !items[at].is_of_place() {
            room = room.saturating_sub(more);
        } else if more <= room {
            (room, left) = (room - more, left - more);
            candidates[at].offers.truncate(1);
            candidates[at].must = true;
        }
    }
    let mut always: Vec<&mut Candidate> = items
        .iter()
        .zip(candidates)
        .filter(|(item, candidate)| !candidate.must && item.always_loads())
        .map(|(_, candidate)| candidate)
        .collect();
    let sum = |cost: fn(&Candidate) -> usize, of: &[&mut Candidate]| -> usize {
        of.iter().map(|candidate| cost(candidate)).sum()
    };
    let whole = sum(|candidate| candidate.offers[0].tokens, &always);
    let shortest = sum(|candidate| candidate.shortest().tokens, &always);
    if whole <= share.min(left) {
        for candidate in &mut always {
            candidate.offers.truncate(1);
            candidate.must = true;
        }
    } else if shortest <= (available / SHORTEST_FORMS_DIVISOR).min(left) {
        for candidate in &mut always {
            candidate.must = true;
        }
    }
}
