//! Finds notes in what the user says or accepts.

use std::collections::HashMap;

use super::compare::{Relation, compare};
use super::dialogue::{DialogueTurn, Speaker};
use super::phrase::{Phrase, without_quotations, words};
use super::statement::{Sentence, Statement, StatementToken, Writing, sentences};
use faber_core::source::char_boundary;

const WORDS: std::ops::RangeInclusive<usize> = 3..=60;
/// Per conversation, and per message.
pub(super) const MAX_NOTES: usize = 100;
const MAX_NOTES_PER_TURN: usize = 20;
const READ: usize = 64 * 1024;
const MAX_NOTE_BYTES: usize = 1000;
const ACCEPTING: usize = 12;

faber_core::named_enum! {
    /// Why a sentence is worth a note.
    pub enum NoteKind {
        /// Something was decided
        Decision = "decision",
        /// Something always or never applies
        Rule = "rule",
        /// The user prefers something
        Preference = "preference",
        /// The user corrected the assistant
        Correction = "correction",
        /// The user asked to remember it
        Fact = "fact",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoteCandidate {
    pub kind: NoteKind,
    pub text: String,
    pub line: usize,
    pub is_restricted: bool,
}

pub(crate) fn candidates(turns: &[DialogueTurn]) -> Vec<NoteCandidate> {
    let mut found: Vec<(NoteCandidate, Statement)> = Vec::new();
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.speaker == Speaker::User) {
        let text = &turn.text[..char_boundary(&turn.text, READ)];
        let said = sentences(&without_quotations(&own_words(text)), Writing::Chat);
        let before = at.checked_sub(1).map(|before| &turns[before]).filter(|_| accepts(&said));
        let accepted =
            before.and_then(|before| Some((NoteKind::Decision, proposal(turns, at)?, before)));
        let corrects = at > 0 && turns[at - 1].speaker == Speaker::Assistant;
        let worth = said.iter().flat_map(|sentence| worth(&sentence.text, corrects));
        let noted = accepted.into_iter().chain(worth.map(|(kind, text)| (kind, text, turn)));
        let is_note = |text: &str| {
            text.len() <= MAX_NOTE_BYTES && WORDS.contains(&text.split_whitespace().count())
        };
        let most = MAX_NOTES.min(found.len() + MAX_NOTES_PER_TURN);
        for (kind, text, turn) in noted.filter(|(_, text, _)| is_note(text)) {
            if found.len() >= most {
                break;
            }
            let DialogueTurn { line, is_restricted, .. } = *turn;
            add(&mut found, NoteCandidate { kind, text, line, is_restricted });
        }
    }
    found.into_iter().map(|(candidate, _)| candidate).collect()
}

fn add(found: &mut Vec<(NoteCandidate, Statement)>, candidate: NoteCandidate) {
    let statement = Statement::new(&candidate.text);
    let is_empty = |token: &_| matches!(token, StatementToken::Other | StatementToken::Use);
    if statement.tokens.iter().all(is_empty) {
        return;
    }
    let is_in = |a: &Statement, b: &Statement| {
        let (a, b) = (a.terms(), b.terms());
        !a.is_empty() && a.is_subset(&b)
    };
    for (known, said) in found.iter_mut() {
        if compare(&statement, said) == Some(Relation::Same) || is_in(&statement, said) {
            return;
        }
        if is_in(said, &statement) && known.line == candidate.line {
            (*known, *said) = (candidate, statement);
            return;
        }
    }
    found.push((candidate, statement));
}

/// Drops elements at line starts. An unclosed tag is text.
fn own_words(text: &str) -> String {
    let closed = text.match_indices("</");
    let closed: HashMap<&str, usize> =
        closed.filter_map(|(at, _)| Some((tag_name(&text[at + 2..])?, at))).collect();
    let mut own = String::with_capacity(text.len());
    let mut tag: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let is_closed = |name: &str| trimmed.contains(&format!("</{name}>"));
        if let Some(name) = tag {
            tag = Some(name).filter(|name| !is_closed(name));
            continue;
        }
        let at = trimmed.as_ptr() as usize - text.as_ptr() as usize;
        let name = trimmed.strip_prefix('<').and_then(tag_name);
        match name {
            Some(name) if closed.get(name).is_some_and(|end| *end > at) => {
                tag = Some(name).filter(|name| !is_closed(name));
            }
            _ if is_log(trimmed) => {}
            _ => {
                // Otherwise Markdown may take it and the rest for HTML.
                own.extend(name.map(|_| '\\'));
                own.push_str(if name.is_some() { trimmed } else { line });
                own.push('\n');
            }
        }
    }
    own
}

fn tag_name(rest: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let (name, after) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
    let is_tag = |next: char| next.is_whitespace() || matches!(next, '>' | '/');
    (!name.is_empty() && after.chars().next().is_none_or(is_tag)).then_some(name)
}

fn is_log(line: &str) -> bool {
    const LEVELS: &str = "[ERROR]|[WARN|[INFO]|[DEBUG]|ERROR |WARN |INFO |DEBUG |Traceback ";
    LEVELS.split('|').any(|level| line.starts_with(level)) || line.contains("[ERROR]")
}

