//! Walking the `contexts/` folder of one layer.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::discover::files::{Files, Unreadable};
use crate::discover::snapshot::observation::{Kind, Names};
use faber_core::category::{CATEGORIES, Category};
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::{not_utf8, symlink, unknown_directory, unreadable};
use faber_core::source::{SourceMap, Span};

/// Files in a folder of this name are for inclusion only.
pub const PARTIALS: &str = "partials";

/// A Markdown file of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Path from the workspace root.
    pub path: Utf8PathBuf,
    /// The category of the folder that it lies in; none when it lies flat.
    pub folder: Option<Category>,
    /// Whether it lies in a folder named `partials`.
    pub partial: bool,
}

/// Every Markdown file below `directory` (a `contexts/` folder, relative to the root), sorted by
/// path, and findings about what lies there and is none.
pub fn walk(
    files: &Files,
    directory: &Utf8Path,
    sources: &mut SourceMap,
    found: &mut Vec<Diagnostic>,
) -> Vec<Found> {
    let mut walk = Walk { files, directory, sources, found, all: Vec::new() };
    if files.is_dir_on_disk(directory) {
        walk.run();
    }
    walk.texts();
    walk.all.sort_by(|a, b| a.path.cmp(&b.path));
    walk.all
}

struct Walk<'a> {
    files: &'a Files,
    directory: &'a Utf8Path,
    sources: &'a mut SourceMap,
    found: &'a mut Vec<Diagnostic>,
    all: Vec<Found>,
}

impl Walk<'_> {
    fn run(&mut self) {
        let top = self.files.root().join(self.directory);
        let mut seen = BTreeMap::new();
        if self.files.recorder().is_recording() {
            seen.insert(top.clone().into_std_path_buf(), Names::new());
        }
        let mut entries =
            WalkDir::new(&top).min_depth(1).follow_links(true).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.files.recorder().mark_uncacheable();
                    self.trouble(&error);
                    continue;
                }
            };
            let is_dir = entry.file_type().is_dir();
            if let Some(names) = entry.path().parent().and_then(|folder| seen.get_mut(folder)) {
                names.insert((entry.file_name().to_owned(), Kind::of(entry.file_type())));
            }
            let Some(path) = self.relative(entry.path()) else {
                if is_dir {
                    entries.skip_current_dir();
                }
                continue;
            };
            let name = path.file_name().unwrap_or_default();
            let leaves = entry.path_is_symlink() && !self.files.is_inside(&path);
            if leaves {
                let diagnostic = Unreadable::Outside.diagnostic(self.sources, &path);
                self.found.push(diagnostic);
            }
            if is_dir && (leaves || name.starts_with('.') || self.is_misnamed_directory(&path)) {
                entries.skip_current_dir();
            } else if is_dir {
                if !seen.is_empty() {
                    seen.insert(entry.path().to_owned(), Names::new());
                }
                if entry.depth() == 1 {
                    self.check_folder(&path);
                }
            } else if !leaves && !name.starts_with('.') && path.extension() == Some("md") {
                self.file(path);
            }
        }
        for (folder, names) in &seen {
            match Utf8Path::from_path(folder) {
                Some(folder) => self.files.listed(folder, names),
                None => self.files.recorder().mark_uncacheable(),
            }
        }
    }

    /// Files that the disk has not, because they are being written.
    fn texts(&mut self) {
        let Some(texts) = self.files.texts_below(self.directory) else { return };
        let known: BTreeSet<Utf8PathBuf> = self.all.iter().map(|it| it.path.clone()).collect();
        let mut checked = BTreeSet::new();
        for below in texts {
            let path = self.directory.join(below);
            let hidden = below.components().any(|part| part.as_str().starts_with('.'));
            if hidden || path.extension() != Some("md") || known.contains(&path) {
                continue;
            }
            let mut folders = below.ancestors().skip(1).filter(|folder| *folder != "");
            if folders.any(|folder| folder.extension() == Some("md")) {
                continue;
            }
            let top = below.components().next().map(|top| self.directory.join(top.as_str()));
            if let Some(top) = top.filter(|top| *top != path && checked.insert(top.clone()))
                && !self.files.is_dir_on_disk(&top)
            {
                self.check_folder(&top);
            }
            self.file(path);
        }
    }

    /// The path from the workspace root, or a finding when it is not UTF-8.
    fn relative(&mut self, path: &std::path::Path) -> Option<Utf8PathBuf> {
        let lossy = Utf8PathBuf::from(path.to_string_lossy().into_owned());
        let relative = lossy.strip_prefix(self.files.root()).unwrap_or(&lossy).to_owned();
        let relative = Utf8PathBuf::from(relative.as_str().replace('\\', "/"));
        if path.to_str().is_some() {
            return Some(relative);
        }
        let at = self.place(&relative);
        self.found
            .push(not_utf8::RULE.at(at, "the file name is not UTF-8").help("rename the file"));
        None
    }

    fn place(&mut self, path: &Utf8Path) -> Span {
        Span::start_of(self.sources.add_placeholder(path))
    }

    fn trouble(&mut self, error: &walkdir::Error) {
        let path = error.path().unwrap_or_else(|| std::path::Path::new("."));
        let Some(path) = self.relative(path) else { return };
        let at = self.place(&path);
        self.found.push(if error.loop_ancestor().is_some() {
            symlink::RULE.at(at, "the link leads back to a folder above it").help("remove the link")
        } else {
            let io = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
            let io = io.split(" (os error").next().unwrap_or(&io).to_lowercase();
            unreadable::RULE
                .at(at, format!("cannot be read: {io}"))
                .help("check the permissions, or remove it if it is a link that leads nowhere")
        });
    }

    fn is_misnamed_directory(&mut self, path: &Utf8Path) -> bool {
        if path.extension() != Some("md") {
            return false;
        }
        let diagnostic = Unreadable::Special("a directory").diagnostic(self.sources, path);
        self.found.push(diagnostic);
        true
    }

    fn check_folder(&mut self, path: &Utf8Path) {
        let name = path.file_name().unwrap_or_default();
        if name == PARTIALS || Category::from_directory(name).is_some() {
            return;
        }
        let at = self.place(path);
        let known = CATEGORIES.iter().map(|row| row.directory).chain([PARTIALS]);
        let help = faber_core::suggest::closest(name, known).map_or_else(
            || "contexts lie in `specialists`, `platforms`, `standards`, `patterns`, `playbooks`, `references` or `troubleshooting`".to_owned(),
            |close| format!("did you mean `{close}`?"),
        );
        self.found
            .push(unknown_directory::RULE.at(at, format!("unknown category `{name}`")).help(help));
    }

    fn file(&mut self, path: Utf8PathBuf) {
        let below = path.strip_prefix(self.directory).unwrap_or(&path);
        let mut folders = below.parent().into_iter().flat_map(Utf8Path::components);
        let folder =
            folders.clone().next().and_then(|name| Category::from_directory(name.as_str()));
        let partial = folders.any(|name| name.as_str() == PARTIALS);
        self.all.push(Found { path, folder, partial });
    }
}
