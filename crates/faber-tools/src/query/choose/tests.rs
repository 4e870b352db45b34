//! The choice against exhaustive search, and its laws.

use proptest::prelude::*;

use super::*;
use crate::query::utility::utility;

/// A small generator of numbers, so that cases are the same on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    #[expect(clippy::cast_precision_loss, reason = "53 bits are enough")]
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A case: candidates, their similarities, limits.
#[derive(Clone, Debug)]
struct Case {
    candidates: Vec<Candidate>,
    similar: Vec<Vec<f64>>,
    limits: Limits,
}

impl Case {
    fn choose(&self) -> Choice {
        choose(&self.candidates, &|a, b| self.similar[a][b], &self.limits)
    }

    /// The worth of members by its definition; none when two are too much alike.
    fn worth(&self, members: &[(usize, Form)]) -> Option<f64> {
        let (mut left, mut before, mut sum) = (members.to_vec(), Vec::new(), 0.0);
        while !left.is_empty() {
            let valued = left.iter().enumerate().map(|(at, &(one, form))| {
                let near = before.iter().map(|&other: &usize| self.similar[one][other]);
                let novelty = 1.0 - near.fold(0.0, f64::max);
                let components = Components { novelty, ..self.candidates[one].components };
                (utility(&components, self.limits.purpose), at, novelty, form)
            });
            let (utility, at, novelty, form) = valued.max_by(|a, b| a.0.total_cmp(&b.0))?;
            if novelty < self.limits.novelty_threshold {
                return None;
            }
            sum += utility * level_value(form.level);
            before.push(left.swap_remove(at).0);
        }
        Some(sum)
    }

    /// The most that any selection is worth, by trying all.
    fn best(&self, from: usize, room: usize, members: &mut Vec<(usize, Form)>) -> f64 {
        let Some(candidate) = self.candidates.get(from) else {
            return self.worth(members).unwrap_or(0.0);
        };
        let mut most = self.best(from + 1, room, members);
        for &form in candidate.forms.iter().filter(|form| form.tokens <= room) {
            members.push((from, form));
            most = most.max(self.best(from + 1, room - form.tokens, members));
            members.pop();
        }
        most
    }

    fn sum(choice: &Choice) -> f64 {
        choice.chosen.iter().map(|one| one.utility * level_value(one.form.level)).sum()
    }

    fn is_best(&self) -> bool {
        let best = self.best(0, self.limits.max_tokens, &mut Vec::new());
        Self::sum(&self.choose()) >= best - 1e-5
    }
}

fn level_value(level: Level) -> f64 {
    match level {
        Level::Detailed => 1.0,
        Level::Summary => 0.6,
        _ => 0.3,
    }
}

/// Up to ten candidates of one form, or six of three; their similarities are those of directions in
/// space, or any numbers.
fn small(numbers: &mut Numbers) -> Case {
    let adaptive = numbers.below(2) == 0;
    let count = 1 + numbers.below(if adaptive { 6 } else { 10 });
    let mut case = made(numbers, count, adaptive);
    let all: usize = case.candidates.iter().map(|one| one.forms[0].tokens).sum();
    case.limits.max_tokens = all / 20 + numbers.below(all);
    case.limits.target_tokens = case.limits.max_tokens;
    case
}

fn made(numbers: &mut Numbers, count: usize, adaptive: bool) -> Case {
    let candidate = |numbers: &mut Numbers, at: usize| {
        let mut unit = || numbers.unit();
        let components = Components {
            relevance: unit(),
            confidence: unit(),
            trust: unit(),
            recency: unit(),
            density: unit(),
            novelty: 0.0,
        };
        let tokens = 20 + numbers.below(400);
        let form = |level, part| Form { level, tokens: tokens / part };
        let mut forms = vec![form(Level::Detailed, 1)];
        if adaptive {
            let (short, shorter) = (2 + numbers.below(3), 6 + numbers.below(8));
            forms.extend([form(Level::Summary, short), form(Level::Essence, shorter)]);
        }
        Candidate { id: format!("c{at:03}"), components, forms }
    };
    let candidates: Vec<_> = (0..count).map(|at| candidate(numbers, at)).collect();
    let space = numbers.below(2) == 0;
    let directions: Vec<[f64; 4]> = (0..count)
        .map(|_| {
            let any = [0; 4].map(|_| numbers.unit().powi(3));
            let length = any.iter().map(|part| part * part).sum::<f64>().sqrt();
            any.map(|part| part / length)
        })
        .collect();
    let mut similar = vec![vec![1.0; count]; count];
    for a in 0..count {
        for b in a + 1..count {
            let product = directions[a].iter().zip(&directions[b]).map(|(a, b)| a * b).sum();
            let alike = if space { product } else { numbers.unit() };
            (similar[a][b], similar[b][a]) = (alike, alike);
        }
    }
    let (_, purpose) = Purpose::ALL[numbers.below(5)];
    let limits = Limits { max_tokens: 2000, target_tokens: 2000, novelty_threshold: 0.1, purpose };
    Case { candidates, similar, limits }
}

