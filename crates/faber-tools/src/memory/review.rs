use std::fmt::Write as _;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use super::known::{self, Related};
use super::note::Note;
use super::remember::{Memory, NoteFinding, findings, stem_of_history, turns_of_history};
use crate::search::found::preview;
use faber_core::parse::fields::ContextStatus;
use faber_core::security::redact;
use faber_session::session::Workspace;

const EXCERPT: usize = 300;

/// `faber review --format json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewData {
    /// `faber.review/1`.
    pub schema: &'static str,
    /// The drafts by id.
    pub drafts: Vec<DraftData>,
}

/// A draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DraftData {
    /// Its id, which `approve` and `reject` take.
    pub id: String,
    /// Its file, from the workspace root.
    pub path: String,
    /// What it says.
    pub text: String,
    /// A word for what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// When it was made: `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// Whether its owner alone may see it.
    pub is_private: bool,
    /// The role or team that it is for, such as `team core`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_for: Option<String>,
    /// Why it was proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it was derived from.
    pub sources: Vec<NoteSource>,
    /// The context that it proposes to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
    /// A duplicate created in the meantime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Related>,
    /// Contradictions, which would have to be changed.
    pub contradicts: Vec<Related>,
    /// What the security scan finds in it.
    pub findings: Vec<NoteFinding>,
    /// Why it would not be used if it were approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused: Option<String>,
}

/// A source of a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteSource {
    /// The conversation and the turn, or a text.
    pub id: String,
    /// The beginning of the message, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

pub fn review(memory: &Memory<'_>) -> ReviewData {
    let drafts = memory.notes.iter().filter(|note| note.status() == ContextStatus::Draft);
    let drafts = drafts.map(|note| draft(memory, note)).collect();
    ReviewData { schema: "faber.review/1", drafts }
}

fn draft(memory: &Memory<'_>, note: &Note) -> DraftData {
    let known = known::known(memory.library, &memory.notes, note.text(), Some(&note.id));
    let fields = &note.fields;
    let value = |field: &Option<faber_core::source::Spanned<String>>| {
        field.as_ref().map(|field| field.value.clone())
    };
    let conditions = fields.when.iter().flat_map(|when| &when.all);
    let only_for: Vec<String> = conditions
        .map(|condition| format!("{} {}", condition.key.value, condition.values.join(" or ")))
        .collect();
    let today = memory.workspace.options.today;
    let unused = fields.valid_to.as_ref().filter(|to| to.value < today);
    let sources = fields.derived_from.iter().map(|from| source(&memory.workspace, &from.value));
    DraftData {
        id: note.id.clone(),
        path: note.path.to_string(),
        text: note.text().to_owned(),
        kind: value(&fields.kind),
        owner: value(&fields.owner),
        day: note.day().map(|day| day.to_string()),
        is_private: note.is_private(),
        only_for: Some(only_for.join(", ")).filter(|text| !text.is_empty()),
        reason: value(&fields.description),
        sources: sources.collect(),
        changes: value(&fields.changes),
        known: known.same,
        contradicts: known.contrary,
        findings: findings(note, &memory.workspace.sources),
        unused: unused.map(|to| format!("valid_to {}", to.value)),
    }
}

fn source(workspace: &Workspace, id: &str) -> NoteSource {
    let message = || {
        let (name, line) = id.rsplit_once('#').filter(|(name, _)| name.starts_with("history/"))?;
        let line: usize = line.parse().ok()?;
        let stem = stem_of_history(workspace, name)?;
        let turn = turns_of_history(workspace, &stem).into_iter().find(|turn| turn.line == line)?;
        Some(preview(&redact::neutralized(&turn.text), EXCERPT))
    };
    NoteSource { id: id.to_owned(), text: message() }
}

pub fn human(data: &ReviewData) -> String {
    let mut out = String::new();
    for draft in &data.drafts {
        let facts = [
            draft.kind.clone(),
            draft.owner.as_ref().map(|owner| format!("by {owner}")),
            draft.day.clone(),
            draft.only_for.as_ref().map(|only| format!("for {only}")),
            draft.is_private.then(|| "private".to_owned()),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let _ = writeln!(out, "{}  {}", draft.id, facts.join(", "));
        for line in redact::neutralized(&draft.text).lines() {
            let _ = writeln!(out, "{}", format!("    {line}").trim_end());
        }
        for source in &draft.sources {
            let text = source.text.as_ref().map(|text| format!(": \"{text}\"")).unwrap_or_default();
            let _ = writeln!(out, "  from {}{text}", source.id);
        }
        if let Some(changes) = &draft.changes {
            let why = draft.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let _ = writeln!(out, "  changes {changes}{why}");
        }
        if let Some(known) = &draft.known {
            let _ = writeln!(out, "  duplicate of {}", place(known));
        }
        out.push_str(&remarks("  ", &draft.contradicts, &draft.findings));
        if let Some(unused) = &draft.unused {
            let _ = writeln!(out, "  would not be used: {unused}");
        }
        out.push('\n');
    }
    out
}

pub fn remarks(indent: &str, contradicts: &[Related], findings: &[NoteFinding]) -> String {
    let mut out = String::new();
    for contrary in contradicts {
        let _ = writeln!(out, "{indent}contradicts {}", place(contrary));
    }
    for NoteFinding { rule, message, line } in findings {
        let _ = writeln!(out, "{indent}security: {message} (line {line}, {rule})");
    }
    out
}

pub fn place(related: &Related) -> String {
    let Related { id, path, line, text } = related;
    format!("{id} ({}:{line}): \"{}\"", Utf8Path::new(path), redact::neutralized(text))
}
