//! Which files a workspace gets of what other tools keep.

mod includes;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};

use super::format::{Format, Recognized};
use super::links::{self, Change};
use super::piece::{self, Piece, Subject};
use super::read;
use faber_core::category::Load;
use faber_core::config;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::ContextId;
use faber_core::line::{self, Line};
use faber_core::parse::fence;
use faber_core::resolve::include;
use faber_core::rules::{
    import_duplicate, import_omitted, import_override, import_personal, import_renamed,
};
use faber_core::source::{FileId, SourceMap, Span};
use faber_session::discover::files::Unreadable;
use faber_session::discover::walk::PARTIALS;

/// How a comment begins that is replaced by a file.
const INCLUDE: &str = "<!-- faber: include ";

/// A file that is to be imported.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its path from the folder that it counts from.
    pub path: Utf8PathBuf,
    /// That folder: of the machine, absolute.
    pub base: Utf8PathBuf,
    /// What it is.
    pub what: Recognized,
    /// Its text.
    pub file: FileId,
    /// Of a skill, the other files of its folder, from [`Self::base`].
    pub others: Vec<Utf8PathBuf>,
    /// The file that it is only a link to, from [`Self::base`].
    pub link_to: Option<Utf8PathBuf>,
}

/// What a workspace gets.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files, by path.
    pub files: Vec<Planned>,
    /// What is lost, and what else there is to say.
    pub found: Vec<Diagnostic>,
}

/// A file that the workspace is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Its path from the workspace root.
    pub path: Utf8PathBuf,
    /// What is to stand in it.
    pub content: Content,
    /// What it is; none for what only belongs to one.
    pub id: Option<String>,
    /// The file that it comes from.
    pub source: FileId,
    /// Whether faber wrote it there: then it is of some pack, which says more.
    pub managed: bool,
}

/// What stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// This text.
    Text(String),
    /// What a file of the machine has.
    CopyOf(Utf8PathBuf),
}

/// The way to files that a text names.
pub trait Disk {
    /// The text of the file at a path of the machine.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] says why not.
    fn read(&self, path: &Utf8Path) -> Result<String, Unreadable>;
    /// Whether there is something at a path of the machine.
    fn is_there(&self, path: &Utf8Path) -> bool;
}

/// Decides which files the workspace at `root` gets below `into`, a folder of it.
pub fn plan(
    sources: &mut SourceMap,
    all: &[Found],
    (root, into): (&Utf8Path, &Utf8Path),
    disk: &dyn Disk,
) -> Plan {
    let mut order: Vec<&Found> = all.iter().collect();
    order.sort_by_key(|found| (rank(found.what.kind.format()), &found.base, &found.path));
    let mut importer = Importer {
        root,
        into,
        disk,
        moved: BTreeMap::new(),
        partials: BTreeMap::new(),
        includes: BTreeMap::new(),
        taken: HashMap::new(),
        ids: BTreeSet::new(),
        texts: HashMap::new(),
        plan: Plan::default(),
    };
    importer.report_overrides(&order);
    let mut named: Vec<(&Found, Vec<Option<Piece>>)> =
        order.into_iter().map(|found| (found, importer.pieces(sources, found))).collect();
    // What faber wrote has its name from a context, and gives way to that.
    for managed in [false, true] {
        for (found, pieces) in &mut named {
            importer.names(found, pieces, managed);
        }
    }
    for (found, pieces) in named {
        importer.file(sources, found, &pieces);
    }
    let mut plan = importer.plan;
    plan.files.sort_by(|a, b| a.path.cmp(&b.path));
    plan.files.dedup_by(|a, b| a.path == b.path && a.content == b.content);
    plan
}

/// Formats that say more come first, so that of two files with one text the one that says when it
/// loads is kept.
fn rank(format: Format) -> usize {
    match format {
        Format::Cursor => 0,
        Format::Copilot => 1,
        Format::Continue => 2,
        Format::Cline => 3,
        Format::OpenHands => 4,
        Format::Skills => 5,
        Format::AgentsMd => 6,
        Format::Claude => 7,
    }
}

