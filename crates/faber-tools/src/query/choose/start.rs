//! Initial selections, and their greedy completion.

use super::problem::{MILLION, Problem, Taken};
use faber_core::budget::knapsack;

/// The criterion of the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Value.
    Worth,
    /// Value per token.
    Density,
}

/// Repetitions of the knapsack with updated novelties.
const ROUNDS: usize = 3;

/// Exact knapsack packings that ignore similarity, each completed to a selection: first with full
/// novelty, then with the novelty in the selection before.
pub(super) fn packings(problem: &Problem<'_>, capacity: usize) -> Vec<Vec<Taken>> {
    let mut novelties = vec![MILLION; problem.pool()];
    let mut found: Vec<Vec<Taken>> = Vec::new();
    for _ in 0..ROUNDS {
        let classes: Vec<Vec<knapsack::Choice>> = novelties
            .iter()
            .enumerate()
            .map(|(item, &novelty)| class(problem, item, novelty))
            .collect();
        let Some(packed) = knapsack::solve(&classes, capacity) else { break };
        let members = packed.iter().enumerate().filter(|(_, choice)| **choice > 0);
        let taken = members.map(|(item, choice)| Taken { item, form: choice - 1 }).collect();
        let taken = completed(problem, taken, capacity, By::Density);
        if found.contains(&taken) {
            break;
        }
        for (item, novelty) in novelties.iter_mut().enumerate() {
            let before = taken.iter().position(|one| one.item == item).unwrap_or(taken.len());
            *novelty = problem.novelty(item, &taken[..before]);
        }
        found.push(taken);
    }
    found
}

/// Absence, then the forms of an item.
fn class(problem: &Problem<'_>, item: usize, novelty: u32) -> Vec<knapsack::Choice> {
    let absent = knapsack::Choice { cost: 0, value: 0 };
    if !problem.is_new(novelty) {
        return vec![absent];
    }
    let forms = (0..problem.forms(item).len()).map(|form| Taken { item, form });
    let choice = |one: Taken| knapsack::Choice {
        cost: problem.form(one).tokens,
        value: problem.worth(one, novelty),
    };
    std::iter::once(absent).chain(forms.map(choice)).collect()
}

/// A selection in the order of choice, without redundant members and with everything that still
/// fits. The input fits.
pub(super) fn completed(
    problem: &Problem<'_>,
    mut taken: Vec<Taken>,
    capacity: usize,
    by: By,
) -> Vec<Taken> {
    problem.sort(&mut taken);
    let mut kept: Vec<Taken> = Vec::with_capacity(taken.len());
    for one in taken {
        if problem.is_new(problem.novelty(one.item, &kept)) {
            kept.push(one);
        }
    }
    fill(problem, &mut kept, capacity, by);
    problem.sort(&mut kept);
    kept
}

/// An item to add or to upgrade.
struct Open {
    item: usize,
    /// Its index in the selection, if it is there.
    place: Option<usize>,
    /// Its novelty given the others.
    novelty: u32,
}

/// Adds and upgrades items while something fits, the best step first.
fn fill(problem: &Problem<'_>, taken: &mut Vec<Taken>, capacity: usize, by: By) {
    let mut room = capacity.saturating_sub(problem.tokens(taken));
    let mut places = vec![None; problem.pool()];
    for (place, one) in taken.iter().enumerate() {
        places[one.item] = Some(place);
    }
    let mut open: Vec<Open> = Vec::new();
    for (item, &place) in places.iter().enumerate() {
        let least = problem.forms(item).iter().map(|form| form.tokens).min();
        if place.is_none() && least.is_none_or(|least| least > room) {
            continue;
        }
        let novelty = problem.novelty(item, taken);
        if place.is_some() || problem.is_new(novelty) {
            open.push(Open { item, place, novelty });
        }
    }
    while let Some((at, to, cost)) = next(problem, taken, &open, (room, by)) {
        room -= cost;
        let place = open[at].place;
        if let Some(place) = place {
            taken[place] = to;
            continue;
        }
        open[at].place = Some(taken.len());
        taken.push(to);
        problem.spend(open.len());
        open.retain_mut(|one| {
            if one.item != to.item {
                one.novelty = one.novelty.min(MILLION - problem.alike(one.item, to.item));
            }
            one.place.is_some() || problem.is_new(one.novelty)
        });
    }
}

/// The best step within the room: the index in `open`, the new form, and its tokens.
fn next(
    problem: &Problem<'_>,
    taken: &[Taken],
    open: &[Open],
    (room, by): (usize, By),
) -> Option<(usize, Taken, usize)> {
    problem.spend(open.len());
    let mut best: Option<(u64, usize, (usize, Taken, usize))> = None;
    for (at, one) in open.iter().enumerate() {
        let now = one.place.map(|place| taken[place]);
        let (tokens, worth) =
            now.map_or((0, 0), |now| (problem.form(now).tokens, problem.worth(now, one.novelty)));
        for form in 0..problem.forms(one.item).len() {
            let to = Taken { item: one.item, form };
            let cost = problem.form(to).tokens.saturating_sub(tokens);
            let gain = problem.worth(to, one.novelty).saturating_sub(worth);
            if cost > room || now == Some(to) || (now.is_some() && gain == 0) {
                continue;
            }
            // Cross-multiplied to avoid division; the greater comes first.
            let better = best.as_ref().is_none_or(|(most, least, _)| match by {
                By::Worth => gain > *most,
                By::Density => rate(gain, *least) > rate(*most, cost),
            });
            if better {
                best = Some((gain, cost, (at, to, cost)));
            }
        }
    }
    best.map(|(_, _, step)| step)
}

/// Value times tokens; no tokens count as one.
fn rate(worth: u64, tokens: usize) -> u128 {
    u128::from(worth) * tokens.max(1) as u128
}

/// The new item outside of a selection with the most value per token that fits.
pub(super) fn crossing(problem: &Problem<'_>, taken: &[Taken], room: usize) -> Option<Taken> {
    let mut inside = vec![false; problem.len()];
    for one in taken {
        inside[one.item] = true;
    }
    let mut best: Option<(u64, usize, Taken)> = None;
    for item in (0..problem.len()).filter(|&item| !inside[item]) {
        let novelty = problem.novelty(item, taken);
        if !problem.is_new(novelty) {
            continue;
        }
        for one in (0..problem.forms(item).len()).map(|form| Taken { item, form }) {
            let (worth, tokens) = (problem.worth(one, novelty), problem.form(one).tokens);
            let better =
                best.is_none_or(|(most, least, _)| rate(worth, least) > rate(most, tokens));
            if tokens <= room && better {
                best = Some((worth, tokens, one));
            }
        }
    }
    best.map(|(_, _, one)| one)
}
