//! Plans an import.

mod includes;
mod names;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};

pub use includes::{imported, original};
use names::{ImportedText, NamedPieces, TextIdentity};

use super::format::{Format, SourceKind, slug};
use super::found_source::FoundSource;
use super::links;
use super::mention::Insertion;
use super::piece::{self, ExchangePiece, Subject};
use super::read;
use faber_core::category::Load;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::{Diagnostic, Edit};
use faber_core::line::{self, Line};
use faber_core::parse::fence;
use faber_core::parse::include;
use faber_core::rules::{import_duplicate, import_omitted, import_override, import_personal};
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::workspace::walk::RESOURCES;
use faber_core::world::World;

const INCLUDE: &str = "<!-- faber: include ";

#[derive(Debug, Default)]
pub struct ImportPlan {
    pub files: Vec<PlannedImport>,
    pub found: Vec<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedImport {
    pub path: Utf8PathBuf,
    pub content: PlannedContent,
    pub id: Option<String>,
    pub source: FileId,
    pub always: bool,
    pub managed: bool,
}

impl PlannedImport {
    /// Compares bodies: exports have less front matter.
    fn is_export_of(&self, other: &Self) -> bool {
        let PlannedContent::Text(text) = &self.content else { return false };
        let PlannedContent::Text(other) = &other.content else { return false };
        self.managed && is_export_of(text, other)
    }
}

/// Ignores links and included texts, which exports change.
pub fn is_export_of(part: &str, context: &str) -> bool {
    context[fence::body(context)..].contains(INCLUDE) || is_same_text(part, context)
}

/// Compares bodies without the targets of links.
pub fn is_same_text(first: &str, second: &str) -> bool {
    let body = |text: &str| text[fence::body(text)..].trim().to_owned();
    let (first, second) = (body(first), body(second));
    first == second || links::without_targets(&first) == links::without_targets(&second)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedContent {
    Text(String),
    CopyOf(Utf8PathBuf),
}

pub trait ImportDisk {
    /// # Errors
    ///
    /// A reason.
    fn read(&self, base: &Utf8Path, path: &Utf8Path) -> Result<String, String>;
    fn exists(&self, path: &Utf8Path) -> bool;
}

pub struct WorldDisk<'a, W>(pub &'a W);

impl<W: World> ImportDisk for WorldDisk<'_, W> {
    fn read(&self, base: &Utf8Path, path: &Utf8Path) -> Result<String, String> {
        let path = base.join(path);
        if let Some(refusal) = self.0.refusal(&path) {
            return Err(refusal.to_string());
        }
        let text = self.0.read(&path).map_err(|trouble| trouble.to_string())?;
        Ok(text.to_string())
    }

    fn exists(&self, path: &Utf8Path) -> bool {
        self.0.exists(path)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Into<'a> {
    pub root: &'a Utf8Path,
    pub folder: &'a Utf8Path,
    pub known: &'a KnownImports,
    /// Without their roles.
    pub existing: &'a BTreeMap<ContextId, Utf8PathBuf>,
    /// References start from the imported file.
    pub is_in_place: bool,
}

static NO_IMPORTS: KnownImports = BTreeMap::new();
static NO_CONTEXTS: BTreeMap<ContextId, Utf8PathBuf> = BTreeMap::new();

impl<'a> Into<'a> {
    pub fn in_place(root: &'a Utf8Path, folder: &'a Utf8Path) -> Self {
        Self { root, folder, known: &NO_IMPORTS, existing: &NO_CONTEXTS, is_in_place: true }
    }

    fn known(&self, found: &FoundSource) -> &[KnownImport] {
        self.known.get(&found.in_base()).map_or(&[], Vec::as_slice)
    }

    /// What faber exported stays in its own file, whatever that is called.
    fn existing(&self, piece: &ExchangePiece) -> Option<&Utf8PathBuf> {
        let Subject::Context(id) = &piece.subject else { return None };
        self.existing.get(id).filter(|_| piece.managed)
    }

