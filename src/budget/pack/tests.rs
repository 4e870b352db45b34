use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::*;

fn offer(level: Level, tokens: usize) -> Decision {
    Decision { level, tokens }
}

/// A candidate that takes `full` tokens whole, a quarter as a summary and a tenth as its essence.
fn candidate(priority: i64, full: usize) -> Candidate {
    Candidate {
        priority,
        weight: 6.0,
        must: false,
        truncatable: true,
        section: Section::Location,
        offers: vec![
            offer(Level::Detailed, full),
            offer(Level::Summary, full / 4 + 1),
            offer(Level::Essence, full / 10 + 1),
            offer(Level::Catalog, 2),
        ],
    }
}

fn room(available: usize) -> Room {
    Room { available, guarantees: [0; Section::COUNT], catalog: 0 }
}

type Packed = Result<Vec<(Level, usize)>, Infeasible>;

fn pairs(decisions: Result<Vec<Decision>, Infeasible>) -> Packed {
    Ok(decisions?.into_iter().map(|decision| (decision.level, decision.tokens)).collect())
}

/// Greedy, with a shortening to whatever is asked for, but not below 10 tokens.
fn run_greedy(candidates: &[Candidate], room: &Room) -> Packed {
    let mut shorten = |_, limit| (limit >= 10).then_some(offer(Level::Truncated, limit));
    pairs(greedy(candidates, room, &mut shorten))
}

fn run_optimal(candidates: &[Candidate], room: &Room) -> Packed {
    pairs(optimal(candidates, room))
}

fn utility(candidates: &[Candidate], packed: &[(Level, usize)]) -> u64 {
    candidates.iter().zip(packed).map(|(c, (level, _))| c.worth() * level.tenths()).sum()
}

#[test]
fn greedy_takes_the_highest_priority_first_and_shortens_the_rest() {
    let candidates = [candidate(3, 60), candidate(1, 60), candidate(2, 5)];
    assert_eq!(
        run_greedy(&candidates, &room(100)).unwrap(),
        [(Level::Truncated, 35), (Level::Detailed, 60), (Level::Detailed, 5)]
    );
}

#[test]
fn optimal_prefers_many_useful_ones_to_a_large_one() {
    let mut large = candidate(2, 900);
    large.weight = 7.0;
    let small: Vec<Candidate> = (0..9).map(|_| candidate(3, 100)).collect();
    let all: Vec<Candidate> = std::iter::once(large).chain(small).collect();
    let packed = run_optimal(&all, &room(1000)).unwrap();
    assert_eq!(packed[0].0, Level::Essence);
    assert!(packed[1..].iter().all(|(level, _)| *level == Level::Detailed));
}

#[test]
fn ties_go_to_the_lower_number_then_to_the_earlier() {
    let only_whole = |priority, weight| Candidate {
        weight,
        offers: vec![offer(Level::Detailed, 50)],
        ..candidate(priority, 50)
    };
    // 5 × (11 − 1) = 10 × (11 − 6)
    let packed = run_optimal(&[only_whole(6, 10.0), only_whole(1, 5.0)], &room(50)).unwrap();
    assert_eq!(packed, [(Level::Dropped, 0), (Level::Detailed, 50)]);
    let packed = run_optimal(&[only_whole(2, 5.0), only_whole(2, 5.0)], &room(50)).unwrap();
    assert_eq!(packed, [(Level::Detailed, 50), (Level::Dropped, 0)]);
}

#[test]
fn what_may_not_be_shortened_is_whole_or_named_or_not_there() {
    let whole = Candidate { truncatable: false, ..candidate(1, 101) };
    assert_eq!(
        run_greedy(std::slice::from_ref(&whole), &room(100)).unwrap(),
        [(Level::Dropped, 0)]
    );
    assert_eq!(run_optimal(&[whole], &room(100)).unwrap(), [(Level::Catalog, 2)]);
}