fn share_of_best(cases: u32) -> f64 {
    let mut numbers = Numbers(7);
    let hits = (0..cases).filter(|_| small(&mut numbers).is_best()).count();
    f64::from(u32::try_from(hits).unwrap()) / f64::from(cases)
}

#[test]
fn it_is_as_good_as_trying_everything() {
    let share = share_of_best(2000);
    assert!(share >= 0.98, "only {share} of the choices are the best");
}

#[test]
#[ignore = "20 000 cases; run with --run-ignored all --no-capture"]
#[expect(clippy::disallowed_macros, reason = "a measurement for people")]
fn it_is_as_good_as_trying_everything_in_many_cases() {
    let share = share_of_best(20_000);
    println!("{:.2} % of the choices are the best", share * 100.0);
    assert!(share >= 0.98);
}

/// A candidate of one form and this relevance; nothing else is known of it.
fn plain(id: &str, relevance: f64, tokens: usize) -> Candidate {
    let components = Components { relevance, ..Components::default() };
    let forms = vec![Form { level: Level::Detailed, tokens }];
    Candidate { id: id.to_owned(), components, forms }
}

fn within(max_tokens: usize) -> Limits {
    let purpose = Purpose::Answer;
    Limits { max_tokens, target_tokens: max_tokens, novelty_threshold: 0.1, purpose }
}

/// The ids of what is told, and why the others are not.
fn told(candidates: &[Candidate], choice: &Choice) -> (Vec<String>, Vec<(String, Why)>) {
    let id = |at: usize| candidates[at].id.clone();
    let chosen = choice.chosen.iter().map(|one| id(one.candidate)).collect();
    (chosen, choice.left_out.iter().map(|one| (id(one.candidate), one.why)).collect())
}

#[test]
fn a_long_one_does_not_crowd_out_better_short_ones() {
    let mut candidates = vec![plain("long", 0.9, 1000)];
    candidates.extend((0..4).map(|at| plain(&format!("short{at}"), 0.7, 250)));
    let choice = choose(&candidates, &|_, _| 0.0, &within(1000));
    let (chosen, left) = told(&candidates, &choice);
    assert_eq!(chosen, ["short0", "short1", "short2", "short3"]);
    assert_eq!(left, [("long".to_owned(), Why::NoRoom)]);
    assert!(choice.truncated && (0.7..0.8).contains(&choice.coverage_estimate));
    // And short ones of little use do not crowd out a long one.
    candidates.iter_mut().skip(1).for_each(|short| short.components.relevance = 0.0);
    let choice = choose(&candidates, &|_, _| 0.0, &within(1000));
    assert_eq!(told(&candidates, &choice).0, ["long"]);
}

#[test]
fn a_twin_is_redundant_and_costs_no_coverage() {
    let candidates = [plain("b", 0.8, 10), plain("a", 0.8, 10), plain("c", 0.2, 10)];
    let alike = |a: usize, b: usize| if (a, b) == (0, 1) { 1.0 } else { 0.25 };
    let choice = choose(&candidates, &alike, &within(1000));
    let (chosen, left) = told(&candidates, &choice);
    assert_eq!(
        (chosen, left),
        (vec!["a".to_owned(), "c".into()], vec![("b".into(), Why::Redundant)])
    );
    assert_eq!(
        (choice.chosen[0].components.novelty, choice.chosen[1].components.novelty),
        (1.0, 0.75)
    );
    assert!(!choice.truncated && (choice.coverage_estimate - 1.0).abs() < 1e-9);
    // Just novel enough is novel enough.
    let choice = choose(&candidates, &|_, _| 0.9, &within(1000));
    assert_eq!(choice.chosen.len(), 3);
    let all = Limits { novelty_threshold: 0.0, ..within(1000) };
    assert_eq!(choose(&candidates, &|_, _| 1.0, &all).chosen.len(), 3);
}

#[test]
fn the_target_is_reached_with_little_to_spare() {
    let mut candidates: Vec<_> = (0..5).map(|at| plain(&format!("c{at}"), 0.5, 100)).collect();
    candidates.push(plain("long", 0.6, 600));
    let limits = Limits { target_tokens: 250, ..within(1000) };
    let choice = choose(&candidates, &|_, _| 0.0, &limits);
    let (chosen, left) = told(&candidates, &choice);
    assert_eq!(
        (chosen, choice.total_tokens),
        (vec!["c0".to_owned(), "c1".into(), "c2".into()], 300)
    );
    assert!(left.iter().all(|(_, why)| *why == Why::TargetReached), "{left:?}");
    // What cannot be crossed within the maximum is not.
    let choice = choose(&candidates, &|_, _| 0.0, &Limits { max_tokens: 299, ..limits });
    assert_eq!((choice.total_tokens, choice.left_out[0].why), (200, Why::NoRoom));
}

