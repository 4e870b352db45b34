//! Exact multiple-choice knapsack by D. Pisinger, "A minimal algorithm for the multiple-choice
//! knapsack problem", European Journal of Operational Research 83, 1995.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub cost: usize,
    pub value: u64,
}

/// `None` if even the cheapest do not fit. Panics if a class is empty.
pub(crate) fn solve(classes: &[Vec<Choice>], capacity: usize) -> Option<Vec<usize>> {
    let classes: Vec<Class> = classes.iter().map(|choices| Class::new(choices)).collect();
    let relaxed = Relaxed::new(&classes, capacity)?;
    Some(Search::new(&classes, capacity, relaxed).run())
}

struct Class {
    choices: Vec<(Choice, usize)>,
    hull: Vec<usize>,
}

impl Class {
    fn new(all: &[Choice]) -> Self {
        let mut sorted: Vec<(Choice, usize)> = all.iter().copied().zip(0..).collect();
        sorted.sort_by_key(|&(choice, at)| (choice.cost, std::cmp::Reverse(choice.value), at));
        let mut choices: Vec<(Choice, usize)> = Vec::with_capacity(sorted.len());
        for (choice, at) in sorted {
            if choices.last().is_none_or(|(last, _)| choice.value > last.value) {
                choices.push((choice, at));
            }
        }
        assert!(!choices.is_empty(), "a class has at least one choice");
        let mut hull: Vec<usize> = Vec::with_capacity(choices.len());
        for at in 0..choices.len() {
            while let [.., before, last] = hull[..] {
                if slope(&choices, before, last) > slope(&choices, last, at) {
                    break;
                }
                hull.pop();
            }
            hull.push(at);
        }
        Self { choices, hull }
    }

    fn gain(&self, step: usize) -> f64 {
        slope(&self.choices, self.hull[step - 1], self.hull[step])
    }

    fn at(&self, step: usize) -> Choice {
        self.choices[self.hull[step]].0
    }
}

#[expect(clippy::cast_precision_loss, reason = "costs and values are far below 2^53")]
fn slope(choices: &[(Choice, usize)], from: usize, to: usize) -> f64 {
    let (from, to) = (choices[from].0, choices[to].0);
    (to.value - from.value) as f64 / (to.cost - from.cost) as f64
}

/// Linear relaxation, rounded down to hull positions.
struct Relaxed {
    steps: Vec<usize>,
    cost: usize,
    value: u64,
    best: (Vec<usize>, u64),
    gain: f64,
}

impl Relaxed {
    fn new(classes: &[Class], capacity: usize) -> Option<Self> {
        let mut steps = vec![0; classes.len()];
        let mut cost: usize = classes.iter().map(|class| class.at(0).cost).sum();
        let mut value: u64 = classes.iter().map(|class| class.at(0).value).sum();
        if cost > capacity {
            return None;
        }
        let mut climbs: Vec<(f64, usize, usize)> = Vec::new();
        for (at, class) in classes.iter().enumerate() {
            climbs.extend((1..class.hull.len()).map(|step| (class.gain(step), at, step)));
        }
        climbs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut gain = 0.0;
        let mut broken = false;
        let (mut best_steps, mut best_cost, mut best_value) = (steps.clone(), cost, value);
        for (of, at, step) in climbs {
            let (below, above) = (classes[at].at(step - 1), classes[at].at(step));
            let (more, worth) = (above.cost - below.cost, above.value - below.value);
            if !broken && cost + more <= capacity {
                steps[at] = step;
                cost += more;
                value += worth;
            } else if !broken {
                (broken, gain) = (true, of);
            }
            if best_steps[at] + 1 == step && best_cost + more <= capacity {
                best_steps[at] = step;
                best_cost += more;
                best_value += worth;
            }
        }
        let positions = best_steps.iter().zip(classes).map(|(&step, class)| class.hull[step]);
        let best = (positions.collect(), best_value);
        Some(Self { steps, cost, value, best, gain })
    }
}

