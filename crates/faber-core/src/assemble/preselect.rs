//! Contexts that packing must include: named or always loading.

use crate::assemble::item::BundleItem;
use crate::budget::pack::Candidate;
use crate::select::reason::ReasonKind;

const SHORTEST_FORMS_DIVISOR: usize = 4;

pub(super) fn first_tokens(items: &[BundleItem<'_>]) -> (usize, usize) {
    let open = || items.iter().filter(|item| !item.barred);
    let required = open().map(|item| item.candidate.least()).sum();
    let optional = || open().filter(|item| !item.candidate.must && !item.stable);
    let shortest = |item: &BundleItem<'_>| item.candidate.shortest().tokens;
    let is_platform = |item: &&BundleItem<'_>| item.placed.has(ReasonKind::Platform);
    let platform: usize = optional().filter(is_platform).map(shortest).sum();
    let named = optional().filter(|item| item.is_named() && !is_platform(item));
    let best =
        named.rev().max_by(|a, b| full_worth(&a.candidate).total_cmp(&full_worth(&b.candidate)));
    (required, platform + best.map_or(0, shortest))
}

fn full_worth(candidate: &Candidate) -> f64 {
    candidate.utility(&candidate.offers[0])
}

/// Reserves room for, in order: a platform, always-loading contexts, named contexts, standards for
/// files.
pub(super) fn preselect(
    items: &[&BundleItem<'_>],
    candidates: &mut [Candidate],
    available: usize,
    share: usize,
) {
    let needed: usize = candidates.iter().map(Candidate::least).sum();
    let mut left = available.saturating_sub(needed);
    let require = |candidate: &mut Candidate, left: &mut usize, free: usize| {
        let cost = candidate.shortest().tokens - candidate.least();
        if cost <= left.saturating_sub(free) {
            (candidate.must, *left) = (true, *left - cost);
        }
    };
    for (item, candidate) in items.iter().zip(&mut *candidates) {
        if item.placed.has(ReasonKind::Platform) {
            require(candidate, &mut left, 0);
        }
    }
    let always: Vec<usize> = (0..items.len()).filter(|&at| items[at].always_loads()).collect();
    let sum = |candidates: &[Candidate], cost: fn(&Candidate) -> usize| -> usize {
        always.iter().map(|&at| cost(&candidates[at])).sum()
    };
    let whole = sum(candidates, |candidate| candidate.offers[0].tokens);
    let known = sum(candidates, Candidate::least);
    let shortest = sum(candidates, |candidate| candidate.shortest().tokens);
    if whole <= share.min(left + known) {
        left -= whole - known;
        for &at in &always {
            candidates[at].offers.truncate(1);
            candidates[at].must = true;
        }
    } else if shortest <= (available / SHORTEST_FORMS_DIVISOR).min(left + known) {
        left -= shortest - known;
        for &at in &always {
            candidates[at].must = true;
        }
    }
    let mut named: Vec<usize> =
        (0..items.len()).filter(|&at| !candidates[at].must && items[at].is_named()).collect();
    let worth = |at: usize| full_worth(&candidates[at]);
    named.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
    let half = left / 2;
    for (place, &at) in named.iter().enumerate() {
        require(&mut candidates[at], &mut left, if place == 0 { 0 } else { half });
    }
    let mut room = half.min(left);
    for at in named {
        let more = candidates[at].offers[0].tokens - candidates[at].least();
        if !items[at].rules_place() {
            room = room.saturating_sub(more);
        } else if more <= room {
            room -= more;
            candidates[at].offers.truncate(1);
            candidates[at].must = true;
        }
    }
}