#[test]
fn forms_shrink_with_the_room() {
    let form = |level, tokens| Form { level, tokens };
    let forms =
        vec![form(Level::Detailed, 400), form(Level::Summary, 120), form(Level::Essence, 20)];
    let candidates = [0.9, 0.3].map(|relevance| Candidate {
        forms: forms.clone(),
        ..plain(&relevance.to_string(), relevance, 0)
    });
    let levels = |room| {
        let choice = choose(&candidates, &|_, _| 0.0, &within(room));
        choice.chosen.iter().map(|one| one.form.level.name()).collect::<Vec<_>>()
    };
    assert_eq!(levels(800), ["detailed", "detailed"]);
    assert_eq!(levels(520), ["detailed", "summary"]);
    assert_eq!(levels(420), ["detailed", "essence"]);
    assert_eq!(levels(140), ["summary", "essence"]);
    assert_eq!(levels(20), ["essence"]);
    assert_eq!(levels(19), [""; 0]);
}

#[test]
fn what_is_odd_is_no_trouble() {
    let broken =
        Components { relevance: f64::NAN, confidence: 7.0, trust: -1.0, ..Components::default() };
    let mut candidates =
        vec![plain("a", 0.5, usize::MAX), plain("a", 0.5, 0), plain("none", 1.0, 5)];
    candidates[2].forms.clear();
    candidates.push(Candidate { components: broken, ..plain("broken", 0.0, usize::MAX) });
    let limits = Limits { target_tokens: 7, novelty_threshold: f64::NAN, ..within(usize::MAX) };
    for alike in [f64::NAN, f64::INFINITY, -1.0] {
        let choice = choose(&candidates, &|_, _| alike, &limits);
        assert!(choice.chosen.iter().any(|one| one.candidate == 1), "{choice:?}");
        assert!((0.0..=1.0).contains(&choice.coverage_estimate));
    }
    assert!(choose(&candidates, &|_, _| 0.0, &within(0)).total_tokens == 0);
}

#[test]
fn thousands_are_no_trouble() {
    let mut numbers = Numbers(3);
    let candidates: Vec<_> = (0..20_000)
        .map(|at| plain(&format!("c{at:05}"), numbers.unit(), 1 + numbers.below(900)))
        .collect();
    let choice =
        choose(&candidates, &|a, b| if a % 50 == b % 50 { 0.95 } else { 0.0 }, &within(4000));
    assert!(choice.total_tokens <= 4000);
    // There are fifty kinds, and of each only one is new.
    assert!((40..=50).contains(&choice.chosen.len()), "{}", choice.chosen.len());
    assert_eq!(choice.chosen.len() + choice.left_out.len(), candidates.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn limits_hold_and_order_does_not_matter(
        seed: u64,
        count in 0usize..30,
        max in 0usize..3000,
        part in 0usize..5,
    ) {
        let mut numbers = Numbers(seed);
        let mut case = made(&mut numbers, count, seed % 2 == 0);
        (case.limits.max_tokens, case.limits.target_tokens) = (max, max * part / 4);
        let choice = case.choose();
        let tokens: Vec<usize> = choice.chosen.iter().map(|one| one.form.tokens).collect();
        prop_assert_eq!(tokens.iter().sum::<usize>(), choice.total_tokens);
        prop_assert!(choice.total_tokens <= max);
        if let Some((last, _)) = tokens.split_last() {
            prop_assert!(choice.total_tokens - last < case.limits.target_tokens);
        }
        let left = choice.left_out.iter().filter(|one| one.why == Why::NoRoom);
        for one in left {
            let least = case.candidates[one.candidate].forms.iter().map(|form| form.tokens).min();
            prop_assert!(choice.total_tokens + least.unwrap() > max);
        }
        for (at, one) in choice.chosen.iter().enumerate() {
            let before = choice.chosen[..at].iter();
            let before = before.map(|other| case.similar[one.candidate][other.candidate]);
            let novelty = 1.0 - before.fold(0.0, f64::max);
            prop_assert!((one.components.novelty - novelty).abs() < 1e-5 && novelty >= 0.1 - 1e-5);
            let utility = utility(&one.components, case.limits.purpose);
            prop_assert!((one.utility - utility).abs() < 1e-5);
        }
        let reversed: Vec<_> = case.candidates.iter().rev().cloned().collect();
        let alike = |a: usize, b: usize| case.similar[count - 1 - a][count - 1 - b];
        let again = choose(&reversed, &alike, &case.limits);
        prop_assert_eq!(told(&reversed, &again), told(&case.candidates, &choice));
    }

    #[test]
    fn more_room_is_hardly_ever_worth_less(seed: u64, max in 50usize..2000) {
        let mut case = made(&mut Numbers(seed), 12, true);
        let mut worth = |max| {
            (case.limits.max_tokens, case.limits.target_tokens) = (max, max);
            Case::sum(&case.choose())
        };
        prop_assert!(worth(max * 5 / 4) >= worth(max) * 0.98);
    }
}
