//! Finds what contexts, tasks, flows and notes already say.

use schemars::JsonSchema;
use serde::Serialize;

use super::compare::{Relation, compare};
use super::note::Note;
use super::statement::{Sentence, Statement, Writing, sentences};
use crate::search::answer::{ItemTexts, hits};
use crate::search::index::SearchIndex;
use crate::search::item::SourceType;
use faber_core::config::SearchMode;
use faber_core::parse::fields::ContextStatus;

const PASSAGES: usize = 40;
const STATEMENTS: usize = 12;

/// A duplicate or a contradiction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Related {
    /// The id of the context or note.
    pub id: String,
    /// Its file, from the workspace root.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownStatements {
    pub same: Option<Related>,
    pub contrary: Vec<Related>,
}

struct NoteQuestion {
    statements: Vec<(Sentence, Statement)>,
    same: Vec<Option<Related>>,
    contrary: Vec<Related>,
    is_cut: bool,
}

impl NoteQuestion {
    fn new(text: &str) -> Self {
        let mut statements = statements(text);
        statements.retain(|(sentence, _)| !sentence.is_cell);
        let is_cut = statements.len() > STATEMENTS;
        statements.truncate(STATEMENTS);
        Self { same: vec![None; statements.len()], statements, contrary: Vec::new(), is_cut }
    }

    fn look(
        &mut self,
        at: usize,
        known: &[(Sentence, Statement)],
        place: impl Fn(&Sentence) -> Related,
    ) {
        for (sentence, statement) in known {
            match compare(&self.statements[at].1, statement) {
                Some(Relation::Same) if self.same[at].is_none() => {
                    self.same[at] = Some(place(sentence));
                }
                Some(Relation::Contrary) => {
                    let related = place(sentence);
                    if self.contrary.iter().all(|known| known.id != related.id) {
                        self.contrary.push(related);
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(mut self) -> KnownStatements {
        self.contrary.sort();
        let is_all = !self.is_cut && self.same.iter().all(Option::is_some);
        let same = self.same.into_iter().flatten().next().filter(|_| is_all);
        KnownStatements { same, contrary: self.contrary }
    }
}

fn statements(text: &str) -> Vec<(Sentence, Statement)> {
    let said = sentences(text, Writing::Document).into_iter();
    said.map(|sentence| (sentence.clone(), Statement::of(&sentence))).collect()
}

/// Drafts are compared only for a review: agents must not see them.
pub(super) fn known(
    index: &SearchIndex,
    notes: &[Note],
    text: &str,
    reviewed: Option<&str>,
) -> KnownStatements {
    let mut question = NoteQuestion::new(text);
    let mut texts = ItemTexts::new(index);
    let corpus = index.corpus();
    for at in 0..question.statements.len() {
        let words = question.statements[at].0.text.clone();
        let all = hits(&mut texts, &words, SearchMode::Keyword, |_| true);
        let mut seen = 0;
        for hit in all {
            if seen == PASSAGES {
                break;
            }
            let (item, whole) = texts.get(hit.item);
            if item.kind == SourceType::Conversation || Some(item.id.as_str()) == reviewed {
                continue;
            }
            seen += 1;
            let span = corpus.chunks(hit.doc)[hit.chunk].0.clone();
            let passage = whole.text.get(span.clone()).unwrap_or_default();
            question.look(at, &statements(passage), |sentence| {
                let (path, line) = whole.place(item, span.start + sentence.at);
                Related { id: item.id.clone(), path, line, text: sentence.text.clone() }
            });
        }
    }
    for note in notes.iter().filter(|note| Some(note.id.as_str()) != reviewed) {
        let may_contradict = match note.status() {
            ContextStatus::Draft => reviewed.is_some(),
            ContextStatus::Rejected => false,
            ContextStatus::Approved | ContextStatus::Deprecated => continue,
        };
        let contrary = (!may_contradict).then(|| question.contrary.clone());
        let own = note.statements.get_or_init(|| statements(&note.source[note.body..]));
        for at in 0..question.statements.len() {
            question.look(at, own, |sentence| {
                let before = &note.source[..(note.body + sentence.at).min(note.source.len())];
                let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
                let (id, path) = (note.id.clone(), note.path.to_string());
                Related { id, path, line, text: sentence.text.clone() }
            });
        }
        question.contrary = contrary.unwrap_or(question.contrary);
    }
    question.finish()
}