    fn path(&self, piece: &ExchangePiece) -> Utf8PathBuf {
        self.existing(piece).cloned().unwrap_or_else(|| self.folder.join(piece.path()))
    }
}

pub type KnownImports = BTreeMap<Utf8PathBuf, Vec<KnownImport>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownImport {
    pub path: Utf8PathBuf,
    pub hash: String,
}

pub fn plan(
    sources: &mut SourceMap,
    all: &[FoundSource],
    into: Into<'_>,
    disk: &dyn ImportDisk,
) -> ImportPlan {
    let all = includes::reread(sources, all);
    let mut order: Vec<&FoundSource> = all.iter().collect();
    order.sort_by_cached_key(|found| {
        (into.known(found).is_empty(), rank(found.what.format), &found.base, &found.path)
    });
    let mut importer = Importer {
        into,
        disk,
        moved: BTreeMap::new(),
        partials: BTreeMap::new(),
        partial_names: BTreeMap::new(),
        includes: BTreeMap::new(),
        reserved: HashSet::new(),
        taken: HashMap::new(),
        ids: BTreeMap::new(),
        shared: BTreeSet::new(),
        texts: HashMap::new(),
        related: BTreeSet::new(),
        plan: ImportPlan::default(),
    };
    importer.report_overrides(&order);
    let mut named: Vec<NamedPieces<'_>> =
        order.into_iter().map(|found| (found, importer.pieces(sources, found))).collect();
    importer.name_all(&mut named);
    for (found, pieces) in named {
        importer.file(sources, found, &pieces);
    }
    let mut plan = importer.plan;
    plan.files.sort_by(|a, b| (&a.path, a.managed).cmp(&(&b.path, b.managed)));
    plan.files.dedup_by(|a, b| a.path == b.path && (a.content == b.content || a.is_export_of(b)));
    plan
}

/// Of equal texts, the first is kept.
fn rank(format: Format) -> usize {
    use Format::{
        AgentsMd, Claude, Cline, Continue, Copilot, Cursor, Kiro, OpenHands, Skills, Windsurf,
    };
    let first =
        [Cursor, Copilot, Continue, Cline, Kiro, Windsurf, OpenHands, Skills, AgentsMd, Claude];
    first.iter().position(|known| *known == format).unwrap_or(first.len())
}

#[derive(Clone, Debug)]
struct Moved {
    to: Utf8PathBuf,
    id: String,
    load: Load,
    globs: Vec<String>,
    rank: MovedRank,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MovedRank {
    OneOfMany,
    Only,
    /// Imported elsewhere, with its own load conditions.
    Elsewhere,
    Own,
    Recorded,
}

impl Moved {
    fn loads_with(&self, load: Load, globs: &[String]) -> bool {
        match self.load {
            Load::Always => true,
            Load::Files => load == Load::Files && globs == self.globs,
            _ => false,
        }
    }
}

struct Importer<'a> {
    into: Into<'a>,
    disk: &'a dyn ImportDisk,
    moved: BTreeMap<Utf8PathBuf, Moved>,
    partials: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    partial_names: BTreeMap<Utf8PathBuf, usize>,
    includes: BTreeMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>,
    ids: BTreeMap<Subject, String>,
    shared: BTreeSet<Subject>,
    reserved: HashSet<String>,
    taken: HashMap<String, usize>,
    texts: HashMap<TextIdentity, Vec<ImportedText>>,
    related: BTreeSet<String>,
    plan: ImportPlan,
}

impl Importer<'_> {
    fn pieces(&mut self, sources: &SourceMap, found: &FoundSource) -> Vec<Option<ExchangePiece>> {
        if let Some(target) = &found.link_to {
            let note = format!("this is a link to `{target}`, which is imported");
            self.plan.found.push(import_duplicate::RULE.at(Span::start_of(found.file), note));
            return Vec::new();
        }
        let text = &sources.get(found.file).text;
        let verbatim = |_, range: std::ops::Range<usize>| text[range].to_owned();
        let mut pieces =
            read::pieces(sources, found.file, &found.what, &verbatim, &mut self.plan.found);
        let is_document = matches!(found.what.kind, SourceKind::Document(_));
        let is_described = text[..fence::body(text)].contains("\ndescription:");
        if is_document && !is_described && pieces.iter().all(is_only_headings) {
            let note = "this document has no text; not imported";
            let finding = import_omitted::RULE.at(Span::start_of(found.file), note);
            self.plan.found.push(finding.exceptional());
            return Vec::new();
        }
        if let Some(skill) = is_document.then(|| self.skill(found)).flatten() {
            for piece in &mut pieces {
                piece.of_skill(&skill);
            }
        }
        pieces.into_iter().map(Some).collect()
    }

