use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::names::category_of;
use super::{
    ImportDisk, Importer, Moved, MovedRank, PlannedContent, PlannedImport, TextPlace, followed_by,
};
use crate::format::{Recognized, SourceKind};
use crate::found_source::FoundSource;
use crate::links;
use crate::mention::{self, FileMention, Insertion};
use crate::piece;
use faber_core::category::Load;
use faber_core::diagnostic::Edit;
use faber_core::line::{self, Line};
use faber_core::packs;
use faber_core::parse::fence;
use faber_core::parse::frontmatter::{self, FrontKind};
use faber_core::paths::normalize;
use faber_core::rules::{import_duplicate, import_omitted};
use faber_core::source::{SourceMap, Span};
use faber_core::workspace::walk::PARTIALS;

pub fn imported(text: &str, what: &Recognized, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let insertion = what.kind.insertion().filter(|it| *it == Insertion::Claude);
    let Some(insertion) = insertion.filter(|_| text.contains('@')) else { return Vec::new() };
    let mut sources = SourceMap::default();
    let file = sources.add(folder.to_owned(), text.to_owned());
    let lines = line::lines_of(&sources, file, fence::body(text)..text.len());
    let mentions = mention::mentions(&sources, &lines, insertion).into_iter();
    mentions.filter_map(|mention| normalize(folder, &mention.path)).collect()
}

pub(super) fn reread(sources: &SourceMap, all: &[FoundSource]) -> Vec<FoundSource> {
    let mut all = all.to_vec();
    let places = all.iter().enumerate().filter(|(_, found)| found.what.kind == SourceKind::Shared);
    let mut shared: BTreeMap<_, _> = places.map(|(at, found)| (found.in_base(), at)).collect();
    let mut open: Vec<usize> = (0..all.len()).collect();
    while let Some(at) = open.pop() {
        let FoundSource { path, base, what, file, .. } = &all[at];
        let text = |file| &*sources.get(file).text;
        let folder = path.parent().unwrap_or(Utf8Path::new(""));
        let original = original(path, what).map(|path| base.join(path));
        let original = original
            .filter(|path| shared.get(path).is_some_and(|&at| text(all[at].file) == text(*file)));
        let paths = imported(text(*file), what, folder).into_iter().map(|path| base.join(path));
        let paths = paths.chain(original);
        let next: Vec<_> = paths.filter_map(|path| shared.remove(&path)).collect();
        for &at in &next {
            all[at].what.kind = SourceKind::ClaudeMd;
        }
        open.extend(next);
    }
    all
}

/// `CLAUDE.md` is often a link to it, or a copy.
pub fn original(path: &Utf8Path, what: &Recognized) -> Option<Utf8PathBuf> {
    (what.kind == SourceKind::ClaudeMd).then(|| path.with_file_name("AGENTS.md"))
}

enum Imported {
    Not,
    LoadsAnyway,
    Included(String),
    /// A link. If alone in its line, it also attaches the context.
    Context {
        id: String,
        to: Utf8PathBuf,
    },
}

impl Moved {
    fn as_it_loads(&self, sources: &mut SourceMap, root: &Utf8Path, disk: &dyn ImportDisk) -> Self {
        let mut moved = self.clone();
        if moved.rank == MovedRank::Elsewhere
            && let Some(category) = category_of(&moved.to)
            && let Ok(text) = disk.read(root, &moved.to)
        {
            let file = sources.add(moved.to.clone(), text);
            let fields = frontmatter::read(sources, file, FrontKind::Context).value.front.fields;
            moved.globs = fields.globs.iter().map(|glob| glob.value.clone()).collect();
            let load = fields.load.as_ref().map(|load| load.value);
            moved.load = load.unwrap_or_else(|| piece::implied(category, &moved.globs));
        }
        moved
    }
}

