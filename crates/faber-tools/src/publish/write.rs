//! Updates the folder of a publication.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::layout::PublishedFiles;
use super::skill::HashedFile;
use crate::exchange::write::State;
use faber_core::error::Error;
use faber_session::discover::atomic::{Writer, is_executable, lexical};
use faber_session::discover::{files, foreign};
use faber_session::hex::sha256;

/// Hashes of written files, in the format of `sha256sum`. Only listed, unmodified files are
/// changed.
pub const LIST: &str = ".faber-files";

const OWN: [&str; 4] = ["contexts", "roles", "overlays", ".faber"];

pub struct PublishedChange {
    pub path: Utf8PathBuf,
    pub before: Option<Vec<u8>>,
    /// `None` to remove.
    pub after: Option<HashedFile>,
    pub state: State,
    pub why: Option<&'static str>,
}

pub struct PublishFolder {
    folder: Utf8PathBuf,
    /// Several hashes after an interrupted run.
    known: BTreeMap<Utf8PathBuf, BTreeSet<String>>,
    list: Option<Vec<u8>>,
}

impl PublishFolder {
    /// Opens a folder, which may be missing.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a file, or a part of git or the workspace.
    pub fn open(root: &Utf8Path, path: &Utf8Path) -> Result<Self, Error> {
        let path = lexical(path);
        let folder = Writer::new(root).entry(&path)?;
        let folder = foreign::real_folder(&folder).unwrap_or(folder);
        let refuse = |why: &str| {
            let message = format!("cannot publish to `{path}`: {why}");
            Err(Error::usage(message, "name another folder with `--to`"))
        };
        if files::path_exists(&folder) && !foreign::is_folder(&folder) {
            return refuse("it is not a folder");
        }
        if foreign::is_link(&path) && path.starts_with(root) && !folder.starts_with(root) {
            return refuse("a link leads out of the workspace");
        }
        if folder.components().any(|part| part.as_str().eq_ignore_ascii_case(".git")) {
            return refuse("it is in the folder of git");
        }
        let first = folder.strip_prefix(root).ok().and_then(|it| it.components().next());
        if first.is_some_and(|first| OWN.contains(&first.as_str())) {
            return refuse("faber reads files there");
        }
        let place = folder.join(LIST);
        let list = if foreign::is_link(&place) { None } else { foreign::content(&place) };
        let known = list.as_deref().map(known).unwrap_or_default();
        Ok(Self { folder, known, list })
    }

    pub fn path(&self) -> &Utf8Path {
        &self.folder
    }

    /// The list of files comes last.
    pub fn changes(&self, files: &PublishedFiles) -> Vec<PublishedChange> {
        let mut changes: Vec<PublishedChange> =
            files.iter().map(|(path, file)| self.change(path, file)).collect();
        let outdated = self.known.keys().filter(|path| !files.contains_key(*path));
        changes.extend(outdated.filter_map(|path| self.removal(path)));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        let lines = files.iter().map(|(path, file)| (path.as_str(), file.sha256.as_str()));
        let after = HashedFile::new(print(lines).into_bytes());
        let state = match &self.list {
            None => State::Created,
            Some(before) if **before == *after.bytes => State::Unchanged,
            Some(_) => State::Changed,
        };
        let why = foreign::file_obstacle(&self.folder, LIST.into());
        let state = if why.is_some() { State::Refused } else { state };
        let (path, before) = (LIST.into(), self.list.clone());
        changes.push(PublishedChange { path, before, after: Some(after), state, why });
        changes
    }

    fn is_own(&self, path: &Utf8Path, content: &[u8]) -> bool {
        self.known.get(path).is_some_and(|hashes| hashes.contains(&sha256(content)))
    }

