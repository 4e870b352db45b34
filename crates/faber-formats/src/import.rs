//! Plans the import of files of other tools.

mod includes;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};

pub use includes::imported;

use super::format::{Format, SourceKind};
use super::found_source::FoundSource;
use super::links::{self, LinkEdit};
use super::piece::{self, ExchangePiece, Subject};
use super::read;
use faber_core::category::Load;
use faber_core::config;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::line::{self, Line};
use faber_core::parse::fence;
use faber_core::parse::include;
use faber_core::rules::{
    import_duplicate, import_omitted, import_override, import_personal, import_renamed,
};
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::workspace::walk::RESOURCES;
use faber_core::world::World;

const INCLUDE: &str = "<!-- faber: include ";

#[derive(Debug, Default)]
pub struct ImportPlan {
    pub files: Vec<PlannedImport>,
    /// Losses.
    pub found: Vec<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedImport {
    pub path: Utf8PathBuf,
    pub content: PlannedContent,
    /// `None` for resources.
    pub id: Option<String>,
    pub source: FileId,
    pub always: bool,
    /// Exported by faber earlier.
    pub managed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedContent {
    Text(String),
    CopyOf(Utf8PathBuf),
}

/// Access to referenced files.
pub trait ImportDisk {
    /// # Errors
    ///
    /// The reason if the file is outside of `base`, refused or not text.
    fn read(&self, base: &Utf8Path, path: &Utf8Path) -> Result<String, String>;
    fn exists(&self, path: &Utf8Path) -> bool;
    /// Path for links, if different: relative to the workspace root, or outside of it.
    fn elsewhere(&self, _path: &Utf8Path) -> Option<Utf8PathBuf> {
        None
    }
}

/// Files of a [`World`] with paths from its root.
pub struct WorldDisk<'a, W, F> {
    pub world: &'a W,
    /// See [`ImportDisk::elsewhere`].
    pub elsewhere: F,
}

impl<W: World, F: Fn(&Utf8Path) -> Option<Utf8PathBuf>> ImportDisk for WorldDisk<'_, W, F> {
    fn read(&self, base: &Utf8Path, path: &Utf8Path) -> Result<String, String> {
        let path = base.join(path);
        if let Some(refusal) = self.world.refusal(&path) {
            return Err(refusal.to_string());
        }
        let text = self.world.read(&path).map_err(|trouble| trouble.to_string())?;
        Ok(text.to_string())
    }

    fn exists(&self, path: &Utf8Path) -> bool {
        self.world.exists(path)
    }

