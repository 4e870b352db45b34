use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::known::{Related, known};
use super::note::Note;
use super::remember::{Memory, NoteFinding, findings, system_user};
use super::statement::{Writing, sentences};
use crate::front_edit::{self, FieldEdit, UNEDITABLE, with_fields};
use crate::search::found::preview;
use faber_core::category::{CATEGORIES, Category};
use faber_core::config::quote;
use faber_core::context_id::ContextId;
use faber_core::error::Error;
use faber_core::line;
use faber_core::markdown::{self, Block, BlockKind, Lines};
use faber_core::packs;
use faber_core::parse::fence;
use faber_core::parse::fields::ContextStatus;
use faber_core::workspace::Viewer;
use faber_core::world::{MemoryWorld, Unreadable};
use faber_session::discover::atomic::{Replaced, Writer, not_written};
use faber_session::discover::notes;
use faber_session::session::ResolvedView;

const SECTION: &str = "Notes";
const DESCRIPTION: usize = 120;
const ADD_OVERLAY: &str = "add `--overlay organization`, `--overlay teams/NAME` or the like";

#[derive(Clone, Copy, Debug, Default)]
pub struct Approval<'a> {
    pub into: Option<&'a str>,
    pub overlay: Option<&'a str>,
    pub role: Option<&'a str>,
    pub platform: Option<&'a str>,
    pub allow_insecure: bool,
}

/// `faber approve --format json` and `faber reject --format json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecideData {
    /// `faber.decide/1`.
    pub schema: &'static str,
    /// The note.
    pub id: String,
    /// Its file, from the workspace root.
    pub path: String,
    /// Its status from now on.
    pub status: &'static str,
    /// Who decided.
    pub approver: String,
    /// The context that has its text now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The file of that, from the workspace root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// Contradictions, to be changed by hand.
    pub contradicts: Vec<Related>,
}

struct ContextEdit {
    id: String,
    path: Utf8PathBuf,
    before: Option<String>,
    after: String,
}

/// # Errors
///
/// [`Error::Unknown`] for unknown drafts and layers, [`Error::Usage`] for other notes; errors of
/// writing.
pub fn approve(
    memory: &Memory<'_>,
    name: &str,
    approval: &Approval<'_>,
) -> Result<DecideData, Error> {
    let _turn = notes::turn(memory.workspace.files.root())?;
    let note = find(memory, name)?;
    let insecure = findings(note, &memory.workspace.sources);
    if let Some(NoteFinding { line, message, .. }) =
        insecure.first().filter(|_| !approval.allow_insecure)
    {
        return Err(Error::usage(
            format!("`{}` has a security finding in line {line}: {message}", note.id),
            "reject it, or change its text; `--allow-insecure` approves it as it is",
        ));
    }
    let changes = note.fields.changes.as_ref().map(|changes| changes.value.as_str());
    let change = match approval.into.or(changes) {
        Some(target) => Some(change(memory, note, target, approval)?),
        None if approval.overlay.is_some() => {
            return Err(Error::usage("`--overlay` needs a context", "add `--into CATEGORY/NAME`"));
        }
        None => None,
    };
    let known = known(memory.library, &memory.notes, note.text(), Some(&note.id));
    let superseded = change.as_ref().map(|change| ("superseded_by", quote::text(&change.id)));
    let decision = decision(memory, note, ContextStatus::Approved, superseded)?;
    if let Some(change) = &change {
        // In this order, an interruption loses no approved note.
        write(memory, change)?;
    }
    let mut data = decision.write(memory)?;
    if let Some(change) = change {
        data.context = Some(change.id);
        data.written = Some(change.path.to_string());
    }
    data.contradicts = known.contrary;
    Ok(data)
}

/// # Errors
///
/// Errors of [`approve`].
pub fn reject(memory: &Memory<'_>, name: &str) -> Result<DecideData, Error> {
    let _turn = notes::turn(memory.workspace.files.root())?;
    decision(memory, find(memory, name)?, ContextStatus::Rejected, None)?.write(memory)
}