fn worth(text: &str, corrects: bool) -> Vec<(NoteKind, String)> {
    let phrase = Phrase::new(text);
    if phrase.is_empty() || phrase.is_question || phrase.is_hypothesis() || phrase.is_for_now() {
        return Vec::new();
    }
    for and in [", and ", ", und "] {
        let Some((first, second)) = text.split_once(and) else { continue };
        let both = [one(first, corrects), one(second, false)];
        if both.iter().all(Option::is_some) {
            return both.into_iter().flatten().collect();
        }
    }
    one(text, corrects).into_iter().collect()
}

fn one(text: &str, corrects: bool) -> Option<(NoteKind, String)> {
    if let Some((lead, rest)) = text.split_once(": ")
        && lead.split_whitespace().count() <= 7
        && rest.split_whitespace().count() >= *WORDS.start()
    {
        let (lead, rest) = (Phrase::new(lead), Phrase::new(rest));
        if lead.quotes() {
            return None;
        }
        let announced =
            || lead.kind(false).or_else(|| lead.announces().filter(|_| rest.is_matter()));
        let corrected =
            || (corrects && lead.denies() && rest.states()).then_some(NoteKind::Correction);
        let kind = rest.kind(corrects).or_else(corrected).or_else(announced)?;
        return Some((kind, tidy(rest.without_lead())));
    }
    let phrase = Phrase::new(text);
    Some((phrase.kind(corrects)?, tidy(phrase.without_lead())))
}

fn tidy(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ':']).trim();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

fn accepts(said: &[Sentence]) -> bool {
    let Some(first) = said.first() else { return false };
    let lower = first.text.to_lowercase();
    let begins = words::ACCEPT.split('|').any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let has_doubt = words::DOUBT.split('|').any(|word| lower.contains(word));
    let is_short = lower.split_whitespace().count() <= ACCEPTING;
    begins && !has_doubt && !first.text.ends_with('?') && is_short
}

