use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::*;

fn forms(full: usize) -> Vec<Offer> {
    let sizes = [
        (Level::Detailed, full, 1000),
        (Level::Focused, full / 3 + 1, 600),
        (Level::Summary, full / 4 + 1, 300),
        (Level::Essence, full / 10 + 1, 100),
    ];
    let offer = |(form, (level, tokens, value))| Offer { form, level, tokens, value };
    sizes.into_iter().enumerate().map(offer).collect()
}

fn candidate(relevance: f64, full: usize) -> Candidate {
    Candidate {
        priority: 3,
        weight: 6.0,
        relevance,
        must: false,
        truncatable: true,
        section: Section::Location,
        offers: forms(full),
    }
}

type Packed = Result<Vec<Option<Offer>>, Infeasible>;

fn levels(packed: Packed) -> Vec<Option<Level>> {
    packed.unwrap().into_iter().map(|offer| offer.map(|offer| offer.level)).collect()
}

fn tokens(packed: &[Option<Offer>]) -> usize {
    packed.iter().flatten().map(|offer| offer.tokens).sum()
}

fn worth(candidates: &[Candidate], packed: &[Option<Offer>]) -> u64 {
    let decided = candidates.iter().zip(packed);
    decided.map(|(one, offer)| one.worth() * offer.map_or(0, |it| u64::from(it.value))).sum()
}

#[test]
fn the_relevant_text_comes_whole_before_many_short_ones() {
    let mut candidates = vec![candidate(0.8, 1000)];
    candidates.extend((0..20).map(|_| candidate(0.0, 60)));
    let packed = optimal(&candidates, 1100).unwrap();
    assert_eq!(packed[0].unwrap().level, Level::Detailed);
    assert!(tokens(&packed) <= 1100);
    assert_eq!(greedy(&candidates, 1200).unwrap()[0].unwrap().level, Level::Detailed);
}

#[test]
fn greedy_gives_each_a_sentence_and_then_the_best_that_fits() {
    let candidates = [candidate(0.1, 100), candidate(0.9, 100), candidate(0.5, 100)];
    let expected = [Some(Level::Essence), Some(Level::Detailed), Some(Level::Focused)];
    assert_eq!(levels(greedy(&candidates, 150)), expected);
    assert_eq!(levels(greedy(&candidates, 15)), [None, Some(Level::Essence), None]);
}

#[test]
fn indivisible_candidates_are_whole_or_absent() {
    let one = Candidate { truncatable: false, ..candidate(0.5, 50) };
    assert_eq!(levels(optimal(std::slice::from_ref(&one), 49)), [None]);
    assert_eq!(levels(greedy(std::slice::from_ref(&one), 50)), [Some(Level::Detailed)]);
}

#[test]
fn required_candidates_are_shortened_before_packing_fails() {
    let both = [Candidate { must: true, ..candidate(0.0, 80) }, candidate(1.0, 80)];
    for pack in [optimal, greedy] {
        assert_eq!(levels(pack(&both, 90)), [Some(Level::Essence), Some(Level::Detailed)]);
        assert_eq!(levels(pack(&both, 9)), [Some(Level::Essence), None]);
        assert_eq!(pack(&both, 8), Err(Infeasible { needed: 9 }));
    }
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let one = (0.0..1.0, 1usize..200, any::<(bool, bool)>(), 1i64..7, 1u8..12);
    let one = one.prop_map(|(relevance, full, (must, truncatable), priority, weight)| Candidate {
        must,
        truncatable,
        priority,
        weight: f64::from(weight),
        ..candidate(relevance, full)
    });
    prop::collection::vec(one, 0..20)
}

fn keeps(candidates: &[Candidate], available: usize, packed: Packed) -> Result<(), TestCaseError> {
    let packed = match packed {
        Ok(packed) => packed,
        Err(infeasible) => {
            prop_assert!(infeasible.needed > available);
            return Ok(());
        }
    };
    prop_assert!(tokens(&packed) <= available);
    for (candidate, taken) in candidates.iter().zip(&packed) {
        prop_assert!(!candidate.must || taken.is_some());
        let whole = taken.is_none_or(|offer| offer.level == Level::Detailed);
        prop_assert!(candidate.truncatable || whole);
    }
    Ok(())
}

fn best_worth(candidates: &[Candidate], available: usize) -> Option<u64> {
    let Some((first, rest)) = candidates.split_first() else { return Some(0) };
    let none = (!first.must).then(|| best_worth(rest, available)).flatten();
    let fitting = first.allowed().filter(|offer| offer.tokens <= available);
    let with = fitting.filter_map(|offer| {
        Some(first.worth() * u64::from(offer.value) + best_worth(rest, available - offer.tokens)?)
    });
    with.chain(none).max()
}

fn few() -> impl Strategy<Value = Vec<Candidate>> {
    candidates().prop_map(|all| all.into_iter().take(5).collect())
}

fn holds<S: Strategy>(cases: u32, strategy: &S, law: fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config).run(strategy, law).unwrap();
}

fn packing_is_lawful(cases: u32) {
    holds(cases, &(candidates(), 0usize..900), |(candidates, available)| {
        keeps(&candidates, available, optimal(&candidates, available))?;
        keeps(&candidates, available, greedy(&candidates, available))?;
        let (Ok(less), Ok(more)) =
            (optimal(&candidates, available), optimal(&candidates, available + 7))
        else {
            return Ok(());
        };
        prop_assert!(worth(&candidates, &less) <= worth(&candidates, &more), "more room");
        let greedy = greedy(&candidates, available).unwrap();
        prop_assert!(worth(&candidates, &greedy) <= worth(&candidates, &less), "greedy is better");
        Ok(())
    });
    holds(cases, &(few(), 0usize..900), |(few, available)| {
        let packed = optimal(&few, available).ok().map(|packed| worth(&few, &packed));
        prop_assert_eq!(packed, best_worth(&few, available));
        Ok(())
    });
    let one_more_relevant = (candidates(), any::<prop::sample::Index>(), 0.0..1.0, 0usize..900);
    holds(cases, &one_more_relevant, |(mut candidates, which, more, available)| {
        let Ok(before) = optimal(&candidates, available) else { return Ok(()) };
        if candidates.is_empty() {
            return Ok(());
        }
        let at = which.index(candidates.len());
        let old = candidates[at].worth();
        candidates[at].relevance += more;
        prop_assume!(candidates[at].worth() > old);
        let after = optimal(&candidates, available).unwrap();
        let value = |taken: &Option<Offer>| taken.map_or(0, |offer| offer.value);
        prop_assert!(value(&before[at]) <= value(&after[at]), "more relevant and less text");
        Ok(())
    });
}

#[test]
fn packing_keeps_its_laws() {
    packing_is_lawful(2048);
}

#[test]
#[ignore = "10^5 cases of each; run with --release -- --ignored"]
fn packing_keeps_its_laws_in_many_cases() {
    packing_is_lawful(100_000);
}
