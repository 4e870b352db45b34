//! Compares statements by stems. Subjects are the same if one has all stems of the other.

use std::collections::BTreeSet;

use super::language;
use super::statement::{Quantity, Statement, StatementToken};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    Same,
    Contrary,
}

/// Each takes one value per subject.
const EXCLUSIVE: [&str; 9] = ["against", "at", "auf", "by", "durch", "gegen", "on", "per", "to"];
/// Each takes one value per instruction.
const OF_INSTRUCTIONS: [&str; 4] = ["from", "mit", "via", "with"];
const PLACES: [&str; 6] = ["auf", "at", "bei", "im", "in", "on"];
const PLACE: &str = "a place";
const OWNS: &str = "own";
const PLACING: [&str; 19] = [
    "configur", "defin", "deploy", "document", "host", "keep", "last", "lauf", "leg", "lieg",
    "manag", "run", "save", "schreib", "speicher", "steh", "store", "track", "write",
];

pub(super) fn compare(note: &Statement, other: &Statement) -> Option<Relation> {
    let same_text = !note.plain.is_empty() && note.plain == other.plain;
    if same_text && note.quantities().eq(other.quantities()) {
        return Some(Relation::Same);
    }
    let a = ComparedStatement { statement: note, terms: note.terms() };
    let b = ComparedStatement { statement: other, terms: other.terms() };
    if is_contrary(&a, &b) {
        return Some(Relation::Contrary);
    }
    let is_said = {
        let (new, more) = (beyond(note, other), beyond(other, note));
        let count = a.terms.len();
        count >= 2 && new * 6 <= count && more * 2 <= count + 1
    };
    let same_numbers =
        note.quantities().all(|one| other.quantities().any(|known| same(one, known)));
    let is_same = is_said
        && same_numbers
        && note.is_negative == other.is_negative
        && note.rejected.is_subset(&other.rejected)
        && !swaps_order(note, other);
    is_same.then_some(Relation::Same)
}

struct ComparedStatement<'a> {
    statement: &'a Statement,
    terms: BTreeSet<&'a str>,
}

fn is_contrary(a: &ComparedStatement<'_>, b: &ComparedStatement<'_>) -> bool {
    let (note, other) = (a.statement, b.statement);
    let subject = StatementSubject::of(&a.terms, &b.terms);
    if note.is_negative != other.is_negative {
        let of_denial = subject.own[usize::from(other.is_negative)];
        return note.is_sentence()
            && other.is_sentence()
            && subject.is_about(2)
            && (subject.own == [0, 0] || subject.common > 2)
            && of_denial <= subject.common / 2
            && note.quantities().all(|one| other.quantities().any(|known| same(one, known)));
    }
    let values_differ = || {
        // With one common word, numbers need units.
        let has_units = || note.quantities().all(|one| one.unit.is_some());
        let is_equal = subject.own == [0, 0] && subject.common > 0;
        let is_one = subject.is_about(2) || (is_equal && has_units());
        note.quantities().next().is_some()
            && is_one
            && note.quantities().count() == other.quantities().count()
            && note.quantities().zip(other.quantities()).any(|(one, known)| differ(one, known))
    };
    if values_differ() {
        return true;
    }
    note.is_sentence()
        && other.is_sentence()
        && ((subject.is_about(2) && swaps_order(note, other))
            || uses_what_is_rejected(a, b)
            || uses_what_is_rejected(b, a)
            || has_another_value(a, b))
}

struct StatementSubject {
    common: usize,
    own: [usize; 2],
}

impl StatementSubject {
    fn of(a: &BTreeSet<&str>, b: &BTreeSet<&str>) -> Self {
        let own = [a.difference(b).count(), b.difference(a).count()];
        Self { common: a.intersection(b).count(), own }
    }

    fn is_about(&self, least: usize) -> bool {
        let (less, more) = (self.own[0].min(self.own[1]), self.own[0].max(self.own[1]));
        self.common >= least && less == 0 && more <= self.common + 1
    }
}

fn beyond(one: &Statement, other: &Statement) -> usize {
    let mut others: Vec<&StatementToken> = other.tokens.iter().collect();
    let terms = one.tokens.iter().filter(|token| token.term().is_some());
    let is_new = |term: &&StatementToken| match others.iter().position(|known| known == term) {
        Some(at) => {
            others.swap_remove(at);
            false
        }
        None => true,
    };
    terms.filter(is_new).count()
}

fn same(a: &Quantity, b: &Quantity) -> bool {
    a.value == b.value
        && (a.unit == b.unit || a.unit.is_none() || b.unit.is_none())
        && !have_opposite_bounds(a, b)
}

fn differ(a: &Quantity, b: &Quantity) -> bool {
    a.unit == b.unit && (a.value != b.value || have_opposite_bounds(a, b))
}

fn have_opposite_bounds(a: &Quantity, b: &Quantity) -> bool {
    a.is_above.zip(b.is_above).is_some_and(|(a, b)| a != b)
}