fn find<'m>(memory: &'m Memory<'_>, name: &str) -> Result<&'m Note, Error> {
    let notes = &memory.notes;
    let is_draft = |note: &&Note| note.status() == ContextStatus::Draft;
    let decided = |note: &Note| {
        let (id, status) = (&note.id, note.status().name());
        let message = format!("`{id}` is not a draft: its status is {status}");
        Error::usage(message, "`faber review` lists drafts")
    };
    let exact = notes.iter().find(|note| note.id == name || note.path == name);
    if let Some(note) = exact {
        return Some(note).filter(is_draft).ok_or_else(|| decided(note));
    }
    let matching = notes.iter().filter(|note| !name.is_empty() && note.id.contains(name));
    let (drafts, others): (Vec<&Note>, Vec<&Note>) = matching.partition(is_draft);
    match (&drafts[..], &others[..]) {
        ([note], _) => Ok(note),
        ([], [note]) => Err(decided(note)),
        ([], _) => {
            let known = notes.iter().filter(is_draft).map(|note| note.id.as_str());
            Err(Error::unknown("draft", name, known))
        }
        _ => Err(Error::usage(
            format!("several drafts match `{}`", faber_core::escape::Visible(name)),
            "use the whole id, as `faber review` prints it",
        )),
    }
}

struct Decision<'a> {
    note: &'a Note,
    status: ContextStatus,
    approver: String,
    after: String,
}

fn decision<'a>(
    memory: &Memory<'_>,
    note: &'a Note,
    status: ContextStatus,
    more: Option<(&'static str, String)>,
) -> Result<Decision<'a>, Error> {
    let settings = memory.session.settings();
    let approver = memory.workspace.principal().user.or_else(|| system_user(settings));
    let Some(approver) = approver else {
        let help = "add `--as USER`, or set `access.user` in your own configuration, or `USER`";
        return Err(Error::usage("the name of the approver is not known", help));
    };
    let mut fields = vec![
        ("status", status.name().to_owned()),
        ("approver", quote::text(&approver)),
        ("reviewed", settings.today.to_string()),
    ];
    fields.extend(more);
    let now = memory.workspace.files.read_from_disk(&note.path);
    if now.is_ok_and(|now| *now != *note.source) {
        Replaced::Changed.written(&note.path)?;
    }
    let set =
        |(field, value): (&'static str, String)| FieldEdit::Set { field, value: value.into() };
    let edits: Vec<FieldEdit> = fields.into_iter().map(set).collect();
    let after =
        with_fields(&note.source, &edits).ok_or_else(|| not_written(&note.path, UNEDITABLE))?;
    Ok(Decision { note, status, approver, after })
}

impl Decision<'_> {
    fn write(self, memory: &Memory<'_>) -> Result<DecideData, Error> {
        let Self { note, status, approver, after } = self;
        let writer = Writer::new(memory.workspace.files.root());
        let replaced = writer.replace_if(&note.path, note.source.as_bytes(), after.as_bytes())?;
        replaced.written(&note.path)?;
        Ok(DecideData {
            schema: "faber.decide/1",
            id: note.id.clone(),
            path: note.path.to_string(),
            status: status.name(),
            approver,
            context: None,
            written: None,
            contradicts: Vec::new(),
        })
    }
}

fn change(
    memory: &Memory<'_>,
    note: &Note,
    target: &str,
    approval: &Approval<'_>,
) -> Result<ContextEdit, Error> {
    let role = approval.role.map(str::to_owned).or_else(|| role_of(note));
    let viewer = Viewer::new(role, approval.platform.map(str::to_owned));
    let view = memory.session.view(&viewer)?;
    let (id, paths) = match view.context(target) {
        Ok(context) => {
            let files =
                context.sources.iter().map(|source| view.workspace.sources.path(source.file));
            let own = files.clone().filter(|path| packs::of_path(path).is_none());
            let paths = match approval.overlay {
                Some(layer) => {
                    let name =
                        files.clone().next().and_then(Utf8Path::file_name).unwrap_or_default();
                    vec![in_overlay(&view, layer, &context.id, name)?]
                }
                None => own.map(Utf8Path::to_owned).collect(),
            };
            if paths.is_empty() {
                let message = format!("`{target}` belongs to a pack and cannot be changed here");
                return Err(Error::usage(message, ADD_OVERLAY));
            }
            (context.id.clone(), paths)
        }
        Err(error) => {
            let Some(id) =
                ContextId::parse(target).filter(|id| id.role.is_none() && is_name(&id.name))
            else {
                return Err(unknown_category(target).unwrap_or(error));
            };
            let row = id.category.row();
            let name = format!("{}{}.md", row.prefixes[0], id.name);
            let path = match approval.overlay {
                Some(layer) => in_overlay(&view, layer, &id, &name)?,
                None => home(&view, note)?.join("contexts").join(row.directory).join(name),
            };
            (id, vec![path])
        }
    };
    for path in paths {
        let edit = edit(memory, &view, note, &id, path)?;
        if is_in_effect(memory, &viewer, &edit, note)? {
            return Ok(edit);
        }
    }
    let message = format!("`{id}` would not contain the text: a higher layer replaces it");
    Err(Error::usage(message, ADD_OVERLAY))
}