impl Importer<'_> {
    /// Returns other includes, to append.
    pub(super) fn imports(
        &mut self,
        sources: &mut SourceMap,
        lines: &[Line],
        here: &TextPlace,
    ) -> (Vec<Edit>, Vec<String>) {
        let (mut changes, mut behind) = (Vec::new(), Vec::new());
        let Some(insertion) = here.insertion else { return (changes, behind) };
        for mention in mention::mentions(sources, lines, insertion) {
            let imported = self.import(sources, &mention, here, insertion);
            let alone = mention.alone.as_ref();
            let line = alone.map(|line| Span::new(mention.span.file, line.start, line.end));
            match (imported, line) {
                (Imported::Not, _) | (Imported::LoadsAnyway, None) => {}
                (Imported::LoadsAnyway, Some(span)) => {
                    changes.push(Edit { span, replacement: String::new() });
                }
                (Imported::Included(replacement), Some(span)) => {
                    changes.push(Edit { span, replacement });
                }
                (Imported::Included(include), None) => {
                    let include = include + "\n";
                    if !behind.contains(&include) {
                        behind.push(include);
                    }
                }
                (Imported::Context { id, to }, line) => {
                    self.related.extend(line.map(|_| id));
                    let to = links::percent_encoded(&links::relative(&here.to, &to));
                    let replacement = format!("[{}]({to})", mention.path);
                    changes.push(Edit { span: mention.span, replacement });
                }
            }
        }
        behind.retain(|include| {
            !changes.iter().any(|change| change.replacement == include.trim_end())
        });
        (changes, behind)
    }

    fn import(
        &mut self,
        sources: &mut SourceMap,
        mention: &FileMention,
        here: &TextPlace,
        insertion: Insertion,
    ) -> Imported {
        let path = &mention.path;
        let is_file = insertion != Insertion::Cursor;
        if path.starts_with(['~', '/']) {
            let why = format!("`{path}` is outside of the directory; not imported");
            return self.omit(mention, is_file.then_some(why));
        }
        let folders: &[&Utf8Path] = match insertion {
            Insertion::Claude => &[&here.folder],
            Insertion::Cursor => &[&here.folder, Utf8Path::new("")],
            Insertion::Kiro => &[Utf8Path::new("")],
        };
        let from = folders.iter().filter_map(|folder| normalize(folder, path));
        let mut from = from.map(|path| here.base.join(path));
        let Some(from) = from.find(|from| self.disk.exists(from)) else {
            let why = format!("`{path}` does not exist; nothing is imported");
            return self.omit(mention, Some(why).filter(|_| is_file && mention::is_path(path)));
        };
        if insertion != Insertion::Claude && !is_text(&from) {
            let why = format!("`{path}` is not Markdown or text; only this mention is kept");
            return self.omit(mention, Some(why));
        }
        let moved = self.moved.get(&from);
        match moved.map(|moved| moved.as_it_loads(sources, self.into.root, self.disk)) {
            Some(moved) if moved.loads_with(here.load, &here.globs) => {
                let text = format!("`{path}` is imported as `{}`", moved.id);
                self.plan.found.push(import_duplicate::RULE.at(mention.span, text));
                return Imported::LoadsAnyway;
            }
            // Cursor only gives its agent the path.
            Some(Moved { id, to, .. })
                if insertion == Insertion::Cursor && category_of(&to).is_some() =>
            {
                return Imported::Context { id, to };
            }
            Some(moved) => return self.include(here, &moved.to, mention),
            None => {}
        }
        if let Some(to) = self.partials.get(&from).cloned() {
            return self.include(here, &to, mention);
        }
        if here.above.len() >= mention::MAX_DEPTH {
            let most = mention::MAX_DEPTH;
            return self.omit(mention, Some(format!("`{path}` is more than {most} imports deep")));
        }
        match self.partial(sources, &from, here) {
            Ok(to) => self.include(here, &to, mention),
            Err(why) => self.omit(mention, Some(format!("`{path}` is not imported: {why}"))),
        }
    }

    fn omit(&mut self, mention: &FileMention, why: Option<String>) -> Imported {
        self.plan.found.extend(why.map(|why| import_omitted::RULE.at(mention.span, why)));
        Imported::Not
    }

    fn include(&mut self, here: &TextPlace, to: &Utf8Path, mention: &FileMention) -> Imported {
        let (mut reached, mut open) = (BTreeSet::new(), vec![to.to_owned()]);
        while let Some(at) = open.pop() {
            open.extend(self.includes.get(&at).into_iter().flatten().cloned());
            if !reached.insert(at) {
                open.retain(|at| !reached.contains(at));
            }
        }
        if reached.contains(&here.own) || here.above.iter().any(|above| above == to) {
            let why = format!("`{}` imports this file, so this mention is kept", mention.path);
            return self.omit(mention, Some(why));
        }
        self.includes.entry(here.own.clone()).or_default().insert(to.to_owned());
        Imported::Included(format!("<!-- faber: include {} -->", links::relative(&here.to, to)))
    }

    /// The file itself, or a copy if it has imports or is elsewhere.
    fn partial(
        &mut self,
        sources: &mut SourceMap,
        from: &Utf8Path,
        here: &TextPlace,
    ) -> Result<Utf8PathBuf, String> {
        let in_base = from.strip_prefix(&here.base).unwrap_or(from).to_owned();
        let text = self.disk.read(&here.base, &in_base)?;
        let body = fence::body(&text)..text.len();
        let file = sources.add(here.shown.join(&in_base), text);
        let lines = line::lines_of(sources, file, body);
        let insertion = here.insertion.filter(|it| *it == Insertion::Claude && is_text(from));
        let imports =
            insertion.is_some_and(|it| !mention::mentions(sources, &lines, it).is_empty());
        let pack = packs::root_of(&here.to);
        if let Ok(path) = from.strip_prefix(self.into.root)
            && !imports
            && pack.is_none_or(|pack| path.starts_with(pack))
        {
            return Ok(path.to_owned());
        }
        let folder = self.into.folder.join("contexts/standards").join(PARTIALS);
        let stem = piece::file_name(in_base.with_extension("").as_str());
        let ending = in_base.extension().unwrap_or("md");
        let first = folder.join(format!("{stem}.{ending}"));
        let mut to = first.clone();
        let mut number = self.partial_names.get(&first).copied().unwrap_or(1);
        while self.partial_names.contains_key(&to) {
            number += 1;
            to = folder.join(format!("{stem}-{number}.{ending}"));
        }
        self.partial_names.insert(to.clone(), 1);
        self.partial_names.insert(first, number);
        self.partials.insert(from.to_owned(), to.clone());
        let in_folder = in_base.parent().unwrap_or(Utf8Path::new(""));
        let place = TextPlace {
            folder: in_folder.to_owned(),
            base: here.base.clone(),
            shown: here.shown.clone(),
            to: if self.into.is_in_place { here.base.join(in_folder) } else { folder },
            own: to.clone(),
            above: here.above.iter().chain([&here.own]).cloned().collect(),
            load: Load::Never,
            globs: Vec::new(),
            insertion,
        };
        let (changes, behind) = self.edits(sources, &lines, &place);
        let text = &sources.get(file).text;
        let whole = followed_by(links::changed(text, 0..text.len(), &changes), &behind);
        self.plan.files.push(PlannedImport {
            path: to.clone(),
            content: PlannedContent::Text(piece::tidy(&whole)),
            id: None,
            source: file,
            always: false,
            managed: false,
        });
        Ok(to)
    }
}

fn is_text(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("md" | "mdc" | "mdx" | "markdown" | "txt"))
}