#[derive(Clone, Copy)]
struct PartialSolution {
    cost: usize,
    value: u64,
    parent: u32,
    taken: u32,
}

struct Search<'a> {
    classes: &'a [Class],
    capacity: usize,
    relaxed: Relaxed,
    order: Vec<usize>,
    /// For each suffix of `order`: maximum gain, minimum loss per cost.
    ahead: Vec<(f64, f64)>,
    layers: Vec<Vec<PartialSolution>>,
    /// Layer and state; `None`: the relaxation.
    best: Option<(usize, usize)>,
    best_value: u64,
}

impl<'a> Search<'a> {
    fn new(classes: &'a [Class], capacity: usize, relaxed: Relaxed) -> Self {
        let up = |at: usize| {
            let (class, step) = (&classes[at], relaxed.steps[at] + 1);
            if step < class.hull.len() { class.gain(step) } else { 0.0 }
        };
        let down = |at: usize| {
            let step = relaxed.steps[at];
            if step > 0 { classes[at].gain(step) } else { f64::INFINITY }
        };
        let distance = |at: usize| {
            let (up, down) = (relaxed.gain - up(at), down(at) - relaxed.gain);
            up.min(down)
        };
        let mut order: Vec<usize> =
            (0..classes.len()).filter(|&at| classes[at].choices.len() > 1).collect();
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        let mut ahead = vec![(0.0, f64::INFINITY); order.len() + 1];
        for (place, &at) in order.iter().enumerate().rev() {
            let (gain, loss): (f64, f64) = ahead[place + 1];
            ahead[place] = (gain.max(up(at)), loss.min(down(at)));
        }
        let best_value = relaxed.best.1;
        Self {
            classes,
            capacity,
            relaxed,
            order,
            ahead,
            layers: Vec::new(),
            best: None,
            best_value,
        }
    }

    fn run(mut self) -> Vec<usize> {
        let (cost, value) = (self.relaxed.cost, self.relaxed.value);
        let mut states = vec![PartialSolution { cost, value, parent: 0, taken: 0 }];
        for place in 0..self.order.len() {
            if !states.iter().any(|state| self.may_win(state, place)) {
                break;
            }
            let next = self.expand(&states, place);
            self.layers.push(std::mem::replace(&mut states, next));
            for (at, state) in states.iter().enumerate() {
                if state.cost <= self.capacity && state.value > self.best_value {
                    self.best_value = state.value;
                    self.best = Some((place + 1, at));
                }
            }
        }
        self.layers.push(states);
        self.solution()
    }

    #[expect(clippy::cast_precision_loss, reason = "costs and values are far below 2^53")]
    fn may_win(&self, state: &PartialSolution, place: usize) -> bool {
        let (gain, loss) = self.ahead[place];
        let value = state.value as f64;
        let bound = if state.cost <= self.capacity {
            value + (self.capacity - state.cost) as f64 * gain
        } else {
            value - (state.cost - self.capacity) as f64 * loss
        };
        // Rounding must never drop a winner.
        bound * (1.0 + 1e-12) + 1.0 > self.best_value as f64
    }

    fn expand(&self, states: &[PartialSolution], place: usize) -> Vec<PartialSolution> {
        let at = self.order[place];
        let class = &self.classes[at];
        let before = class.at(self.relaxed.steps[at]);
        let mut all = Vec::with_capacity(states.len() * class.choices.len());
        for (parent, state) in states.iter().enumerate() {
            for (taken, (choice, _)) in class.choices.iter().enumerate() {
                let next = PartialSolution {
                    cost: state.cost - before.cost + choice.cost,
                    value: state.value - before.value + choice.value,
                    parent: u32::try_from(parent).unwrap_or(u32::MAX),
                    taken: u32::try_from(taken).unwrap_or(u32::MAX),
                };
                if self.may_win(&next, place + 1) {
                    all.push(next);
                }
            }
        }
        all.sort_unstable_by_key(|s| (s.cost, std::cmp::Reverse(s.value), s.parent, s.taken));
        let mut best_value = None;
        all.retain(|state| {
            let better = best_value.is_none_or(|most| state.value > most);
            if better {
                best_value = Some(state.value);
            }
            better
        });
        all
    }

