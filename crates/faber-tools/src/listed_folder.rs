//! Folders with a list of the files that faber wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use faber_core::error::Error;
use faber_output::text::unified_diff;
use faber_session::discover::atomic::{Writer, is_executable};
use faber_session::discover::{files, foreign};
use faber_session::hex::sha256;
use faber_session::settings::Verbosity;

/// In `sha256sum` format. Only listed, unmodified files change.
pub const LIST: &str = ".faber-files";

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// It is created.
    Created,
    /// It is there and changes.
    Changed,
    /// It exists with obsolete exports only.
    Removed,
    /// It is as it should be.
    Unchanged,
    /// It was not written by faber; not overwritten.
    Refused,
}

impl FileState {
    pub fn word(self, verbosity: Verbosity) -> Option<&'static str> {
        match self {
            Self::Created => Some("create"),
            Self::Changed => Some("change"),
            Self::Removed => Some("remove"),
            Self::Refused => Some("refuse"),
            Self::Unchanged => (verbosity == Verbosity::Verbose).then_some("as is"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashedFile {
    pub bytes: Arc<[u8]>,
    pub sha256: String,
    pub is_executable: bool,
}

impl HashedFile {
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self { sha256: sha256(&bytes), bytes, is_executable: false }
    }

    pub fn digest(&self) -> String {
        format!("sha256:{}", self.sha256)
    }

    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}

#[derive(Debug)]
pub struct PlannedChange {
    pub path: Utf8PathBuf,
    pub before: Option<Vec<u8>>,
    pub after: Option<HashedFile>,
    pub state: FileState,
    pub why: Option<&'static str>,
}

impl PlannedChange {
    pub fn difference(&self, new_name: &str) -> String {
        let before = std::str::from_utf8(self.before.as_deref().unwrap_or_default());
        let after = self.after.as_ref().map_or(Some(""), HashedFile::text);
        match (before, after) {
            (Ok(before), Some(after)) if self.state != FileState::Refused => {
                unified_diff(before, after, self.path.as_str(), new_name)
            }
            _ => String::new(),
        }
    }

    fn all_lines(&self) -> Vec<u8> {
        let mut all = self.before.as_deref().map(listed).unwrap_or_default();
        let after = self.after.iter().flat_map(|after| listed(&after.bytes));
        after.for_each(|(path, hashes)| all.entry(path).or_default().extend(hashes));
        let lines = all.iter().flat_map(|(path, hashes)| {
            hashes.iter().map(move |hash| (path.as_str(), hash.as_str()))
        });
        print(lines).into_bytes()
    }
}

/// An interrupted run leaves several hashes.
pub type ListedHashes = BTreeMap<Utf8PathBuf, BTreeSet<String>>;

/// Follows no link below `root`. A refused file stays listed, in case it is restored.
pub fn changes(
    (root, folder): (&Utf8Path, &Utf8Path),
    hash: fn(&[u8]) -> String,
    files: &BTreeMap<Utf8PathBuf, HashedFile>,
) -> Vec<PlannedChange> {
    let place = root.join(folder).join(LIST);
    let list = if foreign::is_link(&place) { None } else { foreign::content(&place) };
    let known = list.as_deref().map(listed).unwrap_or_default();
    ListedFolder { root, folder, hash, known, list }.changes(files)
}

struct ListedFolder<'a> {
    root: &'a Utf8Path,
    folder: &'a Utf8Path,
    hash: fn(&[u8]) -> String,
    known: ListedHashes,
    list: Option<Vec<u8>>,
}

impl ListedFolder<'_> {
    fn changes(&self, files: &BTreeMap<Utf8PathBuf, HashedFile>) -> Vec<PlannedChange> {
        let mut changes: Vec<PlannedChange> =
            files.iter().map(|(path, file)| self.change(path, file)).collect();
        let hashes = changes.iter().zip(files).flat_map(|(change, (path, file))| {
            let hashes = match change.state {
                FileState::Refused => self.known.get(path).cloned().unwrap_or_default(),
                _ => BTreeSet::from([(self.hash)(&file.bytes)]),
            };
            hashes.into_iter().map(move |hash| (path.as_str(), hash))
        });
        let hashes: Vec<(&str, String)> = hashes.collect();
        let list = print(hashes.iter().map(|(path, hash)| (*path, hash.as_str())));
        let outdated = self.known.keys().filter(|path| !files.contains_key(*path));
        changes.extend(outdated.filter_map(|path| self.removal(path)));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes.extend(self.list_change(&list));
        changes
    }

    fn list_change(&self, list: &str) -> Option<PlannedChange> {
        let path = self.folder.join(LIST);
        let why = foreign::file_obstacle(self.root, &path);
        let state = match &self.list {
            None if list.is_empty() => return None,
            _ if why.is_some() => FileState::Refused,
            None => FileState::Created,
            Some(_) if list.is_empty() => FileState::Removed,
            Some(before) if before == list.as_bytes() => FileState::Unchanged,
            Some(_) => FileState::Changed,
        };
        let after = (!list.is_empty()).then(|| HashedFile::new(list.as_bytes()));
        Some(PlannedChange { path, before: self.list.clone(), after, state, why })
    }

