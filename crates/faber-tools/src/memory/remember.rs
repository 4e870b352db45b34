use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use super::dialogue::{self, DialogueTurn};
use super::known::{self, KnownStatements, Related};
use super::note::{self, Note, NoteMetadata};
pub use super::note::{Draft, NoteScope};
use crate::search::index::SearchIndex;
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::parse::fields::ContextStatus;
use faber_core::resolve::include::access_of;
use faber_core::resolve::view::Access;
use faber_core::source::SourceMap;
use faber_core::world::World;
use faber_session::discover::notes;
use faber_session::history::{self, HISTORY};
use faber_session::session::{Session, Workspace};
use faber_session::settings::Settings;

const NAMED: usize = 200;
const MAX_NAMED: usize = 20;
const MAX_DRAFTS: usize = 500;

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// A draft was made.
    Created,
    /// It is a duplicate of a context or another note; no draft was created.
    Known,
}

/// A finding of the security scan in a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteFinding {
    /// The rule.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
    /// The line of the note, from 1.
    pub line: usize,
}

/// `faber remember --format json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RememberData {
    /// `faber.remember/1`.
    pub schema: &'static str,
    /// What became of it.
    pub outcome: Outcome,
    /// The id of the draft, or of its duplicate.
    pub id: String,
    /// Its file, from the workspace root.
    pub path: String,
    /// What says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Related>,
    /// What says the contrary.
    pub contradicts: Vec<Related>,
    /// What the security scan finds in the draft.
    pub findings: Vec<NoteFinding>,
}

pub struct Memory<'a> {
    pub session: &'a Session,
    pub workspace: Workspace,
    pub library: &'a SearchIndex,
    pub(super) notes: Vec<Note>,
    has_history: bool,
}

impl<'a> Memory<'a> {
    pub fn new(session: &'a Session, library: &'a SearchIndex) -> Self {
        let mut workspace = session.workspace();
        let notes = note::unread(&mut workspace, &[]);
        Self { session, workspace, library, notes, has_history: true }
    }

    #[must_use]
    pub fn without_history(self) -> Self {
        Self { notes: Vec::new(), has_history: false, ..self }
    }

    /// # Errors
    ///
    /// [`Error::Usage`] for invalid input, errors of writing.
    pub fn remember(&mut self, draft: &Draft, role: Option<&str>) -> Result<RememberData, Error> {
        note::check(&draft.text)?;
        check_names("tag", &draft.tags)?;
        check_names("source", &draft.from)?;
        check_names("reason", draft.reason.as_slice())?;
        let when = self.condition(draft.scope, role)?;
        let _turn = notes::turn(self.workspace.files.root())?;
        if self.has_history {
            let of_others = note::unread(&mut self.workspace, &self.notes);
            self.notes.extend(of_others);
        }
        let drafts = self.notes.iter().filter(|note| note.status() == ContextStatus::Draft);
        if drafts.count() >= MAX_DRAFTS {
            let message = format!("{MAX_DRAFTS} drafts wait for a review");
            return Err(Error::usage(message, "approve or reject some of them: `faber review`"));
        }
        let known = self.known(&draft.text);
        if let Some(same) = known.same {
            return Ok(is_known(same));
        }
        let user = self.workspace.principal().user;
        let is_private = draft.is_private || self.names_hidden(draft);
        let draft = &Draft { is_private, ..draft.clone() };
        if is_private && user.is_none() {
            let message = match draft.from.first() {
                Some(from) => {
                    let source = from.rsplit_once('#').map_or(&**from, |(name, _)| name);
                    format!(
                        "notes from `{}` are private to one user",
                        faber_core::escape::Visible(source)
                    )
                }
                None => "a private note needs a user".to_owned(),
            };
            let help = "add `--as USER`, or set `access.user` in your own configuration";
            return Err(Error::usage(message, help));
        }
        // Others must not learn of hidden items.
        let named = known.contrary.iter().filter(|related| {
            is_private || (self.is_open(&related.path) && self.is_open_item(&related.id))
        });
        let contradicts = named.map(|related| related.id.clone()).collect();
        let owner = user.or_else(|| system_user(self.session.settings()));
        let day = self.session.settings().today;
        let (path, text) = draft.file(&NoteMetadata { owner, day, when, contradicts });
        let id = format!("history/{}", path.file_stem().unwrap_or_default());
        if !history::add_note(&self.workspace.files, &path, &text, draft.is_private)? {
            let (line, said) = (1, draft.text.trim().to_owned());
            return Ok(is_known(Related { id, path: path.to_string(), line, text: said }));
        }
        let note = Note::read(&mut self.workspace.sources, id.clone(), path.clone(), text);
        let findings = findings(&note, &self.workspace.sources);
        self.notes.push(note);
        Ok(RememberData {
            schema: "faber.remember/1",
            outcome: Outcome::Created,
            id,
            path: path.to_string(),
            known: None,
            contradicts: known.contrary,
            findings,
        })
    }

