//! Walks the `contexts/` folder of a layer.

use camino::{Utf8Path, Utf8PathBuf};

use crate::category::{CATEGORIES, Category};
use crate::diagnostic::Diagnostic;
use crate::paths::by_parts;
use crate::rules::{unknown_directory, unreadable};
use crate::source::{SourceMap, Span};
use crate::suggest;
use crate::world::{DirEntry, Kind, Unreadable, World};

pub const PARTIALS: &str = "partials";

pub const RESOURCES: &str = "resources";

pub fn resources(context: &Utf8Path) -> Utf8PathBuf {
    let stem = context.file_stem().unwrap_or_default();
    let name = Category::from_prefix(stem).map_or(stem, |(_, name)| name);
    context.with_file_name(RESOURCES).join(name)
}

/// If `contexts/` is used otherwise.
const SECOND_HOME: &str = ".faber/contexts";

pub(super) fn homes(world: &impl World, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    if !folder.as_str().is_empty() {
        return vec![folder.join("contexts")];
    }
    let (first, second) = (Utf8PathBuf::from("contexts"), Utf8PathBuf::from(SECOND_HOME));
    if !world.is_dir(&second) {
        vec![first]
    } else if is_home(world, &first) {
        vec![first, second]
    } else {
        vec![second]
    }
}