    fn is_own(&self, path: &Utf8Path, content: &[u8]) -> bool {
        self.known.get(path).is_some_and(|hashes| hashes.contains(&(self.hash)(content)))
    }

    fn change(&self, below: &Utf8Path, file: &HashedFile) -> PlannedChange {
        let path = self.folder.join(below);
        let place = self.root.join(&path);
        let why = foreign::file_obstacle(self.root, &path);
        let before = if why.is_some() { None } else { foreign::content(&place) };
        let (state, why) = match &before {
            _ if why.is_some() => (FileState::Refused, why),
            None if files::path_exists(&place) => (FileState::Refused, Some("is not a file")),
            None => (FileState::Created, None),
            Some(before) if **before == *file.bytes => {
                let is_same = is_executable(&place) == file.is_executable;
                (if is_same { FileState::Unchanged } else { FileState::Changed }, None)
            }
            Some(before) if self.is_own(below, before) => (FileState::Changed, None),
            Some(_) => (FileState::Refused, Some("was not written by faber; not overwritten")),
        };
        PlannedChange { path, before, after: Some(file.clone()), state, why }
    }

    fn removal(&self, below: &Utf8Path) -> Option<PlannedChange> {
        let path = self.folder.join(below);
        if foreign::file_obstacle(self.root, &path).is_some() {
            return None;
        }
        let before = foreign::content(&self.root.join(&path))?;
        let is_own = self.is_own(below, &before);
        let (before, after, state) = (Some(before), None, FileState::Removed);
        is_own.then_some(PlannedChange { path, before, after, state, why: None })
    }
}

/// The list first has old and new hashes, for interruptions. Returns the indexes of failures.
pub fn write(root: &Utf8Path, changes: &[PlannedChange]) -> Vec<(usize, Error)> {
    let writer = Writer::new(root);
    let is_due =
        |change: &PlannedChange| !matches!(change.state, FileState::Unchanged | FileState::Refused);
    let put = |path: &Utf8Path, before: Option<&[u8]>, after: Option<&[u8]>| {
        writer.change(path, before, after)?.written(path)?;
        if after.is_none() {
            writer.remove_empty(path, Utf8Path::new(""));
        }
        Ok(())
    };
    let (files, list) = match changes {
        [files @ .., list] if list.path.file_name() == Some(LIST) => (files, Some(list)),
        files => (files, None),
    };
    let list = list.filter(|list| list.state != FileState::Refused);
    let mut listed = list.and_then(|list| list.before.clone());
    if let Some(list) = list.filter(|_| files.iter().any(is_due)) {
        let both = list.all_lines();
        if listed.as_ref() != Some(&both) {
            if let Err(error) = put(&list.path, listed.as_deref(), Some(&both)) {
                return vec![(files.len(), error)];
            }
            listed = Some(both);
        }
    }
    let write = |change: &PlannedChange| -> Result<(), Error> {
        let after = change.after.as_ref().map(|after| &*after.bytes);
        put(&change.path, change.before.as_deref(), after)?;
        match &change.after {
            Some(file) if file.is_executable != is_executable(&root.join(&change.path)) => {
                writer.set_executable(&change.path, file.is_executable)
            }
            _ => Ok(()),
        }
    };
    let due = files.iter().enumerate().filter(|(_, change)| is_due(change));
    let mut failed: Vec<(usize, Error)> =
        due.filter_map(|(at, change)| Some((at, write(change).err()?))).collect();
    if let Some(list) = list.filter(|_| failed.is_empty()) {
        let after = list.after.as_ref().map(|after| &*after.bytes);
        if listed.as_deref() != after
            && let Err(error) = put(&list.path, listed.as_deref(), after)
        {
            failed.push((files.len(), error));
        }
    }
    failed
}

pub fn print<'f>(files: impl Iterator<Item = (&'f str, &'f str)>) -> String {
    let mut lines: Vec<(&str, &str)> = files.collect();
    lines.sort_unstable();
    lines.iter().flat_map(|(path, hash)| [*hash, "  ", *path, "\n"]).collect()
}

pub fn listed(list: &[u8]) -> ListedHashes {
    let mut all = ListedHashes::new();
    let is_below = |path: &Utf8Path| {
        path.components().all(|part| matches!(part, Utf8Component::Normal(_)))
            && !path.as_str().contains('\\')
            && path != LIST
    };
    for line in String::from_utf8_lossy(list).lines() {
        let Some((hash, path)) = line.split_once("  ") else { continue };
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash && !path.is_empty() && is_below(Utf8Path::new(path)) {
            all.entry(path.into()).or_default().insert(hash.to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_lead_elsewhere_count_for_nothing() {
        let hash = "a".repeat(64);
        let list = format!(
            "{hash}  a/b.md\n{hash}  ../c.md\n{hash}  /etc/passwd\n{hash}  {LIST}\nzz  d.md\n{hash}  \n{hash} e\n"
        );
        let known = listed(list.as_bytes());
        assert_eq!(known.keys().collect::<Vec<_>>(), ["a/b.md"]);
        let lines = [("b", "2"), ("a", "1"), ("a", "0")];
        assert_eq!(print(lines.into_iter()), "0  a\n1  a\n2  b\n");
    }
}