fn edit(
    memory: &Memory<'_>,
    view: &ResolvedView,
    note: &Note,
    id: &ContextId,
    path: Utf8PathBuf,
) -> Result<ContextEdit, Error> {
    let before = match view.workspace.files.read_from_disk(&path) {
        Ok(text) => Some(text.to_string()),
        Err(Unreadable::Missing) => None,
        Err(trouble) => {
            return Err(faber_session::discover::files::unreadable_input(&path, &trouble));
        }
    };
    let today = memory.session.settings().today;
    let dated = |text: &str| dated(text, &note.id, today);
    let new = dated(&new_context(id, note.text()));
    let after = match &before {
        Some(before) if *before == new => new,
        Some(before) => dated(&added(before, note.text())),
        None if view.context(&id.to_string()).is_ok() => {
            let item = item(note.text());
            dated(&format!("---\nstrategy: append\n---\n\n## {SECTION}\n\n{item}"))
        }
        None => new,
    };
    Ok(ContextEdit { id: id.to_string(), path, before, after })
}

/// Also for layers that the reviewer does not use.
fn is_in_effect(
    memory: &Memory<'_>,
    viewer: &Viewer,
    edit: &ContextEdit,
    note: &Note,
) -> Result<bool, Error> {
    let texts = MemoryWorld::new([(&edit.path, &*edit.after)]);
    let view = memory.session.with_overlays(&texts).view(viewer)?;
    let Ok(context) = view.context(&edit.id) else { return Ok(true) };
    let sources = &view.workspace.sources;
    let is_used = context.sources.iter().any(|source| sources.path(source.file) == edit.path);
    let body = markdown::collapse(&line::join(sources, &context.body.lines(sources)));
    Ok(!is_used || body.contains(&markdown::collapse(note.text())))
}

fn unknown_category(target: &str) -> Option<Error> {
    let (category, name) = target.split_once('/')?;
    let is_id = is_name(category) && is_name(name) && Category::from_name(category).is_none();
    let known = CATEGORIES.iter().map(|row| row.name);
    is_id.then(|| Error::unknown("category", category, known))
}

fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(is_allowed)
}

fn role_of(note: &Note) -> Option<String> {
    let conditions = note.fields.when.iter().flat_map(|when| &when.all);
    let mut role = conditions.filter(|condition| condition.key.value == "role");
    role.find_map(|condition| condition.values.first().cloned())
}

fn in_overlay(
    view: &ResolvedView,
    layer: &str,
    id: &ContextId,
    name: &str,
) -> Result<Utf8PathBuf, Error> {
    let folder = view.workspace.overlay_folder(layer)?;
    Ok(folder.join("contexts").join(id.category.row().directory).join(name))
}

fn home(view: &ResolvedView, note: &Note) -> Result<Utf8PathBuf, Error> {
    if role_of(note).is_none() {
        return Ok(Utf8PathBuf::new());
    }
    let lineage = view.resolved.pack.lineage.as_ref();
    let root = lineage.map(|lineage| lineage.role().root.clone()).unwrap_or_default();
    if packs::of_path(&root).is_some() {
        let message = "the role of the note belongs to a pack and cannot be changed here";
        return Err(Error::usage(message, "add `--overlay roles/NAME`"));
    }
    Ok(root)
}

fn item(text: &str) -> String {
    let mut lines = text.lines();
    let mut out = format!("- {}\n", lines.next().unwrap_or_default());
    for line in lines {
        out.push_str(format!("  {line}").trim_end());
        out.push('\n');
    }
    out
}

fn added(before: &str, text: &str) -> String {
    let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let item = item(text).replace('\n', end);
    let body = fence::body(before);
    let blocks = markdown::blocks(&before[body..]);
    let is_section = |block: &Block| matches!(&block.kind, BlockKind::Heading { level: 2, text, .. } if text == SECTION);
    let section = blocks.iter().position(is_section);
    let is_next = |block: &&Block| matches!(block.kind, BlockKind::Heading { .. });
    let next = section.and_then(|at| blocks[at + 1..].iter().find(is_next));
    let lines = Lines::new(&before[body..]);
    let place = next.map_or(before.len(), |next| body + lines.range(next.lines.start).start);
    let last =
        blocks.iter().rfind(|block| next.is_none_or(|next| block.lines.end <= next.lines.start));
    let is_list = last.is_some_and(|last| matches!(last.kind, BlockKind::List { marker: '-', .. }));
    let (head, rest) = before.split_at(place);
    let start = section.map(|at| body + lines.range(blocks[at].lines.start).start);
    let has_item = |start| format!("{}{end}", &head[start..]).contains(&format!("{end}{item}"));
    if start.is_some_and(has_item) {
        return before.to_owned();
    }
    let head = head.trim_end();
    let gap = if section.is_some() && is_list { end.to_owned() } else { format!("{end}{end}") };
    let lead = if section.is_some() { String::new() } else { format!("## {SECTION}{end}{end}") };
    let rest = if rest.is_empty() { String::new() } else { format!("{end}{rest}") };
    format!("{head}{gap}{lead}{item}{rest}")
}