#[test]
fn what_is_required_is_shortened_before_it_fails() {
    let must = Candidate { must: true, ..candidate(9, 80) };
    let both = [must.clone(), must];
    assert_eq!(
        run_greedy(&both, &room(100)).unwrap(),
        [(Level::Detailed, 80), (Level::Truncated, 20)]
    );
    assert_eq!(
        run_optimal(&both, &room(100)).unwrap(),
        [(Level::Detailed, 80), (Level::Essence, 9)]
    );
    assert_eq!(run_optimal(&both, &room(17)), Err(Infeasible { needed: 18 }));
    assert_eq!(run_greedy(&both, &room(17)), Err(Infeasible { needed: 18 }));
}

#[test]
fn a_guarantee_is_kept_while_it_is_wanted_and_free_when_it_is_not() {
    let mut guarantees = [0; Section::COUNT];
    guarantees[Section::Related as usize] = 30;
    let room = Room { guarantees, ..room(100) };
    let related = Candidate { section: Section::Related, weight: 3.0, ..candidate(9, 20) };
    let candidates = [candidate(1, 100), related];
    for packed in [run_greedy(&candidates, &room), run_optimal(&candidates, &room)] {
        assert_eq!(packed.unwrap()[1], (Level::Detailed, 20));
    }
    assert_eq!(run_optimal(&candidates[..1], &room).unwrap(), [(Level::Detailed, 100)]);
}

#[test]
fn a_section_that_got_what_its_figure_buys_gets_of_what_is_left() {
    let mut guarantees = [0; Section::COUNT];
    guarantees[Section::Related as usize] = 15;
    let of = |full, essence, candidate| Candidate {
        offers: vec![offer(Level::Detailed, full), offer(Level::Essence, essence)],
        ..candidate
    };
    let large = of(110, 50, candidate(1, 0));
    let related = of(20, 10, Candidate { section: Section::Related, ..candidate(9, 0) });
    let room = Room { guarantees, ..room(115) };
    // The figure buys the essence. That is too much for all of the large one, whose essence then
    // leaves more than enough.
    let packed = run_optimal(&[large, related], &room).unwrap();
    assert_eq!(packed, [(Level::Essence, 50), (Level::Detailed, 20)]);
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let sections = [Section::Profile, Section::Location, Section::Related, Section::Location];
    let one = (1i64..7, 1usize..200, any::<(bool, bool)>(), 0usize..4, 1u8..12);
    let one =
        one.prop_map(move |(priority, full, (must, truncatable), section, weight)| Candidate {
            must,
            truncatable,
            section: sections[section],
            weight: f64::from(weight),
            ..candidate(priority, full)
        });
    prop::collection::vec(one, 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]
    #[test]
    fn never_more_than_there_is_and_always_what_must_be(
        candidates in candidates(),
        available in 0usize..900,
        guarantees in prop::array::uniform7(0usize..200),
    ) {
        let room = Room { available, guarantees, catalog: 50 };
        for packed in [run_greedy(&candidates, &room), run_optimal(&candidates, &room)] {
            match packed {
                Err(infeasible) => prop_assert!(infeasible.needed > available),
                Ok(packed) => {
                    prop_assert!(packed.iter().map(|p| p.1).sum::<usize>() <= available);
                    for (candidate, (level, _)) in candidates.iter().zip(packed) {
                        let named = matches!(level, Level::Catalog | Level::Dropped);
                        prop_assert!(!candidate.must || !named);
                        prop_assert!(candidate.truncatable || named || level == Level::Detailed);
                    }
                }
            }
        }
    }

    #[test]
    fn a_higher_budget_alone_is_never_worth_less(candidates in candidates(), available in 0usize..900) {
        let at = |available| run_optimal(&candidates, &room(available)).ok();
        if let (Some(less), Some(more)) = (at(available), at(available + 7)) {
            prop_assert!(utility(&candidates, &less) <= utility(&candidates, &more));
        }
    }

    #[test]
    fn optimal_is_worth_at_least_as_much_as_greedy(candidates in candidates(), available in 0usize..900) {
        // Greedy may cut anywhere, which is no offer of the other; whole or not is.
        let whole: Vec<Candidate> = candidates
            .into_iter()
            .map(|candidate| Candidate { truncatable: false, must: false, ..candidate })
            .collect();
        let room = room(available);
        let [greedy, optimal] = [run_greedy(&whole, &room), run_optimal(&whole, &room)];
        prop_assert!(utility(&whole, &greedy.unwrap()) <= utility(&whole, &optimal.unwrap()));
    }
}