    fn change(&self, path: &Utf8Path, file: &HashedFile) -> PublishedChange {
        let place = self.folder.join(path);
        let why = foreign::file_obstacle(&self.folder, path);
        let before = if why.is_some() { None } else { foreign::content(&place) };
        let (state, why) = match &before {
            _ if why.is_some() => (State::Refused, why),
            None if files::path_exists(&place) => (State::Refused, Some("is not a file")),
            None => (State::Created, None),
            Some(before) if **before == *file.bytes => {
                let is_same = is_executable(&place) == file.is_executable;
                (if is_same { State::Unchanged } else { State::Changed }, None)
            }
            Some(before) if self.is_own(path, before) => (State::Changed, None),
            Some(_) => (State::Refused, Some("was not written by faber; not overwritten")),
        };
        PublishedChange { path: path.to_owned(), before, after: Some(file.clone()), state, why }
    }

    fn removal(&self, path: &Utf8Path) -> Option<PublishedChange> {
        if foreign::file_obstacle(&self.folder, path).is_some() {
            return None;
        }
        let before = foreign::content(&self.folder.join(path))?;
        let is_own = self.is_own(path, &before);
        let (path, before) = (path.to_owned(), Some(before));
        is_own.then_some(PublishedChange {
            path,
            before,
            after: None,
            state: State::Removed,
            why: None,
        })
    }

    /// No change may be refused. The list has old and new hashes until all is written, for a run
    /// after an interrupted one.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Usage`] if a file changed meanwhile.
    pub fn write(&self, changes: &[PublishedChange]) -> Result<(), Error> {
        let Some((list, changes)) = changes.split_last() else { return Ok(()) };
        let outdated: Vec<&PublishedChange> =
            changes.iter().filter(|change| change.state != State::Unchanged).collect();
        let writer = Writer::new(&self.folder);
        let mut before = self.list.clone();
        if !outdated.is_empty() {
            let mut all = self.known.clone();
            for change in changes {
                let hash = change.after.iter().map(|after| after.sha256.clone());
                all.entry(change.path.clone()).or_default().extend(hash);
            }
            let lines = all.iter().flat_map(|(path, hashes)| {
                hashes.iter().map(move |hash| (path.as_str(), hash.as_str()))
            });
            let both = print(lines).into_bytes();
            put(&writer, LIST.into(), before.as_deref(), &both)?;
            before = Some(both);
        }
        for change in outdated {
            if let Some(after) = &change.after {
                put(&writer, &change.path, change.before.as_deref(), &after.bytes)?;
                if after.is_executable != is_executable(&self.folder.join(&change.path)) {
                    writer.set_executable(&change.path, after.is_executable)?;
                }
            } else {
                writer.remove(&change.path)?;
                writer.remove_empty(&change.path, Utf8Path::new(""));
            }
        }
        let after = list.after.as_ref().map(|after| &*after.bytes).unwrap_or_default();
        if before.as_deref() == Some(after) {
            return Ok(());
        }
        put(&writer, LIST.into(), before.as_deref(), after)
    }
}

fn put(writer: &Writer, path: &Utf8Path, before: Option<&[u8]>, after: &[u8]) -> Result<(), Error> {
    let Some(before) = before else { return writer.create(path, after) };
    writer.replace_if(path, before, after)?.written(path)
}

fn print<'f>(files: impl Iterator<Item = (&'f str, &'f str)>) -> String {
    let mut lines: Vec<(&str, &str)> = files.collect();
    lines.sort_unstable();
    lines.iter().flat_map(|(path, hash)| [*hash, "  ", *path, "\n"]).collect()
}

/// Foreign lines could name files elsewhere.
fn known(list: &[u8]) -> BTreeMap<Utf8PathBuf, BTreeSet<String>> {
    let mut all: BTreeMap<Utf8PathBuf, BTreeSet<String>> = BTreeMap::new();
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
        let known = known(list.as_bytes());
        assert_eq!(known.keys().collect::<Vec<_>>(), ["a/b.md"]);
        let lines = [("b", "2"), ("a", "1"), ("a", "0")];
        assert_eq!(print(lines.into_iter()), "0  a\n1  a\n2  b\n");
    }
}