fn proposal(turns: &[DialogueTurn], at: usize) -> Option<String> {
    let before = at.checked_sub(1).filter(|at| turns[*at].speaker == Speaker::Assistant)?;
    let question = turns[..before].iter().rfind(|turn| turn.speaker == Speaker::User)?;
    let asked = question.text.to_lowercase();
    if !words::ASKS.split('|').any(|word| asked.contains(word)) {
        return None;
    }
    let said = sentences(&turns[before].text, Writing::Chat);
    said.iter().filter(|sentence| !sentence.text.ends_with('?')).find_map(|sentence| {
        let lower = sentence.text.to_lowercase();
        let lead = words::PROPOSES.split('|').find(|word| lower.contains(*word))?;
        let rest = match sentence.text.split_once(": ") {
            Some((before, rest)) if before.to_lowercase().contains(lead) => rest,
            _ => {
                let at = sentence.text.to_ascii_lowercase().find(lead)?;
                let rest = sentence.text[at + lead.len()..].trim_start();
                let mut leads = ["that we ", "to ", "that ", ", dass wir ", ", "].into_iter();
                leads.find_map(|word| rest.strip_prefix(word)).unwrap_or(rest)
            }
        };
        Some(tidy(rest))
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    const CONVERSATIONS: &str = include_str!("samples/conversations.txt");

    struct Labelled {
        name: &'static str,
        turns: Vec<DialogueTurn>,
        labels: Vec<(usize, String)>,
    }

    fn read(section: &str) -> Vec<Labelled> {
        let (_, rest) = CONVERSATIONS.split_once(&format!("[{section}]\n")).unwrap();
        let rest = rest.split("\n[").next().unwrap();
        let parts = rest.split("\n= ").filter(|part| !part.trim().is_empty());
        parts
            .map(|part| {
                let (name, lines) = part.split_once('\n').unwrap();
                let mut turns: Vec<DialogueTurn> = Vec::new();
                for line in lines.lines().filter(|line| !line.is_empty()) {
                    let speaker = match line.get(..3) {
                        Some("U: ") => Some(Speaker::User),
                        Some("A: ") => Some(Speaker::Assistant),
                        Some("T: ") => Some(Speaker::Tool),
                        _ => None,
                    };
                    if let Some(speaker) = speaker {
                        let (line, text) = (turns.len() + 1, line[3..].to_owned());
                        turns.push(DialogueTurn { line, speaker, text, is_restricted: false });
                    } else {
                        let last = turns.last_mut().unwrap();
                        last.text.push('\n');
                        last.text.push_str(line.strip_prefix("  ").unwrap());
                    }
                }
                let mut labels = Vec::new();
                for turn in &mut turns {
                    let marked = turn.text.clone();
                    let found =
                        marked.split("[[").skip(1).map(|rest| rest.split("]]").next().unwrap());
                    labels.extend(found.map(|label| (turn.line, label.to_owned())));
                    turn.text = marked.replace("[[", "").replace("]]", "");
                }
                Labelled { name, turns, labels }
            })
            .collect()
    }

    fn is_that(note: &str, label: &str) -> bool {
        let stems = |text: &str| -> std::collections::BTreeSet<String> {
            faber_core::terms::words::stems(text).into_iter().collect()
        };
        let (note, label) = (stems(note), stems(label));
        let common = note.intersection(&label).count();
        common * 10 >= label.len() * 6 && common * 10 >= note.len() * 6
    }

    fn measure(section: &str) -> ([usize; 4], String) {
        let (mut figures, mut wrong) = ([0; 4], String::new());
        for Labelled { name, turns, labels } in read(section) {
            let found = candidates(&turns);
            let is_label = |note: &NoteCandidate, (line, label): &(usize, String)| {
                *line == note.line && is_that(&note.text, label)
            };
            for note in &found {
                let right = labels.iter().any(|label| is_label(note, label));
                figures[0] += usize::from(right);
                if !right {
                    let _ = writeln!(wrong, "{name}: wrong {:?} {}", note.kind, note.text);
                }
            }
            for label in &labels {
                let is_found = found.iter().any(|note| is_label(note, label));
                figures[2] += usize::from(is_found);
                if !is_found {
                    let _ = writeln!(wrong, "{name}: missed {}", label.1);
                }
            }
            figures[1] += found.len();
            figures[3] += labels.len();
        }
        (figures, wrong)
    }

    #[test]
    fn one_message_does_not_fill_all_reviews() {
        let said = |from: usize, to: usize| -> String {
            let lines = (from..to).map(|at| format!("Never touch the table t{at} in zone z{at}."));
            lines.collect::<Vec<_>>().join("\n")
        };
        let turn =
            |line, text| DialogueTurn { line, speaker: Speaker::User, text, is_restricted: false };
        let found = candidates(&[turn(1, said(0, 500)), turn(2, said(500, 503))]);
        let of_turn = |line| found.iter().filter(|it| it.line == line).count();
        assert_eq!((of_turn(1), of_turn(2)), (MAX_NOTES_PER_TURN, 3));
        let pasted = format!("{}\nNever touch the table x.\n", "A log line.\n".repeat(10_000));
        assert!(candidates(&[turn(1, pasted)]).is_empty());
        assert!(
            candidates(&[turn(1, format!("Never touch {} again.", "x".repeat(2000)))]).is_empty()
        );
        let many: Vec<DialogueTurn> =
            (0..50).map(|at| turn(at, said(at * 20, at * 20 + 20))).collect();
        assert_eq!(candidates(&many).len(), MAX_NOTES);
    }

    #[test]
    fn what_is_of_the_task_or_of_others_is_not_noted() {
        let found = |text: &str| -> String {
            let turn = |line, speaker, text: &str| DialogueTurn {
                line,
                speaker,
                text: text.to_owned(),
                is_restricted: false,
            };
            let turns = [turn(1, Speaker::Assistant, "Done."), turn(2, Speaker::User, text)];
            let kinds = candidates(&turns).into_iter().map(|it| it.kind.name());
            kinds.collect::<Vec<_>>().join(" ")
        };
        for (text, kinds) in [
            ("Let's use Redis for the session cache.", "decision"),
            ("Let's use a loop for the rows.", ""),
            ("Ab Januar gilt das neue Preismodell.", "decision"),
            ("The board decided to drop the old plan.", "decision"),
            ("Im Frontend dürfen keine Schlüssel liegen.", "rule"),
            ("The title must be larger.", ""),
            ("Every row needs a delete button.", ""),
            ("You always find the weirdest bugs.", ""),
            ("My cat always walks over the keyboard.", ""),
            ("Some teams never use them.", ""),
            ("All times are in UTC, no exceptions.", "rule"),
            ("New code must have tests, otherwise CI fails.", "rule"),
            ("Bitte schreib deine Commit-Nachrichten auf Englisch.", "preference"),
            ("I prefer it.", ""),
            ("Use a map instead of the list here.", ""),
            ("That's wrong, staging runs in Frankfurt.", "correction"),
            ("That's not right: the API listens on port 8000.", "correction"),
            ("No, the staging host is web-3, not web-1.", "correction"),
            ("Nein, der Port ist 8000, nicht 80.", "correction"),
            ("No, the button is blue, not green.", ""),
            ("No, the second of the tests, not the first.", ""),
            ("The linter says: imports must always be sorted.", ""),
            ("From the RFC: > implementations MUST NOT reorder frames", ""),
            ("<log>\nFrom now on we use pnpm instead of npm.\n</log>", ""),
            ("<Spinner /> flickers.\nFrom now on we use pnpm instead of npm.", "decision"),
            ("<div\n class=x>\nFrom now on we use pnpm instead of npm.", "decision"),
        ] {
            assert_eq!(found(text), kinds, "{text}");
        }
    }

    #[test]
    fn notes_are_found_by_their_phrasing() {
        for section in ["tuned", "kept", "later", "last"] {
            let ([right, notes, found, labels], why) = measure(section);
            let figures = format!("{section}: {right}/{notes}, {found}/{labels}\n{why}");
            assert!(notes > 0 && labels > 0, "{figures}");
            assert!(right * 10 >= notes * 8 && found * 10 >= labels * 6, "{figures}");
        }
    }
}