/// Every way of deciding for candidates, each with its tokens.
fn every_way(candidates: &[Candidate]) -> Vec<(Vec<Decision>, usize)> {
    let Some((first, rest)) = candidates.split_first() else { return vec![(Vec::new(), 0)] };
    let behind = every_way(rest);
    let with = |offer: Decision| {
        behind.iter().map(move |(decisions, tokens)| {
            let all = std::iter::once(offer).chain(decisions.iter().copied()).collect();
            (all, offer.tokens + tokens)
        })
    };
    first.allowed().flat_map(with).collect()
}

fn worth(candidates: &[Candidate], decisions: &[Decision]) -> u64 {
    let decided = candidates.iter().zip(decisions);
    decided.map(|(candidate, offer)| candidate.worth() * candidate.tenths(offer.level)).sum()
}

/// The most that any packing in `available` tokens is worth; none when nothing fits.
fn most(candidates: &[Candidate], available: usize) -> Option<u64> {
    let ways = every_way(candidates).into_iter().filter(|(_, tokens)| *tokens <= available);
    ways.map(|(decisions, _)| worth(candidates, &decisions)).max()
}

fn few() -> impl Strategy<Value = Vec<Candidate>> {
    candidates().prop_map(|all| all.into_iter().take(5).collect())
}

/// Without figures nothing is worth more. With figures that all fit, each section has what its
/// figure could buy for it alone, and what is left over could raise nothing.
fn agrees_with_all_ways(all: &[Candidate], room: &Room) -> Result<(), TestCaseError> {
    let free = Room { guarantees: [0; Section::COUNT], ..room.clone() };
    let packed = optimal(all, &free).ok();
    let value = packed.map(|packed| worth(all, &packed));
    prop_assert_eq!(value, most(all, room.available));
    let Ok(packed) = optimal(all, room) else { return Ok(()) };
    let left = room.available - packed.iter().map(|offer| offer.tokens).sum::<usize>();
    for (candidate, has) in all.iter().zip(&packed) {
        let better = |offer: &Decision| candidate.tenths(offer.level) > candidate.tenths(has.level);
        let raised = candidate.allowed().filter(better).find(|o| o.tokens <= has.tokens + left);
        prop_assert_eq!(raised, None, "{} tokens are left", left);
    }
    let promised: usize = GUARANTEED.iter().map(|section| room.guarantees[*section as usize]).sum();
    if promised > room.available || all.iter().any(|candidate| candidate.must) {
        return Ok(());
    }
    for section in GUARANTEED {
        let own = |at: &usize| all[*at].section == section;
        let (own, has): (Vec<_>, Vec<_>) =
            (0..all.len()).filter(own).map(|at| (all[at].clone(), packed[at])).unzip();
        let bought = most(&own, room.guarantees[section as usize]).unwrap_or(0);
        prop_assert!(worth(&own, &has) >= bought, "{:?} has less than its figure", section);
    }
    Ok(())
}

/// Candidates of which in half the cases none is required, and a room without a catalog.
fn small() -> impl Strategy<Value = (Vec<Candidate>, Room)> {
    let figures = prop::array::uniform7(0usize..200);
    (few(), any::<bool>(), 0usize..900, figures).prop_map(|(mut few, free, available, figures)| {
        for candidate in &mut few {
            candidate.must &= !free;
        }
        (few, Room { guarantees: figures, ..room(available) })
    })
}

/// Tries the decision for that many small cases against all ways of deciding.
fn agrees(cases: u32) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let law = |(all, room): (Vec<Candidate>, Room)| agrees_with_all_ways(&all, &room);
    TestRunner::new(config).run(&small(), law).unwrap();
}

#[test]
fn no_way_of_deciding_is_better() {
    agrees(2048);
}

#[test]
#[ignore = "10^5 cases; run with --release -- --ignored"]
fn no_way_of_deciding_is_better_in_many_cases() {
    agrees(100_000);
}
