//! What packing may not choose against: what is named, and what always loads.

use crate::assemble::items::Item;
use crate::budget::pack::Candidate;

/// The shortest forms of what always loads are certain to be in when they take at most one part in so many
/// of the room.
const SENTENCES: usize = 4;

/// Takes out of the choice what it may not give up, as far as there is room beside what is
/// required: what the request names at its shortest, the most worthy in all of the room and the others in
/// half of it; and what always loads
/// whole while that is within `share`, the tokens that it may take, else at its shortest while that is a small part
/// of the room.
pub(super) fn hold(
    items: &[&Item<'_>],
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
    for (place, at) in named.into_iter().enumerate() {
        let cost = candidates[at].shortest().tokens;
        let free = if place == 0 { 0 } else { available / 2 };
        if cost <= left.saturating_sub(free) {
            (candidates[at].must, left) = (true, left - cost);
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
    } else if shortest <= (available / SENTENCES).min(left) {
        for candidate in &mut always {
            candidate.must = true;
        }
    }
}