    fn elsewhere(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        (self.elsewhere)(path)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Into<'a> {
    pub root: &'a Utf8Path,
    /// Relative to the root.
    pub folder: &'a Utf8Path,
    /// Earlier imports by absolute source path; they keep their names.
    pub known: &'a BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

pub fn plan(
    sources: &mut SourceMap,
    all: &[FoundSource],
    into: Into<'_>,
    disk: &dyn ImportDisk,
) -> ImportPlan {
    let mut order: Vec<&FoundSource> = all.iter().collect();
    order.sort_by_cached_key(|found| {
        let is_new = !into.known.contains_key(&found.base.join(&found.path));
        (is_new, rank(found.what.format), &found.base, &found.path)
    });
    let mut importer = Importer {
        root: into.root,
        into: into.folder,
        known: into.known,
        disk,
        moved: BTreeMap::new(),
        partials: BTreeMap::new(),
        partial_names: BTreeMap::new(),
        includes: BTreeMap::new(),
        taken: HashMap::new(),
        ids: BTreeSet::new(),
        texts: HashMap::new(),
        plan: ImportPlan::default(),
    };
    importer.report_overrides(&order);
    importer.reserve(&order);
    let mut named: Vec<(&FoundSource, Vec<Option<ExchangePiece>>)> =
        order.into_iter().map(|found| (found, importer.pieces(sources, found))).collect();
    // User files get names before exported files.
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

/// Formats with loading conditions first: of equal texts, theirs is kept.
fn rank(format: Format) -> usize {
    match format {
        Format::Cursor => 0,
        Format::Copilot => 1,
        Format::Continue => 2,
        Format::Cline => 3,
        Format::Kiro => 4,
        Format::Windsurf => 5,
        Format::OpenHands => 6,
        Format::Skills => 7,
        Format::AgentsMd => 8,
        Format::Claude => 9,
        Format::Codex
        | Format::Gemini
        | Format::Roo
        | Format::Junie
        | Format::AmazonQ
        | Format::Zed
        | Format::Goose
        | Format::Markdown => 10,
    }
}

#[derive(Clone, Debug)]
struct Moved {
    /// Relative to the workspace root.
    to: Utf8PathBuf,
    id: String,
    load: Load,
    globs: Vec<String>,
}

impl Moved {
    /// Whether each bundle with the text at `here` has it.
    fn loads_with(&self, here: &TextPlace) -> bool {
        match self.load {
            Load::Always => true,
            Load::Files => here.load == Load::Files && here.globs == self.globs,
            _ => false,
        }
    }
}

/// Text, loading, globs and access.
type TextIdentity = (String, Load, Vec<String>, String);

struct ImportedText {
    format: Format,
    /// Before it got another name.
    own: Subject,
    rest: String,
    moved: Moved,
}

fn identity(piece: &ExchangePiece) -> TextIdentity {
    let access = ["visibility", "owner", "groups"];
    let access = piece.extra.iter().filter(|entry| access.contains(&&*entry.key)).cloned();
    let access = config::verbatim(&access.collect::<Vec<_>>());
    (piece.body.clone(), piece.load, piece.globs.clone(), access)
}

/// What [`identity`] leaves out, and the folder of relative links.
fn rest(piece: &ExchangePiece, found: &FoundSource) -> String {
    let ExchangePiece { title, description, keywords, extra, .. } = piece;
    let folder = found.path.parent().filter(|_| piece.body.contains("]("));
    let extra = config::verbatim(extra);
    format!("{title:?} {description:?} {keywords:?} {folder:?} {extra}")
}

struct Importer<'a> {
    root: &'a Utf8Path,
    into: &'a Utf8Path,
    known: &'a BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    disk: &'a dyn ImportDisk,
    /// New locations by absolute path.
    moved: BTreeMap<Utf8PathBuf, Moved>,
    /// Included files only: new by absolute path.
    partials: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// Last number appended to each path.
    partial_names: BTreeMap<Utf8PathBuf, usize>,
    includes: BTreeMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>,
    ids: BTreeSet<Subject>,
    /// Last number appended to each path, in lower case.
    taken: HashMap<String, usize>,
    texts: HashMap<TextIdentity, Vec<ImportedText>>,
    plan: ImportPlan,
}

impl Importer<'_> {
    /// Empty for links to imported files.
    fn pieces(&mut self, sources: &SourceMap, found: &FoundSource) -> Vec<Option<ExchangePiece>> {
        if let Some(target) = &found.link_to {
            let note = format!("this is a link to `{target}`, which is imported");
            self.plan.found.push(import_duplicate::RULE.at(Span::start_of(found.file), note));
            return Vec::new();
        }
        let text = &sources.get(found.file).text;
        let verbatim = |range: std::ops::Range<usize>| text[range].to_owned();
        let pieces =
            read::pieces(sources, found.file, &found.what, &verbatim, &mut self.plan.found);
        let is_document = matches!(found.what.kind, SourceKind::Document(_));
        let is_described = text[..fence::body(text)].contains("\ndescription:");
        if is_document && !is_described && pieces.iter().all(is_only_headings) {
            let note = "this document has no text; not imported";
            let finding = import_omitted::RULE.at(Span::start_of(found.file), note);
            self.plan.found.push(finding.exceptional());
            return Vec::new();
        }
        pieces.into_iter().map(Some).collect()
    }

    /// Reserves the names of earlier imports.
    fn reserve(&mut self, all: &[&FoundSource]) {
        for found in all {
            let path = self.known.get(&found.base.join(&found.path));
            if let Some(Ok(below)) = path.map(|path| path.strip_prefix(self.into)) {
                self.taken.insert(below.as_str().to_lowercase(), 0);
            }
        }
    }

    /// The earlier subject, if the category is unchanged.
    fn known_subject(&self, piece: &ExchangePiece, found: &FoundSource) -> Option<Subject> {
        let path = self.known.get(&found.base.join(&found.path))?;
        let Subject::Context(id) = &piece.subject else { return None };
        let now = self.into.join(piece.path());
        if now == *path {
            return Some(piece.subject.clone());
        }
        let is_moved = !piece.managed && now.parent() == path.parent();
        let stem = path.file_stem().filter(|_| is_moved)?;
        let name = id.category.strip_prefix(stem);
        Some(Subject::Context(ContextId::new(id.category, name)))
    }

    /// Files that are personal or replace others.
    fn report_overrides(&mut self, all: &[&FoundSource]) {
        let path = |found: &FoundSource| found.base.join(&found.path);
        let paths: HashSet<Utf8PathBuf> = all.iter().map(|it| path(it)).collect();
        for found in all.iter().filter(|it| it.path.file_name() == Some("AGENTS.override.md")) {
            let beside = path(found).with_file_name("AGENTS.md");
            if paths.contains(&beside) {
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

    /// Removes duplicates and assigns names.
    fn names(&mut self, found: &FoundSource, pieces: &mut [Option<ExchangePiece>], managed: bool) {
        for slot in pieces.iter_mut() {
            let Some(mut piece) = slot.take_if(|piece| piece.managed == managed) else { continue };
            let from = found.base.join(&found.path);
            let duplicate = self.duplicate(&piece, found).filter(|_| !piece.body.is_empty());
            if let Some(moved) = duplicate.cloned() {
                let note = format!("the same text is imported as `{}`", moved.id);
                self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
                self.moved.entry(from).or_insert(moved);
                continue;
            }
            let own = piece.subject.clone();
            if self.rename(&mut piece, found) {
                let moved = Moved {
                    to: self.into.join(piece.path()),
                    id: piece.subject.to_string(),
                    load: piece.load,
                    globs: piece.globs.clone(),
                };
                let (format, rest) = (found.what.format, rest(&piece, found));
                let text = ImportedText { format, own, rest, moved: moved.clone() };
                self.texts.entry(identity(&piece)).or_default().push(text);
                self.moved.entry(from).or_insert(moved);
                *slot = Some(piece);
            }
        }
        if let Some(piece) = pieces.iter().flatten().next() {
            let folder = found.path.parent().unwrap_or(Utf8Path::new(""));
            for other in &found.others {
                let below = other.strip_prefix(folder).unwrap_or(other);
                let to = self.into.join(resources(&piece.subject)).join(below);
                let id = piece.subject.to_string();
                let moved = Moved { to, id, load: Load::Never, globs: Vec::new() };
                self.moved.insert(found.base.join(other), moved);
            }
        }
    }

    /// The first import of an equal text. Of one tool, all of the file must be equal, unless it has
    /// the same ID; a file with resources is none.
    fn duplicate(&self, piece: &ExchangePiece, found: &FoundSource) -> Option<&Moved> {
        let all = self.texts.get(&identity(piece))?;
        let first = all.iter().find(|text| text.format != found.what.format);
        let is_known = || self.known.contains_key(&found.base.join(&found.path));
        let own = || {
            let is_same = |text: &&ImportedText| {
                text.own == piece.subject || (!is_known() && text.rest == rest(piece, found))
            };
            all.iter().find(is_same).filter(|_| found.others.is_empty())
        };
        first.or_else(own).map(|text| &text.moved)
    }

    /// Makes the name unique. `false` if an exported piece exists already.
    fn rename(&mut self, piece: &mut ExchangePiece, found: &FoundSource) -> bool {
        let own = piece.subject.clone();
        let format = found.what.format;
        if piece.managed && self.ids.contains(&own) {
            let note = format!("`{own}`, which faber wrote here, is imported from elsewhere");
            self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
            return false;
        }
        if let Some(known) = self.known_subject(piece, found) {
            piece.subject = known;
            self.report_renamed(piece, &own);
            return true;
        }
        let key = |piece: &ExchangePiece| piece.path().as_str().to_lowercase();
        let Some(taken) = self.taken.get_mut(&key(piece)) else {
            self.taken.insert(key(piece), 0);
            self.ids.insert(own);
            return true;
        };
        // With the next number.
        *taken += 1;
        let mut number = *taken;
        let named = |name: String| match &own {
            Subject::Role(_) => Subject::Role(name),
            Subject::Context(id) => Subject::Context(ContextId::new(id.category, name.as_str())),
        };
        let qualified = qualifier(&found.path, own.name()).filter(|_| !piece.managed);
        if let Some(folder) = qualified {
            piece.subject = named(format!("{folder}-{}", own.name()));
            if let Entry::Vacant(free) = self.taken.entry(key(piece)) {
                free.insert(0);
                self.report_renamed(piece, &own);
                return true;
            }
        }
        loop {
            let suffix = match number {
                1 if !piece.managed => format.name().to_owned(),
                more => more.to_string(),
            };
            number += 1;
            if piece.managed {
                piece.suffix = format!("-{suffix}");
            } else {
                piece.subject = named(format!("{}-{suffix}", own.name()));
            }
            if let Entry::Vacant(free) = self.taken.entry(key(piece)) {
                free.insert(0);
                break;
            }
        }
        self.report_renamed(piece, &own);
        true
    }

    fn report_renamed(&mut self, piece: &ExchangePiece, own: &Subject) {
        if piece.subject != *own {
            let note = format!("`{own}` already exists; imported as `{}`", piece.subject);
            self.plan.found.push(import_renamed::RULE.at(piece.at, note));
        }
        self.ids.insert(piece.subject.clone());
    }

    fn file(
        &mut self,
        sources: &mut SourceMap,
        found: &FoundSource,
        named: &[Option<ExchangePiece>],
    ) {
        // Links belong to the user's own text, if there is any.
        let own = named.iter().flatten().find(|piece| !piece.managed);
        let Some(first) = own.or(named.iter().flatten().next()) else { return };
        let destination = self.into.join(first.path());
        let here = TextPlace {
            folder: found.path.parent().unwrap_or(Utf8Path::new("")).to_owned(),
            base: found.base.clone(),
            to: destination.parent().unwrap_or(Utf8Path::new("")).to_owned(),
            own: destination,
            above: Vec::new(),
            load: first.load,
            globs: first.globs.clone(),
        };
        let body = fence::body(&sources.get(found.file).text);
        let lines = line::lines_of(sources, found.file, body..sources.get(found.file).text.len());
        let imports = found.what.kind.imports();
        let (changes, behind) = self.edits(sources, &lines, &here, imports);
        let text = sources.get(found.file).text.clone();
        let edited = |range: std::ops::Range<usize>| {
            let is_end = range.end == text.len();
            let out = links::changed(&text, range, &changes);
            if is_end { followed_by(out, &behind) } else { out }
        };
        let pieces = read::pieces(sources, found.file, &found.what, &edited, &mut Vec::new());
        for (mut piece, named) in pieces.into_iter().zip(named) {
            let Some(named) = named else { continue };
            piece.subject.clone_from(&named.subject);
            if piece.body.is_empty() && !named.body.is_empty() {
                let note = "all of this text is imported from elsewhere";
                self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
                continue;
            }
            piece.suffix.clone_from(&named.suffix);
            self.plan.files.push(PlannedImport {
                path: self.into.join(piece.path()),
                content: PlannedContent::Text(piece.text()),
                id: Some(piece.subject.to_string()),
                source: found.file,
                always: piece.load == Load::Always,
                managed: piece.managed,
            });
        }
        for other in &found.others {
            let from = found.base.join(other);
            if let Some(moved) = self.moved.get(&from) {
                self.plan.files.push(PlannedImport {
                    path: moved.to.clone(),
                    content: PlannedContent::CopyOf(from),
                    id: None,
                    source: found.file,
                    always: false,
                    managed: named.iter().flatten().all(|piece| piece.managed),
                });
            }
        }
    }

    /// Sorted edits, and lines to append.
    fn edits(
        &mut self,
        sources: &mut SourceMap,
        lines: &[Line],
        here: &TextPlace,
        imports: bool,
    ) -> (Vec<LinkEdit>, Vec<String>) {
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

    /// Disables comments that faber would execute.
    fn inert(&mut self, sources: &SourceMap, lines: &[Line]) -> Vec<LinkEdit> {
        let mut changes = Vec::new();
        for directive in include::directives(&line::join(sources, lines)) {
            let line = &lines[directive.line];
            let Some(at) = line.text(sources).find(INCLUDE) else { continue };
            let start = line.origin.range().start + at;
            let span = Span::new(line.origin.file, start, start + INCLUDE.len());
            let note = "this comment would include a file in faber; it was changed";
            self.plan.found.push(import_omitted::RULE.at(span, note));
            changes.push(LinkEdit { span, text: "<!-- include ".to_owned() });
        }
        changes
    }

    fn links(&mut self, sources: &SourceMap, lines: &[Line], here: &TextPlace) -> Vec<LinkEdit> {
        let mut lost = Vec::new();
        let place = |destination: &str| {
            let target = here.base.join(links::target(&here.folder, destination)?);
            let to = |moved: &Moved| Some(Ok(links::relative(&here.to, &moved.to)));
            if let Some(moved) = self.moved.get(&target) {
                return to(moved);
            }
            if let Some(folder) = links::moved_folder(&self.moved, |moved| &moved.to, &target) {
                return Some(Ok(links::relative(&here.to, folder)));
            }
            // A folder shows its README or index.
            let mut index = ["README.md", "index.md"].iter().map(|name| target.join(name));
            if let Some(moved) = index.find_map(|path| self.moved.get(&path)) {
                return to(moved);
            }
            if !self.disk.exists(&target) {
                return None;
            }
            if let Some(place) = self.disk.elsewhere(&target) {
                let is_outside = place.is_absolute() || place.starts_with("~");
                let inside = || links::relative(&here.to, &place);
                return Some(Ok(if is_outside { place.to_string() } else { inside() }));
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
                let note = format!("`{destination}` is not imported, so this link will be broken");
                lost.push(import_omitted::RULE.at(span, note));
            }
            to.ok()
        });
        self.plan.found.extend(lost);
        changes
    }
}

/// The nearest folder with a distinctive name.
fn qualifier(path: &Utf8Path, name: &str) -> Option<String> {
    const KINDS: [&str; 10] = [
        "agents",
        "commands",
        "contexts",
        "docs",
        "instructions",
        "plugins",
        "prompts",
        "rules",
        "skills",
        "src",
    ];
    let folders = path.parent()?.components().rev().map(|part| part.as_str());
    let mut named_folders = folders.filter(|folder| {
        !folder.starts_with('.') && !KINDS.contains(folder) && !folder.eq_ignore_ascii_case(name)
    });
    named_folders.next().map(super::format::slug)
}

fn followed_by(text: String, includes: &[String]) -> String {
    if includes.is_empty() {
        return text;
    }
    format!("{}\n\n{}", text.trim_end(), includes.concat())
}

struct TextPlace {
    /// Old folder, relative to [`Self::base`].
    folder: Utf8PathBuf,
    base: Utf8PathBuf,
    /// New folder, relative to the workspace root.
    to: Utf8PathBuf,
    own: Utf8PathBuf,
    /// Importing files, by new paths.
    above: Vec<Utf8PathBuf>,
    load: Load,
    globs: Vec<String>,
}

/// Such as index pages of a site.
fn is_only_headings(piece: &ExchangePiece) -> bool {
    let mut lines = piece.body.lines().map(str::trim);
    lines.all(|line| line.is_empty() || line.starts_with('#'))
}

/// Relative to the layer.
pub fn resources(subject: &Subject) -> Utf8PathBuf {
    let directory = match subject {
        Subject::Role(_) => "standards",
        Subject::Context(id) => id.category.row().directory,
    };
    Utf8Path::new("contexts").join(directory).join(RESOURCES).join(piece::file_name(subject.name()))
}