pub fn is_home(world: &impl World, folder: &Utf8Path) -> bool {
    let names = world.list(folder).unwrap_or_default();
    names.iter().any(|entry| {
        let stem = entry.name.strip_suffix(".md");
        Category::from_directory(&entry.name).is_some()
            || entry.name == PARTIALS
            || stem.is_some_and(|stem| Category::from_prefix(stem).is_some())
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerEntry {
    pub(super) path: Utf8PathBuf,
    pub(super) folder: Option<Category>,
    pub(super) partial: bool,
}

#[derive(Debug, Default)]
pub(super) struct LayerDocuments {
    pub(super) all: Vec<LayerEntry>,
    pub(super) unread: Vec<LayerEntry>,
    /// `None` for any.
    pub(super) unlisted: Vec<Option<Category>>,
}

/// A [`World`] may have endless folders.
const MAX_DEPTH: usize = 64;

pub(super) fn walk(
    world: &impl World,
    directory: &Utf8Path,
    sources: &mut SourceMap,
    found: &mut Vec<Diagnostic>,
) -> LayerDocuments {
    let (documents, folders, resources) = (LayerDocuments::default(), Vec::new(), Vec::new());
    let mut walk = LayerWalk { directory, sources, found, documents, folders, resources };
    walk.folders.push(LayerEntry::of(directory, directory.to_owned()));
    while let Some(folder) = walk.folders.pop() {
        match world.list(&folder.path) {
            Ok(entries) => {
                for entry in entries {
                    let mut path = [folder.path.as_str(), "/", &entry.name].concat();
                    if cfg!(windows) && path.contains('\\') {
                        path = path.replace('\\', "/");
                    }
                    match &entry.trouble {
                        Some(trouble) => {
                            walk.trouble(path.as_ref(), trouble);
                            walk.unusable(&folder, path.into(), &entry);
                        }
                        None => walk.entry(&folder, path.into(), &entry),
                    }
                }
            }
            Err(Unreadable::Missing) => {}
            Err(Unreadable::Special(_)) if folder.path == directory => {}
            Err(trouble) => {
                walk.trouble(&folder.path, &trouble);
                walk.unlisted(&folder);
            }
        }
    }
    for folder in walk.resources.iter().filter(|folder| world.is_on_disk(folder)) {
        for name in world.directories(folder) {
            walk.sources.add_resources(&folder.join(name));
        }
    }
    walk.documents.all.sort_by(|a, b| by_parts(&a.path, &b.path));
    walk.documents
}

pub(super) fn unlisted(
    sources: &mut SourceMap,
    path: &Utf8Path,
    trouble: &Unreadable,
) -> Diagnostic {
    let diagnostic = trouble.diagnostic(sources, path);
    match trouble {
        Unreadable::Io(why) => unreadable::RULE
            .at(diagnostic.primary.span, format!("cannot be read: {why}"))
            .help("check the permissions, or remove it if it is a broken link"),
        _ => diagnostic,
    }
}

impl LayerEntry {
    fn of(directory: &Utf8Path, path: Utf8PathBuf) -> Self {
        let below = path.as_str().strip_prefix(directory.as_str()).unwrap_or(path.as_str());
        let mut folders = below.split('/').filter(|name| !name.is_empty());
        let folder = folders.clone().next().and_then(Category::from_directory);
        let partial = folders.any(|name| name == PARTIALS);
        Self { path, folder, partial }
    }

    fn document(&self, path: Utf8PathBuf) -> Self {
        Self { path, ..*self }
    }
}

struct LayerWalk<'a> {
    directory: &'a Utf8Path,
    sources: &'a mut SourceMap,
    found: &'a mut Vec<Diagnostic>,
    documents: LayerDocuments,
    folders: Vec<LayerEntry>,
    resources: Vec<Utf8PathBuf>,
}

impl LayerWalk<'_> {
    fn entry(&mut self, folder: &LayerEntry, path: Utf8PathBuf, entry: &DirEntry) {
        let is_hidden = entry.name.starts_with('.');
        let stem = entry.name.strip_suffix(".md");
        let is_markdown = stem.is_some_and(|stem| !stem.is_empty());
        let is_in_layer = folder.path == self.directory;
        match entry.kind {
            Kind::Folder if is_hidden => {}
            Kind::Folder if entry.name == RESOURCES && !is_in_layer => self.resources.push(path),
            Kind::Folder if is_markdown => self.trouble(&path, &Unreadable::Special("a directory")),
            Kind::Folder => {
                if is_in_layer {
                    self.check_folder(&path);
                }
                self.descend(path);
            }
            _ if !is_hidden && is_markdown => self.documents.all.push(folder.document(path)),
            _ => {}
        }
    }

    fn descend(&mut self, path: Utf8PathBuf) {
        let depth = |path: &Utf8Path| path.as_str().matches('/').count();
        let folder = LayerEntry::of(self.directory, path);
        if depth(&folder.path) - depth(self.directory) <= MAX_DEPTH {
            return self.folders.push(folder);
        }
        let at = Span::start_of(self.sources.add_placeholder(&folder.path));
        let message = format!("more than {MAX_DEPTH} folders below each other are not read");
        self.found.push(unreadable::RULE.at(at, message).help("move its files up"));
        self.unlisted(&folder);
    }

    fn unusable(&mut self, folder: &LayerEntry, path: Utf8PathBuf, entry: &DirEntry) {
        let is_other = entry.name.starts_with('.') || entry.name == RESOURCES;
        match (entry.kind, path.extension()) {
            _ if is_other || entry.trouble == Some(Unreadable::Loop) => {}
            (Kind::Folder, _) | (Kind::Other, None) => {
                self.unlisted(&LayerEntry::of(self.directory, path));
            }
            (_, Some("md")) => self.documents.unread.push(folder.document(path)),
            _ => {}
        }
    }

    fn unlisted(&mut self, folder: &LayerEntry) {
        if !folder.partial {
            self.documents.unlisted.push(folder.folder);
        }
    }

    fn trouble(&mut self, path: &Utf8Path, trouble: &Unreadable) {
        self.found.push(unlisted(self.sources, path, trouble));
    }

    fn check_folder(&mut self, path: &Utf8Path) {
        let name = path.file_name().unwrap_or_default();
        if name == PARTIALS || Category::from_directory(name).is_some() {
            return;
        }
        let at = Span::start_of(self.sources.add_placeholder(path));
        let known = CATEGORIES.iter().map(|row| row.directory).chain([PARTIALS]);
        let help = suggest::help(
            suggest::closest(name, known),
            "contexts are in `specialists`, `platforms`, `standards`, `patterns`, `playbooks`, `references` or `troubleshooting`",
        );
        self.found
            .push(unknown_directory::RULE.at(at, format!("unknown category `{name}`")).help(help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_text::FileText;
    use crate::workspace::{Options, Viewer, Workspace};
    use crate::world::MemoryWorld;

    struct BrokenWorld {
        files: MemoryWorld,
        unlisted: String,
        is_endless: bool,
    }

    impl World for BrokenWorld {
        fn read(&self, path: &Utf8Path) -> Result<FileText, Unreadable> {
            self.files.read(path)
        }

        fn list(&self, folder: &Utf8Path) -> Result<Vec<DirEntry>, Unreadable> {
            if folder.as_str() == self.unlisted {
                return Err(Unreadable::Io("away".to_owned()));
            }
            let mut entries = self.files.list(folder).unwrap_or_default();
            if self.is_endless && folder.starts_with("contexts/patterns") {
                entries.push(DirEntry { name: "x".into(), kind: Kind::Folder, trouble: None });
            }
            Ok(entries)
        }

        fn kind(&self, path: &Utf8Path) -> Kind {
            self.files.kind(path)
        }
    }

    #[test]
    fn a_folder_that_cannot_be_listed_may_override_all_of_its_category() {
        const OVERLAY: &str = ".faber/overlays/organization/contexts";
        let files = MemoryWorld::new([
            ("contexts/standards/a.md", "Alpha.\n"),
            ("contexts/standards/sealed.md", "---\nsealed: true\n---\nSealed.\n"),
            ("contexts/patterns/b.md", "Beta.\n"),
            (".faber/overlays/organization/contexts/standards/a.md", "Other.\n"),
            (".faber/overlays/organization/contexts/partials/p.md", "Part.\n"),
        ]);
        let seen = |unlisted: &str| {
            let (files, unlisted) = (files.clone(), unlisted.to_owned());
            let world = BrokenWorld { files, unlisted, is_endless: false };
            let options = Options::on(jiff::civil::date(2026, 1, 1));
            let mut workspace = Workspace::open(world, options);
            let resolved = workspace.resolve(&Viewer::default()).unwrap();
            let ids = resolved.catalog.contexts.keys().map(ToString::to_string);
            let found = workspace.findings().iter().any(|it| it.code() == "unreadable");
            (ids.collect::<Vec<_>>().join(" "), found)
        };
        for (unlisted, ids) in [
            ("none", "standard/a standard/sealed pattern/b"),
            (&format!("{OVERLAY}/standards"), "standard/sealed pattern/b"),
            (OVERLAY, "standard/sealed"),
            (&format!("{OVERLAY}/partials"), "standard/a standard/sealed pattern/b"),
            ("contexts/patterns", "standard/a standard/sealed"),
        ] {
            assert_eq!(seen(unlisted), (ids.to_owned(), unlisted != "none"), "{unlisted}");
        }
    }

    #[test]
    fn endless_folders_end() {
        let files = MemoryWorld::new([("contexts/patterns/b.md", "Beta.\n")]);
        let world = BrokenWorld { files, unlisted: String::new(), is_endless: true };
        let (mut sources, mut found) = (SourceMap::default(), Vec::new());
        let walked = walk(&world, "contexts".into(), &mut sources, &mut found);
        assert_eq!((walked.all.len(), walked.unlisted), (1, vec![Some(Category::Pattern)]));
        assert_eq!(found.iter().map(Diagnostic::code).collect::<Vec<_>>(), ["unreadable"]);
    }

    #[test]
    fn contexts_of_others_and_resources_are_not_walked() {
        let world = MemoryWorld::new([
            ("contexts/dev.md", "x".to_owned()),
            (".faber/contexts/playbooks/a.md", "x".to_owned()),
            (".faber/contexts/playbooks/resources/a/b.md", "x".to_owned()),
        ]);
        let folders = homes(&world, "".into());
        assert_eq!(folders, [SECOND_HOME]);
        let (mut sources, mut found) = (SourceMap::default(), Vec::new());
        let walked = walk(&world, &folders[0], &mut sources, &mut found).all;
        let paths: Vec<&str> = walked.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, [".faber/contexts/playbooks/a.md"]);
        let both = MemoryWorld::new([
            ("contexts/standards-x.md", "x".to_owned()),
            (".faber/contexts/playbooks/a.md", "x".to_owned()),
        ]);
        assert_eq!(homes(&both, "".into()), ["contexts", SECOND_HOME]);
        assert_eq!(homes(&both, "roles/r".into()), ["roles/r/contexts"]);
    }

    #[test]
    fn markdown_files_are_found_with_the_category_of_their_folder() {
        let paths = [
            "contexts/odd/b.md",
            "contexts/patterns/partials/c.md",
            "contexts/patterns/.d/e.md",
            "contexts/f.md/g.md",
            "contexts/h.txt",
            "contexts/i.md",
        ];
        let world = MemoryWorld::new(paths.map(|path| (path, "")));
        let (mut sources, mut found) = (SourceMap::default(), Vec::new());
        let walked = walk(&world, "contexts".into(), &mut sources, &mut found).all;
        let walked: Vec<_> =
            walked.iter().map(|it| (it.path.as_str(), it.folder, it.partial)).collect();
        assert_eq!(
            walked,
            [
                ("contexts/i.md", None, false),
                ("contexts/odd/b.md", None, false),
                ("contexts/patterns/partials/c.md", Some(Category::Pattern), true),
            ]
        );
        let rules: Vec<_> = found.iter().map(Diagnostic::code).collect();
        assert_eq!(rules, ["special-file", "unknown-directory"]);
    }
}