fn swaps_order(a: &Statement, b: &Statement) -> bool {
    let order = |statement: &Statement| {
        statement.tokens.iter().find_map(|token| match token {
            StatementToken::Pivot(word) if matches!(&**word, "before" | "vor") => Some(true),
            StatementToken::Pivot(word) if matches!(&**word, "after" | "nach") => Some(false),
            _ => None,
        })
    };
    order(a).zip(order(b)).is_some_and(|(a, b)| a != b)
}

fn uses_what_is_rejected(one: &ComparedStatement<'_>, other: &ComparedStatement<'_>) -> bool {
    let (own, others, rejected) = (&one.terms, &other.terms, &other.statement.rejected);
    let is_rejected = |term: &&str| one.statement.rejected.contains(*term);
    if others.iter().any(is_rejected) && own.iter().any(|term| rejected.contains(*term)) {
        return true;
    }
    let rest: BTreeSet<&str> = others.iter().copied().filter(|term| !is_rejected(term)).collect();
    !rest.is_empty()
        && others.iter().any(is_rejected)
        && rejected.is_empty()
        && rest.iter().any(|term| own.contains(term))
        && rest.difference(own).count() <= rest.len() / 2
}

fn has_another_value(a: &ComparedStatement<'_>, b: &ComparedStatement<'_>) -> bool {
    let others = slots(b.statement, &a.terms);
    slots(a.statement, &b.terms).iter().any(|one| {
        let mut others = others.iter().filter(|other| one.is_like(other));
        others.any(|other| {
            let rest: BTreeSet<&str> = a.terms.difference(&one.values).copied().collect();
            let rest_b: BTreeSet<&str> = b.terms.difference(&other.values).copied().collect();
            let rest = StatementSubject::of(&rest, &rest_b);
            let (less, more) = (rest.own[0].min(rest.own[1]), rest.own[0].max(rest.own[1]));
            one.values.is_disjoint(&other.values)
                && rest.common > 0
                && less == 0
                && more <= rest.common / 2
                && one.excludes(other, rest.common)
        })
    })
}

struct ValueSlot<'a> {
    pivot: &'a str,
    values: BTreeSet<&'a str>,
    is_of_instruction: bool,
    is_last: bool,
}

impl ValueSlot<'_> {
    fn is_like(&self, other: &Self) -> bool {
        let uses = |slot: &Self| matches!(slot.pivot, "use" | "with" | "mit" | "via");
        self.pivot == other.pivot || (uses(self) && uses(other))
    }

    fn excludes(&self, other: &Self, common: usize) -> bool {
        let classes = || {
            let mut values = self.values.iter();
            values.any(|value| other.values.iter().any(|it| language::exclude(value, it)))
        };
        match self.pivot {
            "is" => common >= 2 && self.is_last && other.is_last,
            "use" | PLACE | OWNS => true,
            pivot if EXCLUSIVE.contains(&pivot) => true,
            pivot if OF_INSTRUCTIONS.contains(&pivot) => self.is_of_instruction,
            _ => classes(),
        }
    }
}

fn slots<'a>(statement: &'a Statement, others: &BTreeSet<&str>) -> Vec<ValueSlot<'a>> {
    use StatementToken::{And, Other};
    let is_placing = |stem: &str| PLACING.contains(&stem);
    let places = statement.terms().into_iter().any(is_placing);
    let mut slots = Vec::new();
    for (at, token) in statement.tokens.iter().enumerate() {
        let pivot = match token {
            StatementToken::Term(stem) if stem == OWNS => {
                slots.extend(owner(&statement.tokens[..at], others));
                continue;
            }
            StatementToken::Use => "use",
            StatementToken::Pivot(word) if places && PLACES.contains(&word.as_str()) => PLACE,
            StatementToken::Pivot(word) => word,
            _ => continue,
        };
        let after = statement.tokens[at + 1..].iter();
        let after = after.skip_while(|it| matches!(it, Other | And | StatementToken::Quantity(_)));
        let values = after.map_while(|token| match token {
            And => Some(None),
            token => token.term().map(Some),
        });
        let mut values: Vec<&str> = values.flatten().collect();
        while values.last().is_some_and(|last| others.contains(last)) {
            values.pop();
        }
        let shared = values.iter().take_while(|value| others.contains(*value)).count();
        values.drain(..shared);
        let is_of_instruction = matches!(statement.tokens.first(), Some(StatementToken::Term(_)));
        let last = statement.tokens.last().and_then(StatementToken::term);
        let is_last = last == values.last().copied();
        if !values.is_empty() && values.len() <= 3 {
            let values = values.into_iter().collect();
            slots.push(ValueSlot { pivot, values, is_of_instruction, is_last });
        }
    }
    slots
}

