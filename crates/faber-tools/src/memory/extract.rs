use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::dialogue::{self, DialogueTurn, Speaker};
use super::known::Related;
use super::note::{self, Note};
use super::phrase::Phrase;
use super::phrases::{MAX_NOTES, NoteCandidate, NoteKind, candidates};
use super::remember::{
    Draft, Memory, NoteFinding, NoteScope, Outcome, findings, stem_of_history, turns_of_history,
};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::source::SourceMap;
use faber_session::discover::files::{is_file, read_input, real_place};
use faber_session::discover::summarizer;
use faber_session::session::Workspace;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceConversation {
    pub name: String,
    pub turns: Vec<DialogueTurn>,
}

/// `faber extract --format json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExtractData {
    /// `faber.extract/1`.
    pub schema: &'static str,
    /// The conversation.
    pub conversation: String,
    /// What was found, in order.
    pub notes: Vec<ExtractedNote>,
}

/// A note found in a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExtractedNote {
    /// What became of it.
    pub outcome: Extracted,
    /// Why it is worth a note.
    pub kind: NoteKind,
    /// What it says.
    pub text: String,
    /// The line of the message, from 1.
    pub turn: usize,
    /// The draft, or its duplicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What says the contrary.
    pub contradicts: Vec<Related>,
    /// What the security scan finds in the draft.
    pub findings: Vec<NoteFinding>,
}

/// The outcome for a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Extracted {
    /// A draft was made.
    Created,
    /// It is only shown.
    Found,
    /// It is a duplicate of a context or another note.
    Known,
    /// It contains a secret or is too long.
    Refused,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ExtractOptions<'a> {
    pub command: Option<&'a str>,
    pub dry_run: bool,
    pub scope: NoteScope,
    pub role: Option<&'a str>,
}

/// # Errors
///
/// [`Error::Usage`] without visible messages.
pub fn open(
    workspace: &Workspace,
    cwd: &Utf8Path,
    name: &str,
) -> Result<SourceConversation, Error> {
    let path = cwd.join(name);
    let named = stem_of_history(workspace, name);
    let named = named.filter(|_| name.starts_with("history/") || !is_file(&path));
    let Some(stem) = named.or_else(|| of_folder(workspace, &path)) else {
        return of_text(name, &read_input(&path)?);
    };
    let turns = turns_of_history(workspace, &stem);
    if turns.is_empty() {
        return Err(without_messages("no visible messages in", name));
    }
    Ok(SourceConversation { name: format!("history/{stem}.jsonl"), turns })
}

fn without_messages(problem: &str, name: &str) -> Error {
    let message = format!("{problem} `{}`", Visible(name));
    Error::usage(message, "give a conversation of `.faber/history/`, or the transcript of a client")
}

fn of_folder(workspace: &Workspace, path: &Utf8Path) -> Option<String> {
    let path = real_place(path);
    let name = path.strip_prefix(workspace.files.root()).ok()?;
    stem_of_history(workspace, name.as_str()).filter(|_| name.starts_with(".faber/history"))
}

/// Makes private notes, which need a user.
///
/// # Errors
///
/// [`Error::Usage`] without messages.
pub fn of_text(name: &str, text: &str) -> Result<SourceConversation, Error> {
    let mut turns = dialogue::turns(text, |_| true);
    for turn in &mut turns {
        turn.is_restricted = true;
    }
    if turns.is_empty() {
        return Err(without_messages("no conversation in", name));
    }
    let name = Utf8Path::new(name).file_name().unwrap_or(name).to_owned();
    Ok(SourceConversation { name, turns })
}

