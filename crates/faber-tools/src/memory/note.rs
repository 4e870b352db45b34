use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;

use super::statement::{Sentence, Statement, Writing, sentences};
use faber_core::config::quote;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::letters::words;
use faber_core::parse::fields::{ContextStatus, Fields, Visibility};
use faber_core::parse::frontmatter::{self, FrontKind};
use faber_core::rules::injection_phrase;
use faber_core::security;
use faber_core::source::{FileId, SourceMap, char_boundary};
use faber_session::history::{self, HISTORY};
use faber_session::session::Workspace;

pub(super) const MAX_BYTES: usize = 8 * 1024;
const NAME: (usize, usize) = (6, 48);

faber_core::named_enum! {
    #[derive(Default)]
    pub enum NoteScope {
        /// For one role
        Area = "area",
        /// In the whole workspace
        #[default]
        Space = "space",
        /// For one team
        Team = "team",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    pub text: String,
    pub scope: NoteScope,
    pub tags: Vec<String>,
    pub from: Vec<String>,
    pub kind: Option<&'static str>,
    pub changes: Option<String>,
    pub reason: Option<String>,
    pub is_private: bool,
}

pub(super) struct NoteMetadata {
    pub owner: Option<String>,
    pub day: Date,
    pub when: Option<(&'static str, String)>,
    pub contradicts: Vec<String>,
}

impl Draft {
    pub(super) fn file(&self, known: &NoteMetadata) -> (Utf8PathBuf, String) {
        let quoted = |text: &Option<String>| text.as_deref().map(quote::text);
        let list = |items: &[String]| {
            let quoted: Vec<String> = items.iter().map(|item| quote::text(item)).collect();
            (!items.is_empty()).then(|| format!("[{}]", quoted.join(", ")))
        };
        let when = known.when.as_ref();
        let fields = [
            ("owner", quoted(&known.owner)),
            ("visibility", self.is_private.then(|| "private".to_owned())),
            ("updated", Some(known.day.to_string())),
            ("kind", self.kind.map(str::to_owned)),
            ("when", when.map(|(key, value)| format!("{{ {key}: {} }}", quote::text(value)))),
            ("changes", quoted(&self.changes)),
            ("description", quoted(&self.reason)),
            ("tags", list(&self.tags)),
            ("derived_from", list(&self.from)),
            ("contradicts", list(&known.contradicts)),
        ];
        let lines = fields.into_iter().filter_map(|(key, it)| Some(format!("{key}: {}\n", it?)));
        let front = format!("---\nstatus: draft\n{}", lines.collect::<String>());
        let text = self.text.trim().replace("\r\n", "\n").replace('\r', "\n");
        let hash = blake3::hash(format!("{text}{front}").as_bytes()).to_hex();
        // Everyone who lists the folder reads the name.
        let words = if self.is_private { String::new() } else { slug(&text) };
        let name = format!("{}-{words}{}", known.day, &hash[..6]);
        (Utf8Path::new(HISTORY).join(format!("{name}.md")), format!("{front}---\n\n{text}\n"))
    }
}

fn slug(text: &str) -> String {
    let mut slug = String::new();
    for word in words(text).iter().take(NAME.0) {
        let is_first = slug.is_empty();
        if !is_first && slug.len() + word.len() > NAME.1 {
            break;
        }
        slug.push_str(&word[..char_boundary(word, NAME.1)]);
        slug.push('-');
    }
    slug
}

pub(super) fn check(text: &str) -> Result<(), Error> {
    if text.trim().is_empty() {
        return Err(Error::usage("the note is empty", "write a sentence"));
    }
    if sentences(text, Writing::Document).is_empty() {
        let message = "the note has no sentence";
        return Err(Error::usage(message, "write one; headings, rules and code alone are no note"));
    }
    if text.len() > MAX_BYTES {
        let most =
            format!("a note has at most {MAX_BYTES} bytes; write a context with `faber new`");
        return Err(Error::usage(format!("the note has {} bytes", text.len()), most));
    }
    if has_secret(text) {
        let message = "the note contains a secret";
        return Err(Error::usage(message, "write where the secret is stored instead"));
    }
    Ok(())
}

pub(super) fn injects(text: &str) -> bool {
    let mut found = Vec::new();
    security::scan(of_text(text), Utf8Path::new(""), text, None, &mut found);
    found.iter().any(|finding| finding.rule() == &injection_phrase::RULE)
}

pub(super) fn has_secret(text: &str) -> bool {
    !security::secrets(of_text(text), text).is_empty()
}

fn of_text(text: &str) -> FileId {
    SourceMap::default().add(Utf8PathBuf::new(), text.to_owned())
}

pub(super) struct Note {
    pub id: String,
    pub path: Utf8PathBuf,
    pub file: FileId,
    pub fields: Arc<Fields>,
    pub source: String,
    pub body: usize,
    pub(super) statements: OnceLock<Vec<(Sentence, Statement)>>,
}

impl Note {
    pub(super) fn read(
        sources: &mut SourceMap,
        id: String,
        path: Utf8PathBuf,
        source: String,
    ) -> Self {
        let file = sources.add(path.clone(), source.clone());
        let parsed = frontmatter::read(sources, file, FrontKind::Context).value;
        let (fields, body, statements) = (parsed.front.fields, parsed.body, OnceLock::new());
        Self { id, path, file, fields, source, body, statements }
    }

    pub(super) fn is_private(&self) -> bool {
        self.fields.visibility.as_ref().is_some_and(|it| it.value == Visibility::Private)
    }

    pub(super) fn status(&self) -> ContextStatus {
        self.fields.status.as_ref().map_or(ContextStatus::Approved, |status| status.value)
    }

    pub(super) fn text(&self) -> &str {
        self.source[self.body..].trim()
    }

    pub(super) fn day(&self) -> Option<Date> {
        let day = self.fields.updated.as_ref().or(self.fields.valid_from.as_ref());
        day.map(|day| day.value)
    }

    pub(super) fn findings(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        security::scan(self.file, &self.path, &self.source, None, &mut found);
        found.retain(|finding| finding.severity() != Severity::Hint);
        found
    }
}

pub(super) fn unread(workspace: &mut Workspace, known: &[Note]) -> Vec<Note> {
    let principal = workspace.principal();
    let folder = Utf8Path::new(HISTORY);
    let first = history::first_kept(workspace.config.keep_days, workspace.options.today);
    let mut notes = Vec::new();
    for stem in workspace.names_ending(folder, ".md") {
        let path = folder.join(format!("{stem}.md"));
        let id = format!("history/{stem}");
        if known.iter().any(|note| note.id == id) {
            continue;
        }
        let Ok(text) = workspace.files.read(&path) else { continue };
        let note = Note::read(&mut workspace.sources, id, path, text.to_string());
        if principal.may_see(&note.fields) && note.day().is_none_or(|day| day >= first) {
            notes.push(note);
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front_edit::{FieldEdit, with_fields};

    #[test]
    fn a_name_has_the_first_words_in_any_script() {
        assert_eq!(slug("Use `pnpm`: always!"), "use-pnpm-always-");
        assert_eq!(slug("Über die Straße: Gebühren"), "über-die-straße-gebühren-");
        assert_eq!(slug("Всё хорошо"), "всё-хорошо-");
        assert_eq!(slug(&"日".repeat(40)), "日".repeat(16) + "-");
        assert_eq!(slug("…"), "");
    }

    #[test]
    fn lines_of_a_note_end_alike() {
        let draft = Draft { text: "One.\r\nTwo.\rThree.\r\n".to_owned(), ..Draft::default() };
        let day = jiff::civil::date(2026, 1, 2);
        let known = NoteMetadata { owner: None, day, when: None, contradicts: Vec::new() };
        assert!(draft.file(&known).1.ends_with("---\n\nOne.\nTwo.\nThree.\n"));
    }

    #[test]
    fn a_note_reads_back_as_it_was_meant() {
        let draft = Draft {
            text: "Use `pnpm`: always!\n".to_owned(),
            tags: vec!["build".to_owned(), "a: b".to_owned()],
            from: vec!["history/chat.jsonl#3".to_owned()],
            is_private: true,
            ..Draft::default()
        };
        let known = NoteMetadata {
            owner: Some("ann \"x\"".to_owned()),
            day: jiff::civil::date(2026, 1, 2),
            when: Some(("team", "core".to_owned())),
            contradicts: vec!["standard/npm".to_owned()],
        };
        let (path, text) = draft.file(&known);
        assert_eq!(path.as_str().len(), ".faber/history/2026-01-02-5b5483.md".len(), "no word");
        let (open, _) = Draft { is_private: false, ..draft }.file(&known);
        assert!(open.as_str().starts_with(".faber/history/2026-01-02-use-pnpm-always-"), "{open}");
        let mut sources = SourceMap::default();
        let file = sources.add(path, text.clone());
        let mut found = Vec::new();
        let read = frontmatter::read(&sources, file, FrontKind::Context).drain_into(&mut found);
        assert!(found.is_empty(), "{found:?}");
        let fields = &read.front.fields;
        assert_eq!(fields.status.as_ref().unwrap().value, ContextStatus::Draft);
        assert_eq!(fields.owner.as_ref().unwrap().value, "ann \"x\"");
        assert_eq!(fields.tags[1].value, "a: b");
        assert_eq!(fields.when.as_ref().unwrap().all.len(), 1);
        assert_eq!(text[read.body..].trim(), "Use `pnpm`: always!");
        let set = |field, value: &'static str| FieldEdit::Set { field, value: value.into() };
        let edits = [set("status", "approved"), set("approver", "bob")];
        let approved = with_fields(&text, &edits).unwrap();
        assert_eq!(
            approved,
            text.replace("draft", "approved").replace("\n---\n", "\napprover: bob\n---\n")
        );
    }

    #[test]
    fn empty_long_and_secret_notes_are_refused() {
        assert!(check("Use pnpm.").is_ok());
        for text in ["", " \n", "---", &"a ".repeat(MAX_BYTES), "```\ncode\n```"] {
            assert!(check(text).is_err(), "{text:.20}");
        }
    }
}