fn owner<'a>(before: &'a [StatementToken], others: &BTreeSet<&str>) -> Option<ValueSlot<'a>> {
    let terms = before.iter().rev().map_while(StatementToken::term);
    let values: BTreeSet<&str> = terms.filter(|term| !others.contains(term)).collect();
    let slot = ValueSlot { pivot: OWNS, values, is_of_instruction: false, is_last: false };
    Some(slot).filter(|slot| !slot.values.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::statement::{Writing, sentences};
    use super::*;

    const PAIRS: &str = include_str!("samples/pairs.txt");

    fn pairs(section: &str) -> Vec<(&'static str, String, String)> {
        let (_, rest) = PAIRS.split_once(&format!("[{section}]\n")).unwrap();
        let rest = rest.split("\n[").next().unwrap();
        let mut pairs: Vec<(&str, Vec<&str>)> = Vec::new();
        for line in rest.lines().filter(|line| !line.is_empty()) {
            match line.strip_prefix("  ") {
                Some(text) => pairs.last_mut().unwrap().1.push(text),
                None => pairs.push((line, Vec::new())),
            }
        }
        let both = |(expected, mut lines): (&'static str, Vec<&str>)| {
            let note = lines.pop().unwrap().to_owned();
            (expected, lines.join("\n"), note)
        };
        pairs.into_iter().map(both).collect()
    }

    fn found(context: &str, note: &str) -> &'static str {
        let note = Statement::new(note);
        let known = sentences(context, Writing::Document).into_iter();
        let related = known.filter_map(|known| compare(&note, &Statement::of(&known))).min();
        match related {
            Some(Relation::Same) => "duplicate",
            Some(Relation::Contrary) => "contradiction",
            None => "none",
        }
    }

    fn measure(section: &str) -> ([usize; 4], String) {
        let (mut figures, mut wrong) = ([0; 4], String::new());
        for (expected, context, note) in pairs(section) {
            let found = found(&context, &note);
            if found != expected {
                let _ = writeln!(wrong, "{expected} found as {found}\n  {context}\n  {note}");
            }
            let at = if expected == "none" { 2 } else { 0 };
            figures[at] += usize::from((found == expected) == (expected != "none"));
            figures[at + 1] += 1;
        }
        (figures, wrong)
    }

    #[test]
    fn values_are_compared_in_lists_after_shared_words_and_before_an_owner() {
        for (context, note, expected) in [
            (
                "Deploy on Tuesdays and Thursdays only.",
                "Deploy on Mondays and Fridays only.",
                "contradiction",
            ),
            ("Alerts go to the channel #ops.", "Alerts go to the channel #help.", "contradiction"),
            (
                "Team Atlas owns the search index.",
                "Team Borealis owns the search index.",
                "contradiction",
            ),
            ("Team Atlas owns the search index.", "Team Atlas owns the mail queue.", "none"),
            (
                "Use Vite to bundle the web app.",
                "Bundle the web app with Webpack.",
                "contradiction",
            ),
            ("Use Vite to bundle the web app.", "Test the web app with Vitest.", "none"),
            ("Der Server läuft in Bonn.", "Der Server läuft in Lyon.", "contradiction"),
            (
                "Releases are tagged from the main branch.",
                "Releases are tagged from the release branch.",
                "none",
            ),
            ("The largest file has 10 MB.", "The largest file has 10 megabytes.", "duplicate"),
            (
                "Keep the latency of requests < 100 ms.",
                "Keep the latency of requests <100 ms.",
                "duplicate",
            ),
            (
                "Keep the latency of requests < 100 ms.",
                "Keep the latency of requests > 100 ms.",
                "contradiction",
            ),
            (
                "Die Zeitgrenze für Anfragen ist 15 Sekunden.",
                "Die Zeitgrenze für Anfragen ist 1,5 Sekunden.",
                "contradiction",
            ),
            (
                "Die Zeitgrenze für Anfragen ist 1500 ms.",
                "Die Zeitgrenze für Anfragen ist 1.500 ms.",
                "duplicate",
            ),
        ] {
            assert_eq!(found(context, note), expected, "{context} / {note}");
        }
    }

    #[test]
    fn each_cell_of_a_row_is_compared() {
        let table = "| Record | Kept for | Deleted by |\n|---|---|---|\n\
                     | Support tickets | 3 years after closing | helpdesk |\n\
                     | Application logs | 90 days | log platform |\n";
        for (note, expected) in [
            ("Application logs are kept for 90 days.", "duplicate"),
            ("Application logs are kept for 30 days.", "contradiction"),
            ("Application logs are deleted by the log platform.", "duplicate"),
            ("Support tickets are kept for 3 years after closing.", "duplicate"),
            ("Application logs are compressed after 90 days.", "none"),
        ] {
            assert_eq!(found(table, note), expected, "{note}");
        }
    }

    #[test]
    fn planted_pairs_are_found_and_harmless_ones_are_not() {
        for section in ["tuned", "kept", "later", "last"] {
            let ([found, planted, wrong, harmless], why) = measure(section);
            let figures = format!("{section}: {found}/{planted}, {wrong}/{harmless}\n{why}");
            assert!(planted > 0 && harmless > 0, "{figures}");
            assert!(found * 10 >= planted * 8 && wrong * 20 <= harmless, "{figures}");
        }
    }
}