/// What becomes of a file.
#[derive(Clone, Debug)]
struct Moved {
    /// Its new path, from the workspace root.
    to: Utf8PathBuf,
    /// What it is then.
    id: String,
    /// Whether it is loaded with every request.
    always: bool,
}

/// All that tells whether two texts are one: text, loading, globs, access.
type Told = (String, Load, Vec<String>, String);

struct Importer<'a> {
    root: &'a Utf8Path,
    into: &'a Utf8Path,
    disk: &'a dyn Disk,
    /// Where what lies at a path of the machine goes.
    moved: BTreeMap<Utf8PathBuf, Moved>,
    /// Copies that are only for inclusion: from a path of the machine to one from the root.
    partials: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// Which files include which, all by their new paths.
    includes: BTreeMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>,
    /// What has a name.
    ids: BTreeSet<Subject>,
    /// Paths that are taken, in lower case, since some systems know no other, and how many
    /// more names were made of each.
    taken: HashMap<String, usize>,
    /// Texts with when they load and for whom, whose they are, and what they became.
    texts: HashMap<Told, (Format, String)>,
    plan: Plan,
}

impl Importer<'_> {
    /// The pieces of a file, in order; none of what is but a link to another that is imported.
    fn pieces(&mut self, sources: &SourceMap, found: &Found) -> Vec<Option<Piece>> {
        if let Some(target) = &found.link_to {
            let note = format!("this is a link to `{target}`, which is imported");
            self.plan.found.push(import_duplicate::RULE.at(Span::start_of(found.file), note));
            return Vec::new();
        }
        let text = &sources.get(found.file).text;
        let verbatim = |range: std::ops::Range<usize>| text[range].to_owned();
        let pieces =
            read::pieces(sources, found.file, &found.what, &verbatim, &mut self.plan.found);
        pieces.into_iter().map(Some).collect()
    }

    /// Says where one file takes the place of another for its tool, and both are imported.
    fn report_overrides(&mut self, all: &[&Found]) {
        let path = |found: &Found| found.base.join(&found.path);
        for found in all.iter().filter(|it| it.path.file_name() == Some("AGENTS.override.md")) {
            let beside = path(found).with_file_name("AGENTS.md");
            if all.iter().any(|other| path(other) == beside) {
                let note = "in Codex this replaces the `AGENTS.md` next to it; both are imported";
                let at = Span::start_of(found.file);
                self.plan.found.push(import_override::RULE.at(at, note));
            }
        }
        for found in all.iter().filter(|it| it.path.file_name() == Some("CLAUDE.local.md")) {
            let note = "this is personal to one user, and is imported for all";
            let found = import_personal::RULE.at(Span::start_of(found.file), note);
            self.plan.found.push(found.help("import it with `--into .faber/overlays/users/NAME`"));
        }
    }

    /// Names the pieces of a file that faber wrote, or those that it did not; takes those out that
    /// another file has too.
    fn names(&mut self, found: &Found, pieces: &mut [Option<Piece>], managed: bool) {
        let format = found.what.kind.format();
        for slot in pieces.iter_mut() {
            let Some(mut piece) = slot.take_if(|piece| piece.managed == managed) else { continue };
            if self.is_new(&piece, format) && self.rename(&mut piece, format) {
                let moved = Moved {
                    to: self.into.join(piece.path()),
                    id: piece.subject.to_string(),
                    always: piece.load == Load::Always,
                };
                self.moved.entry(found.base.join(&found.path)).or_insert(moved);
                *slot = Some(piece);
            }
        }
        if let Some(piece) = pieces.iter().flatten().next() {
            let folder = found.path.parent().unwrap_or(Utf8Path::new(""));
            for other in &found.others {
                let below = other.strip_prefix(folder).unwrap_or(other);
                let to = self.into.join(resources(&piece.subject)).join(below);
                let moved = Moved { to, id: piece.subject.to_string(), always: false };
                self.moved.insert(found.base.join(other), moved);
            }
        }
    }

    /// Whether no other tool says the same for the same; what does is said.
    fn is_new(&mut self, piece: &Piece, format: Format) -> bool {
        if piece.body.is_empty() {
            return true;
        }
        let access = ["visibility", "owner", "groups"];
        let access = piece.extra.iter().filter(|entry| access.contains(&&*entry.key)).cloned();
        let access = config::verbatim(&access.collect::<Vec<_>>());
        let told = (piece.body.clone(), piece.load, piece.globs.clone(), access);
        match self.texts.get(&told) {
            Some((other, id)) if *other != format => {
                let note = format!("the same text is imported as `{id}`");
                self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
                false
            }
            Some(_) => true,
            None => {
                self.texts.insert(told, (format, piece.subject.to_string()));
                true
            }
        }
    }

    /// Gives the piece another name when its own is taken, or its file one when only that is. Whether
    /// it has one: what faber wrote under an id that is taken is there already.
    fn rename(&mut self, piece: &mut Piece, format: Format) -> bool {
        let own = piece.subject.clone();
        if piece.managed && self.ids.contains(&own) {
            let note = format!("`{own}`, which faber wrote here, is imported from elsewhere");
            self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
            return false;
        }
        let key = |piece: &Piece| piece.path().as_str().to_lowercase();
        let mut number = match self.taken.entry(key(piece)) {
            Entry::Vacant(free) => {
                free.insert(0);
                self.ids.insert(own);
                return true;
            }
            // What was counted to before need not be tried again.
            Entry::Occupied(mut more) => {
                *more.get_mut() += 1;
                *more.get()
            }
        };
        loop {
            let suffix = match number {
                1 if !piece.managed => format.name().to_owned(),
                more => more.to_string(),
            };
            number += 1;
            if piece.managed {
                piece.suffix = format!("-{suffix}");
            } else {
                piece.subject = match &own {
                    Subject::Role(name) => Subject::Role(format!("{name}-{suffix}")),
                    Subject::Context(id) => {
                        let name = format!("{}-{suffix}", id.name);
                        Subject::Context(ContextId::new(id.category, name))
                    }
                };
            }
            if let Entry::Vacant(free) = self.taken.entry(key(piece)) {
                free.insert(0);
                break;
            }
        }
        if piece.subject != own {
            let note = format!("`{own}` is taken; this is imported as `{}`", piece.subject);
            self.plan.found.push(import_renamed::RULE.at(piece.at, note));
        }
        self.ids.insert(piece.subject.clone());
        true
    }

    /// Plans the files of `found`, whose pieces are called as `named` are.
    fn file(&mut self, sources: &mut SourceMap, found: &Found, named: &[Option<Piece>]) {
        let Some(first) = named.iter().flatten().next() else { return };
        let destination = self.into.join(first.path());
        let here = Place {
            folder: found.path.parent().unwrap_or(Utf8Path::new("")).to_owned(),
            base: found.base.clone(),
            to: destination.parent().unwrap_or(Utf8Path::new("")).to_owned(),
            own: destination,
            above: Vec::new(),
        };
        let body = fence::body(&sources.get(found.file).text);
        let lines = line::lines_of(sources, found.file, body..sources.get(found.file).text.len());
        let imports = found.what.kind.imports();
        let (changes, behind) = self.edits(sources, &lines, &here, imports);
        let text = sources.get(found.file).text.clone();
        let edited = |range: std::ops::Range<usize>| {
            let out = links::changed(&text, range.clone(), &changes);
            if range.end != text.len() || behind.is_empty() {
                return out;
            }
            format!("{}\n\n{}", out.trim_end(), behind.concat())
        };
        let pieces = read::pieces(sources, found.file, &found.what, &edited, &mut Vec::new());
        for (mut piece, named) in pieces.into_iter().zip(named) {
            let Some(named) = named else { continue };
            piece.subject.clone_from(&named.subject);
            if piece.body.is_empty() && !named.body.is_empty() {
                let note = "nothing is left of this text but what is imported by itself";
                self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
                continue;
            }
            piece.suffix.clone_from(&named.suffix);
            self.plan.files.push(Planned {
                path: self.into.join(piece.path()),
                content: Content::Text(piece.text()),
                id: Some(piece.subject.to_string()),
                source: found.file,
                managed: piece.managed,
            });
        }
        for other in &found.others {
            let from = found.base.join(other);
            if let Some(moved) = self.moved.get(&from) {
                self.plan.files.push(Planned {
                    path: moved.to.clone(),
                    content: Content::CopyOf(from),
                    id: None,
                    source: found.file,
                    managed: named.iter().flatten().all(|piece| piece.managed),
                });
            }
        }
    }

    /// The changes of a text that goes from one place to another, in its order, and the lines to
    /// stand behind it.
    fn edits(
        &mut self,
        sources: &mut SourceMap,
        lines: &[Line],
        here: &Place,
        imports: bool,
    ) -> (Vec<Change>, Vec<String>) {
        let mut changes = self.links(sources, lines, here);
        changes.extend(self.inert(sources, lines));
        changes.sort_by_key(|change| change.span);
        let mut behind = Vec::new();
        if imports {
            let (more, last) = self.imports(sources, lines, here);
            changes.extend(more);
            changes.sort_by_key(|change| change.span);
            behind = last;
        }
        (changes, behind)
    }

    /// The changes that make comments of what faber would carry out: nobody who wrote them meant that.
    fn inert(&mut self, sources: &SourceMap, lines: &[Line]) -> Vec<Change> {
        let mut changes = Vec::new();
        for directive in include::directives(&line::join(sources, lines)) {
            let line = &lines[directive.line];
            let Some(at) = line.text(sources).find(INCLUDE) else { continue };
            let start = line.origin.range().start + at;
            let span = Span::new(line.origin.file, start, start + INCLUDE.len());
            let note = "this comment would make faber include a file, and is changed";
            self.plan.found.push(import_omitted::RULE.at(span, note));
            changes.push(Change { span, text: "<!-- include ".to_owned() });
        }
        changes
    }

    /// The changes that let links lead where they did.
    fn links(&mut self, sources: &SourceMap, lines: &[Line], here: &Place) -> Vec<Change> {
        let mut lost = Vec::new();
        let place = |destination: &str| {
            let target = here.base.join(links::target(&here.folder, destination)?);
            if let Some(moved) = self.moved.get(&target) {
                return Some(Ok(links::relative(&here.to, &moved.to)));
            }
            if !self.disk.is_there(&target) {
                return None;
            }
            Some(
                target
                    .strip_prefix(self.root)
                    .map(|path| links::relative(&here.to, path))
                    .map_err(|_| ()),
            )
        };
        let changes = links::changes(sources, lines, &mut |span, destination| {
            let to = place(destination)?;
            if to.is_err() {
                let note =
                    format!("`{destination}` is not imported, and this link will lead nowhere");
                lost.push(import_omitted::RULE.at(span, note));
            }
            to.ok()
        });
        self.plan.found.extend(lost);
        changes
    }
}

/// Where a text stands, and where it goes.
struct Place {
    /// The folder that it lies in, from [`Self::base`].
    folder: Utf8PathBuf,
    /// The folder of the machine that its root is.
    base: Utf8PathBuf,
    /// The folder that it goes to, from the workspace root.
    to: Utf8PathBuf,
    /// The file there.
    own: Utf8PathBuf,
    /// The files, by their new paths, by whose imports it was reached.
    above: Vec<Utf8PathBuf>,
}

/// The folder for what belongs to a context and is none, from the folder of the layer.
pub fn resources(subject: &Subject) -> Utf8PathBuf {
    let directory = match subject {
        Subject::Role(_) => "standards",
        Subject::Context(id) => id.category.row().directory,
    };
    Utf8Path::new("contexts").join(directory).join(PARTIALS).join(piece::file_name(subject.name()))
}
