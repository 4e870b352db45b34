use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::discover::reachable::Ignores;
use crate::discover::{atomic, failed, git, root};
use faber_core::error::Error;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForeignFile {
    pub path: Utf8PathBuf,
    pub link_to: Option<Utf8PathBuf>,
}

#[derive(Debug, Default)]
pub struct ForeignFiles {
    pub files: Vec<ForeignFile>,
    pub troubles: Vec<(Utf8PathBuf, String)>,
    pub links: Vec<UnfollowedLink>,
}

#[derive(Clone, Debug)]
pub struct UnfollowedLink {
    pub path: Utf8PathBuf,
    pub folder: Option<Utf8PathBuf>,
    pub why: &'static str,
}

const FOREIGN: [&str; 4] = [".git", ".faber", "node_modules", ".venv"];

fn is_vendored(folder: &Utf8Path) -> bool {
    folder.file_name() == Some("vendor")
        && ["modules.txt", "autoload.php"].iter().any(|list| folder.join(list).is_file())
}

/// Skips ignored and third-party folders, links, other workspaces and clones.
pub fn below(folder: &Utf8Path) -> ForeignFiles {
    let mut listing = ForeignFiles::default();
    let is_in_repository = root::repository(folder).is_some();
    let is_other = |path: &Utf8Path| {
        is_workspace(path) || (is_in_repository && is_repository(path) && !is_submodule(path))
    };
    let mut ignores = Ignores::above(folder);
    let mut walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                listing.troubles.push((folder.to_owned(), error.to_string().to_lowercase()));
                continue;
            }
        };
        let kind = entry.file_type();
        let Some(path) = Utf8Path::from_path(entry.path()).map(Utf8Path::to_owned) else {
            let shown = entry.path().to_string_lossy().into_owned();
            listing.troubles.push((shown.into(), "the name is not UTF-8".to_owned()));
            if kind.is_dir() {
                walk.skip_current_dir();
            }
            continue;
        };
        let is_foreign = kind.is_dir() && FOREIGN.iter().any(|name| entry.file_name() == *name);
        let depth = entry.depth();
        let is_left_out = is_foreign
            || ignores.ignores(&path, depth, kind.is_dir())
            || (kind.is_dir() && (is_other(&path) || is_vendored(&path)));
        if depth > 0 && is_left_out {
            if kind.is_dir() {
                walk.skip_current_dir();
            }
            continue;
        }
        if kind.is_dir() {
            ignores.enter(&path, depth);
        }
        if kind.is_file() && !is_unfinished(&entry) {
            listing.files.push(ForeignFile { path, link_to: None });
        } else if kind.is_symlink() {
            match path.canonicalize_utf8() {
                Ok(real) if path.is_file() => {
                    listing.files.push(ForeignFile { path, link_to: Some(real) });
                }
                Ok(real) => listing.links.push(UnfollowedLink {
                    path,
                    folder: Some(real),
                    why: "a link to a directory is not followed",
                }),
                Err(_) => {
                    let why = "the link leads nowhere";
                    listing.links.push(UnfollowedLink { path, folder: None, why });
                }
            }
        }
    }
    listing.files.sort();
    listing
}

/// Tracked files that [`below`] skips. `folder` has no links.
pub fn tracked(folder: &Utf8Path) -> Vec<ForeignFile> {
    let is_foreign = |path: &Utf8PathBuf| {
        let mut below = path.strip_prefix(folder).unwrap_or(path).components();
        below.any(|part| FOREIGN.contains(&part.as_str()))
    };
    let is_file = |path: &Utf8PathBuf| {
        path.is_file() && path.canonicalize_utf8().is_ok_and(|real| real == *path)
    };
    let files = git::tracked_ignored(folder).into_iter();
    let files = files.filter(|path| !is_foreign(path) && is_file(path));
    files.map(|path| ForeignFile { path, link_to: None }).collect()
}

fn is_unfinished(entry: &walkdir::DirEntry) -> bool {
    entry.file_name().to_str().is_some_and(atomic::is_unfinished)
}

pub fn on_disk(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    let files = entries.filter(|entry| entry.file_type().is_file() && !is_unfinished(entry));
    files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok()).collect()
}

pub fn obstacle(root: &Utf8Path, path: &Utf8Path) -> Option<&'static str> {
    let mut at = root.to_owned();
    let folder = path.parent().unwrap_or(Utf8Path::new(""));
    for part in folder.components() {
        if part.as_str().eq_ignore_ascii_case(".git") {
            return Some("lies in the directory of git");
        }
        at.push(part);
        if at.is_symlink() {
            return Some("is reached through a link");
        }
        if at.exists() && !at.is_dir() {
            return Some("its parent is not a directory");
        }
    }
    None
}

pub fn file_obstacle(root: &Utf8Path, path: &Utf8Path) -> Option<&'static str> {
    let link = || is_link(&root.join(path)).then_some("is a symbolic link; not overwritten");
    obstacle(root, path).or_else(link)
}

/// # Errors
///
/// If missing.
pub fn locate(path: &Utf8Path) -> Result<(Utf8PathBuf, bool), Error> {
    let fail = failed("read", path);
    let metadata = path.metadata().map_err(fail)?;
    let parent = path.parent().filter(|parent| !parent.as_str().is_empty());
    let real = match (metadata.is_dir(), parent, path.file_name()) {
        (false, Some(parent), Some(name)) => parent.canonicalize_utf8().map_err(fail)?.join(name),
        _ => path.canonicalize_utf8().map_err(fail)?,
    };
    Ok((real, metadata.is_dir()))
}

pub fn existing(path: &Utf8Path) -> Utf8PathBuf {
    let found = path.ancestors().find(|folder| folder.is_dir());
    found.and_then(|folder| folder.canonicalize_utf8().ok()).unwrap_or_else(|| path.to_owned())
}

pub fn resolved(path: &Utf8Path) -> Utf8PathBuf {
    let there = path.ancestors().find(|folder| folder.is_dir());
    match there.and_then(|there| path.strip_prefix(there).ok()) {
        Some(rest) if !rest.as_str().is_empty() => existing(path).join(rest),
        _ => existing(path),
    }
}

pub fn real_folder(path: &Utf8Path) -> Option<Utf8PathBuf> {
    path.canonicalize_utf8().ok().filter(|real| real.is_dir())
}

pub fn is_folder(path: &Utf8Path) -> bool {
    path.is_dir()
}

pub fn is_link(path: &Utf8Path) -> bool {
    path.is_symlink()
}

pub fn is_repository(folder: &Utf8Path) -> bool {
    folder.join(".git").exists()
}

fn is_submodule(folder: &Utf8Path) -> bool {
    let place = std::fs::read_to_string(folder.join(".git"));
    place.is_ok_and(|place| place.replace('\\', "/").contains("/modules/"))
}

pub fn is_git_repository(folder: &Utf8Path) -> bool {
    is_repository(folder) || (folder.join("HEAD").is_file() && folder.join("objects").is_dir())
}

pub fn is_workspace(folder: &Utf8Path) -> bool {
    folder.join(root::MARKER).is_dir()
}

pub fn hash(path: &Utf8Path) -> Option<String> {
    Some(blake3::hash(&content(path)?).to_hex().to_string())
}

pub fn content(path: &Utf8Path) -> Option<Vec<u8>> {
    path.is_file().then(|| std::fs::read(path).ok()).flatten()
}