    fn names_hidden(&self, draft: &Draft) -> bool {
        let is_hidden = |from: &String| {
            let (name, line) = from.rsplit_once('#').unwrap_or((from, ""));
            let stem =
                name.strip_prefix("history/").and_then(|_| stem_of_history(&self.workspace, name));
            let turns = stem.map(|stem| turns_of_history(&self.workspace, &stem));
            let mut turns = turns.into_iter().flatten();
            turns.any(|turn| {
                turn.is_restricted && (line.is_empty() || line == turn.line.to_string())
            })
        };
        draft.changes.as_ref().is_some_and(|id| !self.is_open_item(id))
            || draft.from.iter().any(is_hidden)
    }

    fn is_open_item(&self, id: &str) -> bool {
        let items = &self.library.view.items;
        items.find(id).is_some_and(|at| self.is_open(&items.get(at).path))
    }

    fn is_open(&self, path: &str) -> bool {
        let Ok(text) = self.workspace.files.read(Utf8Path::new(path)) else { return false };
        let mut sources = SourceMap::default();
        let file = sources.add(path.into(), text.to_string());
        let rule = Access::from(&*access_of(&sources, file)).rule();
        rule.is_some_and(|rule| rule.is_open())
    }

    /// # Errors
    ///
    /// [`Error::Unknown`] with similar names.
    pub fn check_context(&self, id: &str) -> Result<(), Error> {
        let items = &self.library.view.items;
        let is_context = |at: usize| items.facets(at).category.is_some();
        if items.find(id).is_some_and(is_context) {
            return Ok(());
        }
        let known = (0..items.count()).filter(|at| is_context(*at));
        let known: Vec<String> = known.map(|at| items.get(at).id).collect();
        Err(Error::unknown("context", id, known.iter().map(String::as_str)))
    }

    pub(super) fn known(&self, text: &str) -> KnownStatements {
        known::known(self.library, &self.notes, text, None)
    }

    fn condition(
        &self,
        scope: NoteScope,
        role: Option<&str>,
    ) -> Result<Option<(&'static str, String)>, Error> {
        match scope {
            NoteScope::Space => Ok(None),
            NoteScope::Area => {
                let role = self.workspace.role_name(role).map_err(|error| match error {
                    Error::Unknown { .. } => error,
                    _ => Error::usage(
                        "the scope `area` needs a role",
                        "name a role, or set `settings.role`",
                    ),
                })?;
                let names = self.workspace.role_names();
                if !names.contains(&role) {
                    return Err(Error::unknown("role", &role, names.iter().map(String::as_str)));
                }
                Ok(Some(("role", role)))
            }
            NoteScope::Team => Ok(Some(("team", self.team()?))),
        }
    }

    fn team(&self) -> Result<String, Error> {
        let principal = self.workspace.principal();
        let configured = &self.workspace.config.settings.teams;
        let mut own = configured.iter().filter(|team| principal.may_be_in(&team.value));
        match (own.next(), own.next(), configured.first()) {
            (Some(team), None, _) => Ok(team.value.clone()),
            (Some(_), Some(_), _) => Err(Error::usage(
                "the scope `team` needs one team, and several are configured",
                "add `--team NAME`",
            )),
            (None, _, Some(team)) => Err(Error::usage(
                format!("you are not a member of the team `{}`", team.value),
                "use another scope",
            )),
            (None, _, None) => Err(Error::usage(
                "the scope `team` needs a team",
                "add `--team NAME`, or set `settings.team`",
            )),
        }
    }