/// # Errors
///
/// [`Error::Command`] if the command fails; errors of writing.
pub fn extract(
    memory: &mut Memory<'_>,
    conversation: &SourceConversation,
    options: &ExtractOptions<'_>,
) -> Result<ExtractData, Error> {
    let found = match options.command {
        Some(command) => ask_extractor(command, conversation)?,
        None => candidates(&conversation.turns)
            .into_iter()
            .filter(|it| !Phrase::new(&it.text).disregards() && !note::injects(&it.text))
            .collect(),
    };
    let notes = found.into_iter().map(|candidate| one(memory, conversation, candidate, options));
    let notes = notes.collect::<Result<_, _>>()?;
    Ok(ExtractData { schema: "faber.extract/1", conversation: conversation.name.clone(), notes })
}

fn one(
    memory: &mut Memory<'_>,
    conversation: &SourceConversation,
    candidate: NoteCandidate,
    options: &ExtractOptions<'_>,
) -> Result<ExtractedNote, Error> {
    let NoteCandidate { kind, text, line: turn, is_restricted } = candidate;
    let nothing = ExtractedNote {
        outcome: Extracted::Refused,
        kind,
        text: text.clone(),
        turn,
        id: None,
        contradicts: Vec::new(),
        findings: Vec::new(),
    };
    if note::check(&text).is_err() {
        let text = faber_core::security::redact::neutralized(&text).into_owned();
        return Ok(ExtractedNote { text, ..nothing });
    }
    if options.dry_run {
        let known = memory.known(&text);
        let mut sources = SourceMap::default();
        let draft = Note::read(&mut sources, String::new(), Utf8PathBuf::new(), text);
        return Ok(ExtractedNote {
            findings: findings(&draft, &sources),
            outcome: if known.same.is_some() { Extracted::Known } else { Extracted::Found },
            id: known.same.map(|same| same.id),
            contradicts: known.contrary,
            ..nothing
        });
    }
    let draft = Draft {
        text,
        scope: options.scope,
        from: vec![format!("{}#{turn}", conversation.name)],
        kind: Some(kind.name()),
        is_private: is_restricted,
        ..Draft::default()
    };
    let made = memory.remember(&draft, options.role)?;
    Ok(ExtractedNote {
        outcome: match made.outcome {
            Outcome::Created => Extracted::Created,
            Outcome::Known => Extracted::Known,
        },
        id: Some(made.id),
        contradicts: made.contradicts,
        findings: made.findings,
        ..nothing
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SummarizerAnswer {
    notes: Vec<AnsweredNote>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnsweredNote {
    kind: NoteKind,
    text: String,
    turn: usize,
}

fn ask_extractor(
    command: &str,
    conversation: &SourceConversation,
) -> Result<Vec<NoteCandidate>, Error> {
    let turns = conversation.turns.iter().map(|turn| {
        let role = match turn.speaker {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
            Speaker::Tool => "tool",
        };
        json!({ "turn": turn.line, "role": role, "text": turn.text })
    });
    let turns: Vec<_> = turns.collect();
    let request = json!({ "schema": "faber.extract-request/1", "conversation": conversation.name, "turns": turns });
    let help = "it gets `{\"turns\": [{\"turn\", \"role\", \"text\"}]}` on standard input, and prints \
        `{\"notes\": [{\"kind\", \"text\", \"turn\"}]}`";
    let fail = |message: String| {
        let (command, help) = (command.to_owned(), Some(help.to_owned()));
        Error::Command { command, message, help }
    };
    let answer = summarizer::ask(command, &request.to_string()).map_err(fail)?;
    let answer: SummarizerAnswer = serde_json::from_str(&answer)
        .map_err(|error| fail(format!("its answer is not a list of notes: {error}")))?;
    let count = answer.notes.len();
    if count > MAX_NOTES {
        return Err(fail(format!("it answers with {count} notes; at most {MAX_NOTES} are taken")));
    }
    let candidate = |AnsweredNote { kind, text, turn: line }| {
        let turn = conversation.turns.iter().find(|turn| turn.line == line);
        let unknown = || fail(format!("it refers to turn {line}, which does not exist"));
        let is_restricted = turn.ok_or_else(unknown)?.is_restricted;
        Ok(NoteCandidate { kind, text, line, is_restricted })
    };
    answer.notes.into_iter().map(candidate).collect()
}
