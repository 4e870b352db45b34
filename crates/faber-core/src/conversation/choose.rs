//! Selection of turns and their forms.

use crate::conversation::form::Form;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    pub whole: usize,
    pub short: Option<usize>,
    pub required: bool,
    pub cuttable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    pub room: usize,
    pub summarize: bool,
    /// Minimum tokens of a truncated turn; `None` forbids truncation.
    pub cut: Option<usize>,
}

/// Required turns in full, then the newest that fit. With `summarize`, turns outside the newest
/// half of `room` are in full only if all older ones fit in short.
pub fn choose(
    turns: &[Weight],
    rules: Rules,
    cut: &dyn Fn(usize, usize) -> Option<usize>,
) -> Vec<Form> {
    let mut forms = vec![Form::Left; turns.len()];
    let mut used: usize = turns.iter().filter(|turn| turn.required).map(|turn| turn.whole).sum();
    let half = used.saturating_add(rules.room.saturating_sub(used) / 2);
    let shorts = |turn: &Weight| if turn.required { 0 } else { turn.short.unwrap_or(turn.whole) };
    let mut older: usize = turns.iter().map(shorts).sum();
    let mut is_cut = false;
    for (at, (turn, form)) in turns.iter().zip(&mut forms).enumerate().rev() {
        if turn.required {
            *form = Form::Whole;
            continue;
        }
        older -= shorts(turn);
        let whole =
            if rules.summarize { half.max(rules.room.saturating_sub(older)) } else { rules.room };
        let left = whole.saturating_sub(used);
        let may_cut = rules.cut.is_some_and(|least| turn.cuttable && !is_cut && left >= least);
        let (chosen, tokens) = if turn.whole <= left {
            (Form::Whole, turn.whole)
        } else if let Some(tokens) = may_cut.then(|| cut(at, left)).flatten() {
            is_cut = true;
            (Form::Cut(left), tokens)
        } else {
            let own = rules.summarize.then_some((Form::Whole, turn.whole));
            let short = turn.short.map(|short| (Form::Short, short)).or(own);
            match short.filter(|(_, tokens)| used.saturating_add(*tokens) <= rules.room) {
                Some(short) => short,
                None => continue,
            }
        };
        *form = chosen;
        used = used.saturating_add(tokens);
    }
    forms
}

crate::named_enum! {
    /// An action at a size of the whole input.
    pub enum Trigger {
        /// Older messages are shortened.
        Summarize = "summarize",
        /// What is shortened or left out can be archived.
        Archive = "archive",
        /// Messages are cut, and contexts shortened.
        Truncate = "truncate",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn choose(turns: &[Weight], rules: Rules) -> Vec<Form> {
        super::choose(turns, rules, &|_, limit| Some(limit))
    }

    fn weight(whole: usize, short: usize) -> Weight {
        let short = (short > 0).then_some(short);
        Weight { whole, short, required: false, cuttable: true }
    }

    fn rules(room: usize) -> Rules {
        Rules { room, summarize: false, cut: None }
    }

    #[test]
    fn the_newest_that_fit_are_kept() {
        let turns = [weight(10, 0), weight(30, 0), weight(10, 0), weight(20, 0)];
        let forms = choose(&turns, rules(40));
        assert_eq!(forms, [Form::Whole, Form::Left, Form::Whole, Form::Whole]);
        let last = Weight { required: true, ..weight(50, 0) };
        assert_eq!(choose(&[weight(1, 0), last], rules(40)), [Form::Left, Form::Whole]);
    }

    #[test]
    fn messages_are_shortened_if_possible() {
        let turns = [weight(30, 0), weight(30, 5), weight(30, 5)];
        assert_eq!(choose(&turns, rules(35)), [Form::Left, Form::Short, Form::Whole]);
    }

    #[test]
    fn older_ones_are_shortened_rather_than_left_out() {
        let turns = [weight(30, 5); 6];
        let forms = choose(&turns, Rules { summarize: true, ..rules(100) });
        assert_eq!(
            forms,
            [Form::Short, Form::Short, Form::Short, Form::Short, Form::Whole, Form::Whole]
        );
        let forms = choose(&[weight(30, 20); 6], Rules { summarize: true, ..rules(100) });
        assert_eq!(
            forms,
            [Form::Left, Form::Left, Form::Short, Form::Short, Form::Short, Form::Whole]
        );
    }

    #[test]
    fn small_messages_are_kept_among_shortened_ones() {
        let turns = [weight(30, 5), weight(6, 0), weight(30, 5), weight(30, 5), weight(30, 5)];
        let forms = choose(&turns, Rules { summarize: true, ..rules(60) });
        let (short, whole) = (Form::Short, Form::Whole);
        assert_eq!(forms, [short, whole, short, short, whole]);
    }

    #[test]
    fn one_that_is_too_large_is_cut_once() {
        let turns = [weight(50, 0), weight(500, 0), weight(500, 0), weight(10, 0)];
        let forms = choose(&turns, Rules { cut: Some(20), ..rules(60) });
        assert_eq!(forms, [Form::Left, Form::Left, Form::Cut(50), Form::Whole]);
        let none = |_, _| None;
        let forms = super::choose(&turns, Rules { cut: Some(20), ..rules(60) }, &none);
        assert_eq!(forms, [Form::Whole, Form::Left, Form::Left, Form::Whole], "it has no end");
        let forms = choose(&turns, Rules { cut: Some(51), ..rules(60) });
        assert_eq!(forms, [Form::Whole, Form::Left, Form::Left, Form::Whole]);
    }

    proptest! {
        #[test]
        fn the_room_is_never_exceeded(
            turns in prop::collection::vec((0..60_usize, 0..20_usize, any::<bool>(), prop::bool::weighted(0.1)), 0..30),
            (room, summarize, cut) in (0..400_usize, any::<bool>(), prop::option::of(0..60_usize)),
        ) {
            let weight = |&(whole, short, cuttable, required): &(usize, usize, bool, bool)| Weight {
                whole, short: (short > 0 && short < whole).then_some(short), required, cuttable,
            };
            let turns: Vec<Weight> = turns.iter().map(weight).collect();
            let forms = choose(&turns, Rules { room, summarize, cut });
            let mut sums = [0; 2];
            for (turn, form) in turns.iter().zip(&forms) {
                let tokens = match form {
                    Form::Whole => turn.whole,
                    Form::Short => turn.short.unwrap(),
                    Form::Cut(tokens) => *tokens,
                    Form::Left => 0,
                };
                sums[usize::from(turn.required)] += tokens;
                prop_assert!(!turn.required || *form == Form::Whole);
            }
            prop_assert!(sums[0] <= room.saturating_sub(sums[1]));
        }
    }
}