    /// The ID of `history/chat.jsonl#3`; other text is unchanged.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if unknown or hidden.
    pub fn source(&self, from: &str) -> Result<String, Error> {
        let (name, turn) =
            from.rsplit_once('#').map_or((from, None), |(name, turn)| (name, Some(turn)));
        let Some(stem) = stem_of_history(&self.workspace, name) else { return Ok(from.to_owned()) };
        let id = format!("history/{stem}.jsonl");
        let is_named_so = name.strip_prefix(".faber/").unwrap_or(name).starts_with("history/");
        let unknown = || {
            Error::usage(
                format!("unknown source `{}`", faber_core::escape::Visible(from)),
                "name a turn of a conversation that you may see by its line, such as `history/chat.jsonl#3`",
            )
        };
        let turns = turns_of_history(&self.workspace, &stem);
        if turns.is_empty() && !is_named_so {
            return Ok(from.to_owned());
        }
        let Some(turn) = turn else {
            return if turns.is_empty() { Err(unknown()) } else { Ok(id) };
        };
        let line: usize = turn.parse().map_err(|_| unknown())?;
        let is_there = turns.iter().any(|turn| turn.line == line);
        if is_there { Ok(format!("{id}#{line}")) } else { Err(unknown()) }
    }
}

fn is_known(same: Related) -> RememberData {
    RememberData {
        schema: "faber.remember/1",
        outcome: Outcome::Known,
        id: same.id.clone(),
        path: same.path.clone(),
        known: Some(same),
        contradicts: Vec::new(),
        findings: Vec::new(),
    }
}

fn check_names(what: &str, names: &[String]) -> Result<(), Error> {
    let is_name = |name: &String| {
        !name.trim().is_empty() && name.chars().count() <= NAMED && !name.contains(char::is_control)
    };
    if names.len() <= MAX_NAMED && names.iter().all(is_name) {
        return Ok(());
    }
    let help = format!("use at most {MAX_NAMED}, each on one line of at most {NAMED} characters");
    Err(Error::usage(format!("invalid {what}"), help))
}

pub(super) fn system_user(settings: &Settings) -> Option<String> {
    let names = ["USER", "LOGNAME", "USERNAME"];
    names.into_iter().find_map(|name| settings.var(name)).map(str::to_owned)
}

pub(super) fn findings(note: &Note, sources: &SourceMap) -> Vec<NoteFinding> {
    let finding = |found: Diagnostic| NoteFinding {
        rule: found.rule().code,
        line: sources.get(found.primary.span.file).line(found.primary.span.start),
        message: found.message,
    };
    note.findings().into_iter().map(finding).collect()
}

pub(super) fn stem_of_history(workspace: &Workspace, name: &str) -> Option<String> {
    let own = name.strip_prefix(".faber/").unwrap_or(name);
    let named = own.strip_prefix("history/");
    let stem = named.unwrap_or(own);
    let stem = stem.strip_suffix(".jsonl").unwrap_or(stem);
    let is_stem = !stem.is_empty() && !stem.contains(['/', '\\']);
    let path = Utf8Path::new(HISTORY).join(format!("{stem}.jsonl"));
    (is_stem && (named.is_some() || workspace.files.is_file(&path))).then(|| stem.to_owned())
}

pub(super) fn turns_of_history(workspace: &Workspace, stem: &str) -> Vec<DialogueTurn> {
    let path = Utf8Path::new(HISTORY).join(format!("{stem}.jsonl"));
    let Ok(text) = workspace.files.read(&path) else { return Vec::new() };
    let principal = workspace.principal();
    let access = history::access_of(&workspace.files, &path);
    if access.as_ref().is_some_and(|access| !principal.may_read(&Access::from(access))) {
        return Vec::new();
    }
    let mut turns = dialogue::turns(&text, |access| principal.may_read(access));
    for turn in &mut turns {
        turn.is_restricted |= access.is_some();
    }
    turns
}