    fn solution(self) -> Vec<usize> {
        let position = |class: &Class, at: usize| class.choices[at].1;
        let Some((layer, mut at)) = self.best else {
            let taken = self.relaxed.best.0.iter().zip(self.classes);
            return taken.map(|(&at, class)| position(class, at)).collect();
        };
        let steps = self.relaxed.steps.iter().zip(self.classes);
        let mut taken: Vec<usize> =
            steps.map(|(&step, class)| position(class, class.hull[step])).collect();
        for place in (0..layer).rev() {
            let state = self.layers[place + 1][at];
            let class = self.order[place];
            taken[class] = position(&self.classes[class], state.taken as usize);
            at = state.parent as usize;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(classes: &[Vec<Choice>], taken: &[usize]) -> (usize, u64) {
        let chosen = classes.iter().zip(taken).map(|(class, &at)| class[at]);
        chosen.fold((0, 0), |(cost, value), choice| (cost + choice.cost, value + choice.value))
    }

    fn exhaustive(classes: &[Vec<Choice>], capacity: usize) -> Option<u64> {
        let Some((first, rest)) = classes.split_first() else { return Some(0) };
        let fitting = first.iter().filter(|choice| choice.cost <= capacity);
        fitting.filter_map(|c| Some(exhaustive(rest, capacity - c.cost)? + c.value)).max()
    }

    fn classes(most: usize) -> impl Strategy<Value = Vec<Vec<Choice>>> {
        let choice = (0usize..40, 0u64..30).prop_map(|(cost, value)| Choice { cost, value });
        prop::collection::vec(prop::collection::vec(choice, 1..6), 0..most)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]
        #[test]
        fn nothing_is_worth_more(classes in classes(7), capacity in 0usize..160) {
            let best = exhaustive(&classes, capacity);
            let solved = solve(&classes, capacity).map(|taken| total(&classes, &taken));
            prop_assert_eq!(solved.map(|(_, value)| value), best);
            prop_assert!(solved.is_none_or(|(cost, _)| cost <= capacity));
        }

        #[test]
        fn more_room_is_never_worth_less(classes in classes(20), capacity in 0usize..400) {
            let value = |capacity| solve(&classes, capacity).map(|taken| total(&classes, &taken).1);
            prop_assert!(value(capacity) <= value(capacity + 1));
        }
    }

    #[test]
    #[ignore = "10^5 cases; run with --release --run-ignored all"]
    fn nothing_is_worth_more_in_many_cases() {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 100_000,
            ..ProptestConfig::default()
        });
        let cases = (classes(7), 0usize..160);
        let agree = |(classes, capacity): (Vec<Vec<Choice>>, usize)| {
            let solved = solve(&classes, capacity).map(|taken| total(&classes, &taken).1);
            prop_assert_eq!(solved, exhaustive(&classes, capacity));
            Ok(())
        };
        runner.run(&cases, agree).unwrap();
    }

    #[test]
    fn equal_classes_by_the_hundred_are_no_trouble() {
        let class = |n: usize| {
            let cost = 300 + n * 37 % 4001;
            [(cost, 540), (cost / 4, 324), (40, 162), (25, 54), (0, 0)]
                .map(|(cost, value)| Choice { cost, value })
                .to_vec()
        };
        let classes: Vec<_> = (0..500).map(class).collect();
        for capacity in [0, 1000, 20_000, 200_000] {
            let taken = solve(&classes, capacity).unwrap();
            assert!(total(&classes, &taken).0 <= capacity);
        }
        assert_eq!(solve(&[vec![Choice { cost: 5, value: 1 }]], 4), None);
    }
}
