use proptest::prelude::*;

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