    fn skill(&self, found: &FoundSource) -> Option<String> {
        let has_skill =
            |folder: &&Utf8Path| self.disk.exists(&found.base.join(folder).join("SKILL.md"));
        Some(slug(found.path.ancestors().skip(1).find(has_skill)?.file_name()?))
    }

    fn report_overrides(&mut self, all: &[&FoundSource]) {
        let paths: HashSet<Utf8PathBuf> = all.iter().map(|it| it.in_base()).collect();
        for found in all.iter().filter(|it| it.path.file_name() == Some("AGENTS.override.md")) {
            let beside = found.in_base().with_file_name("AGENTS.md");
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

    fn file(
        &mut self,
        sources: &mut SourceMap,
        found: &FoundSource,
        all: &[Option<ExchangePiece>],
    ) {
        if all.iter().flatten().next().is_none() {
            return;
        }
        let text = sources.get(found.file).text.clone();
        let ranges = read::ranges(&text);
        let mut edits = Vec::new();
        for (piece, ranges) in all.iter().zip(ranges) {
            let Some(piece) = piece else {
                edits.push(Default::default());
                continue;
            };
            let lines = |range| line::lines_of(sources, found.file, range);
            let lines: Vec<Line> = ranges.into_iter().flat_map(lines).collect();
            let shown = sources.path(found.file).as_str();
            let shown = shown.strip_suffix(found.path.as_str()).unwrap_or(found.base.as_str());
            let place = self.place_of(piece, found, shown.into());
            let (changes, behind) = self.edits(sources, &lines, &place);
            let related: Vec<String> = std::mem::take(&mut self.related).into_iter().collect();
            edits.push((changes, behind, related));
        }
        let edited = |at: usize, range: std::ops::Range<usize>| {
            let is_end = range.end == text.len();
            let Some((changes, behind, _)) = edits.get(at) else { return text[range].to_owned() };
            let out = links::changed(&text, range, changes);
            if is_end { followed_by(out, behind) } else { out }
        };
        let pieces = read::pieces(sources, found.file, &found.what, &edited, &mut Vec::new());
        for ((mut piece, named), (_, _, related)) in pieces.into_iter().zip(all).zip(&edits) {
            let Some(named) = named else { continue };
            if !related.is_empty() {
                piece.extra.retain(|entry| entry.key != "related");
                piece.extra.push(piece::list("related", related, piece.at));
            }
            let own = std::mem::replace(&mut piece.subject, named.subject.clone());
            if !piece.managed {
                self.leave_exports(&mut piece, own, found, all);
            }
            if piece.body.is_empty() && !named.body.is_empty() {
                let note = "all of this text is imported from elsewhere";
                self.plan.found.push(import_duplicate::RULE.at(piece.at, note));
                continue;
            }
            piece.suffix.clone_from(&named.suffix);
            self.plan.files.push(PlannedImport {
                path: self.into.path(&piece),
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
                    managed: all.iter().flatten().all(|piece| piece.managed),
                });
            }
        }
    }

    fn place_of(
        &self,
        piece: &ExchangePiece,
        found: &FoundSource,
        shown: Utf8PathBuf,
    ) -> TextPlace {
        let destination = self.into.path(piece);
        let folder = found.path.parent().unwrap_or(Utf8Path::new(""));
        let to = destination.parent().unwrap_or(Utf8Path::new(""));
        TextPlace {
            folder: folder.to_owned(),
            base: found.base.clone(),
            shown,
            to: if self.into.is_in_place { found.base.join(folder) } else { to.to_owned() },
            own: destination,
            above: Vec::new(),
            load: piece.load,
            globs: piece.globs.clone(),
            insertion: found.what.kind.insertion().filter(|_| !piece.managed),
        }
    }

    fn edits(
        &mut self,
        sources: &mut SourceMap,
        lines: &[Line],
        here: &TextPlace,
    ) -> (Vec<Edit>, Vec<String>) {
        let mut changes = self.links(sources, lines, here);
        changes.extend(self.inert(sources, lines));
        let (more, behind) = self.imports(sources, lines, here);
        changes.extend(more);
        changes.sort_by_key(|change| change.span);
        (changes, behind)
    }

    fn inert(&mut self, sources: &SourceMap, lines: &[Line]) -> Vec<Edit> {
        let mut changes = Vec::new();
        for directive in include::directives(&line::join(sources, lines)) {
            let line = &lines[directive.line];
            let Some(at) = line.text(sources).find(INCLUDE) else { continue };
            let start = line.origin.range().start + at;
            let span = Span::new(line.origin.file, start, start + INCLUDE.len());
            let note = "this comment would include a file in faber; it was changed";
            self.plan.found.push(import_omitted::RULE.at(span, note));
            changes.push(Edit { span, replacement: "<!-- include ".to_owned() });
        }
        changes
    }

    fn links(&mut self, sources: &SourceMap, lines: &[Line], here: &TextPlace) -> Vec<Edit> {
        let mut lost = Vec::new();
        let place = |destination: &str| {
            let target = here.base.join(links::target(&here.folder, destination)?);
            if self.into.is_in_place {
                let is_changed = self.moved.contains_key(&target)
                    || destination.starts_with("mdc:") && self.disk.exists(&target);
                return is_changed.then_some(Some(target));
            }
            let to = match self.moved.get(&target) {
                Some(moved) => Some(&*moved.to).filter(|_| moved.rank > MovedRank::OneOfMany),
                None => links::moved_folder(&self.moved, |moved| &moved.to, &target),
            };
            let index = || {
                let names = ["README.md", "index.md", "index.mdx"];
                let mut index = names.iter().map(|name| target.join(name));
                index.find_map(|path| Some(&*self.moved.get(&path)?.to))
            };
            if let Some(to) = to.or_else(index) {
                return Some(Some(to.to_owned()));
            }
            let in_root = || Some(target.strip_prefix(self.into.root).ok()?.to_owned());
            self.disk.exists(&target).then(in_root)
        };
        let changes = links::changes(sources, lines, &mut |span, destination| {
            let to = place(destination)?;
            if to.is_none() {
                let note = format!("`{destination}` is not imported, so this link will be broken");
                lost.push(import_omitted::RULE.at(span, note));
            }
            Some(links::relative(&here.to, &to?))
        });
        self.plan.found.extend(lost);
        changes
    }
}

fn followed_by(text: String, includes: &[String]) -> String {
    if includes.is_empty() {
        return text;
    }
    format!("{}\n\n{}", text.trim_end(), includes.concat())
}

struct TextPlace {
    folder: Utf8PathBuf,
    base: Utf8PathBuf,
    /// `base` as findings name it.
    shown: Utf8PathBuf,
    to: Utf8PathBuf,
    own: Utf8PathBuf,
    above: Vec<Utf8PathBuf>,
    load: Load,
    globs: Vec<String>,
    insertion: Option<Insertion>,
}

fn is_only_headings(piece: &ExchangePiece) -> bool {
    let mut lines = piece.body.lines().map(str::trim);
    lines.all(|line| line.is_empty() || line.starts_with('#'))
}

pub fn resources(subject: &Subject) -> Utf8PathBuf {
    let directory = match subject {
        Subject::Role(_) => "standards",
        Subject::Context(id) => id.category.row().directory,
    };
    Utf8Path::new("contexts").join(directory).join(RESOURCES).join(piece::file_name(subject.name()))
}