fn dated(text: &str, note: &str, today: Date) -> String {
    let fields = front_edit::read(text).front.fields;
    let is_named = fields.derived_from.iter().any(|source| source.value == note);
    let source = FieldEdit::Add { field: "derived_from", items: vec![note.to_owned()] };
    let day = FieldEdit::Set { field: "updated", value: today.to_string().into() };
    let edits = [(!is_named).then_some(source), fields.updated.is_some().then_some(day)];
    let edits: Vec<FieldEdit> = edits.into_iter().flatten().collect();
    with_fields(text, &edits).unwrap_or_else(|| text.to_owned())
}

fn new_context(id: &ContextId, text: &str) -> String {
    let first = sentences(text, Writing::Document).into_iter().next();
    let first = preview(&first.map(|sentence| sentence.text).unwrap_or_default(), DESCRIPTION);
    let mut words = id.name.replace('-', " ");
    if let Some(letter) = words.get_mut(..1) {
        letter.make_ascii_uppercase();
    }
    format!("---\ndescription: {}\n---\n\n# {words}\n\n{text}\n", quote::text(&first))
}

fn write(memory: &Memory<'_>, change: &ContextEdit) -> Result<(), Error> {
    let writer = Writer::new(memory.workspace.files.root());
    let before = change.before.as_deref().map(str::as_bytes);
    writer.change(&change.path, before, Some(change.after.as_bytes()))?.written(&change.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_says_when_and_from_where_it_was_changed() {
        let day = jiff::civil::date(2026, 3, 2);
        let text = |front: &str| format!("---\n{front}---\n\n# A\n");
        for (before, after) in [
            ("updated: 2026-01-01\n", "updated: 2026-03-02\nderived_from: [history/n]\n"),
            ("derived_from: [a talk]\n", "derived_from: [a talk, history/n]\n"),
            ("derived_from: [history/n]\n", "derived_from: [history/n]\n"),
            ("{a: b}\n", "{a: b}\n"),
        ] {
            assert_eq!(dated(&text(before), "history/n", day), text(after));
        }
        assert_eq!(dated("# A\n", "history/n", day), text("derived_from: [history/n]\n"));
    }

    #[test]
    fn notes_have_a_section_of_their_own() {
        assert_eq!(added("# A\n\ntext\n", "x"), "# A\n\ntext\n\n## Notes\n\n- x\n");
        assert_eq!(added("# A\n\n## Notes\n\n- x\n", "y\nz"), "# A\n\n## Notes\n\n- x\n- y\n  z\n");
        for done in [
            "## Notes\r\n\r\n- x\r\n- y\r\n\r\n## B\r\n",
            "## Notes\n\n- y\n- x",
            "## Notes\n\n- y\n",
        ] {
            assert_eq!(added(done, "y"), done, "it is there");
        }
        assert_eq!(
            added("## Notes\n\n- x\n\n## B\n\nb\n", "y"),
            "## Notes\n\n- x\n- y\n\n## B\n\nb\n"
        );
        assert_eq!(
            added("## Notes\n\n- x\n\n### Old\n\n- z\n", "y"),
            "## Notes\n\n- x\n- y\n\n### Old\n\n- z\n"
        );
        assert_eq!(added("## Notes\n\ntext\n", "y"), "## Notes\n\ntext\n\n- y\n");
        assert_eq!(added("```\n## Notes\n```\n", "y"), "```\n## Notes\n```\n\n## Notes\n\n- y\n");
        assert_eq!(added("a\r\n", "y"), "a\r\n\r\n## Notes\r\n\r\n- y\r\n");
        let code = "~~~\n```\n~~~\n\n## Notes\n\n- x\n";
        assert_eq!(added(code, "y"), format!("{code}- y\n"));
        let code = "## Notes\n\n- x\n\n  ```\n  ~~~\n  # no heading\n  ```\n\n# B\n";
        assert_eq!(added(code, "y"), code.replace("\n\n# B", "\n- y\n\n# B"));
    }
}
