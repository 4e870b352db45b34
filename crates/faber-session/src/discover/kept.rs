//! Texts and folders that an earlier run read, as far as the disk still has the same.
//!
//! Requests of one role read the same files. So a run stores what it has read in one file, beside the
//! snapshot by which a later one finds out, from stats alone, what of it still holds. That is then taken
//! from there instead of from a thousand files.

use std::collections::{BTreeMap, HashMap, HashSet};

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::cache::{Cache, encode};
use super::snapshot::observation::Observation;
use super::snapshot::{Recorder, Snapshot};
use faber_core::file_text::{Digest, FileText};
use faber_core::world::{DirEntry, Kind};

/// The folder of what is kept in the cache on disk.
const KEPT: &str = "kept";
/// More bytes of texts are not kept.
const MAX_BYTES: usize = 32 << 20;

/// What an earlier run read.
#[derive(Debug)]
pub(crate) struct KeptFiles {
    root: Utf8PathBuf,
    /// The name of the snapshot, if all of it still holds.
    name: Option<String>,
    snapshot: Snapshot<'static>,
    /// Absolute paths at which something else is now.
    changed: HashSet<Utf8PathBuf>,
    texts: HashMap<String, KeptText>,
    folders: HashMap<String, Vec<(String, Kind)>>,
    bytes: Bytes,
}

/// What is put into the file, in front of the texts. Paths are from the root.
#[derive(Serialize, Deserialize)]
struct Index {
    snapshot: String,
    texts: Vec<(String, KeptText)>,
    folders: Vec<(String, Vec<(String, Kind)>)>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct KeptText {
    /// Where it begins and ends among the texts.
    place: (usize, usize),
    digest: Digest,
}

/// What a run reads, to be kept.
#[derive(Debug, Default)]
pub(crate) struct FilesToKeep {
    /// Under which name.
    pub(super) name: String,
    pub(super) texts: BTreeMap<Utf8PathBuf, FileText>,
    pub(super) folders: BTreeMap<Utf8PathBuf, Vec<DirEntry>>,
}

impl KeptFiles {
    /// A recorder of a run that reads from what a run of the same `kind` read, as far as that holds.
    pub(crate) fn recorder(
        disk: &Cache,
        root: &Utf8Path,
        kind: &impl Serialize,
        vars: &[(String, String)],
    ) -> Recorder {
        let name = blake3::hash(&encode(kind)).to_hex()[..32].to_owned();
        let kept = Self::open(disk, root, &name, vars);
        Recorder::keeping(name, kept)
    }

    /// What was kept under a name, as far as it holds. None when there is nothing, or nothing can be told.
    fn open(disk: &Cache, root: &Utf8Path, name: &str, vars: &[(String, String)]) -> Option<Self> {
        let kept = disk.map(&format!("{KEPT}/{name}"))?;
        let length = usize::try_from(u32::from_le_bytes(*kept.first_chunk()?)).ok()?;
        let index: Index = rmp_serde::from_slice(kept.get(4..4 + length)?).ok()?;
        let snapshot = disk.map(&Snapshot::place(&index.snapshot))?;
        let snapshot: Snapshot<'_> = rmp_serde::from_slice(&snapshot).ok()?;
        let mut snapshot = snapshot.into_owned();
        let (changed, is_touched) = snapshot.changes(vars)?;
        let changed: HashSet<Utf8PathBuf> = changed.into_iter().collect();
        let is_same = changed.is_empty();
        if is_same && is_touched && snapshot.is_settled_now() {
            snapshot.write(disk);
        }
        Some(Self {
            root: root.to_owned(),
            name: is_same.then_some(index.snapshot),
            snapshot,
            changed,
            texts: index.texts.into_iter().collect(),
            folders: index.folders.into_iter().collect(),
            bytes: kept.slice(4 + length..),
        })
    }

    /// The name of the snapshot that tells whether all of this holds; none when it does not.
    pub(crate) fn snapshot(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The text of the file at a path from the root.
    pub(super) fn text(&self, path: &Utf8Path) -> Option<FileText> {
        let KeptText { place, digest } = *self.texts.get(path.as_str())?;
        let bytes = (place.1 <= self.bytes.len()).then(|| self.bytes.slice(place.0..place.1))?;
        FileText::known(bytes, digest)
    }

    /// What lies in the folder at a path from the root.
    pub(super) fn folder(&self, path: &Utf8Path) -> Option<Vec<DirEntry>> {
        let entries = self.folders.get(path.as_str())?.iter();
        let entry = |(name, kind): &(String, Kind)| DirEntry {
            name: name.clone(),
            kind: *kind,
            trouble: None,
        };
        Some(entries.map(entry).collect())
    }

    /// Folders to which no link leads.
    pub(super) fn plain(&self) -> &[Utf8PathBuf] {
        self.snapshot.plain()
    }

    /// What is at a path from the root, if it was observed and still holds.
    pub(super) fn observed(&self, path: &Utf8Path) -> Option<Observation> {
        let path = self.root.join(path);
        self.snapshot.find(&path).filter(|_| !self.changed.contains(&path))
    }
}

impl FilesToKeep {
    /// Stores everything with the name of the snapshot of the run that read it.
    pub(crate) fn write(&self, disk: &Cache, snapshot: &str) {
        let mut end = 0;
        let texts = self.texts.iter().map(|(path, text)| {
            let start = end;
            end += text.len();
            (path.to_string(), KeptText { place: (start, end), digest: *text.digest() })
        });
        let texts: Vec<_> = texts.collect();
        if end > MAX_BYTES {
            return;
        }
        let folders = self.folders.iter().map(|(path, entries)| {
            let entries = entries.iter().map(|entry| (entry.name.clone(), entry.kind));
            (path.to_string(), entries.collect())
        });
        let index = Index { snapshot: snapshot.to_owned(), texts, folders: folders.collect() };
        let index = encode(&index);
        let Ok(length) = u32::try_from(index.len()) else { return };
        let mut bytes = Vec::with_capacity(4 + index.len() + end);
        bytes.extend(length.to_le_bytes());
        bytes.extend(index);
        self.texts.values().for_each(|text| bytes.extend(text.as_bytes()));
        disk.write(&format!("{KEPT}/{}", self.name), &bytes);
        disk.trim(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::files::Files;
    use faber_core::world::World;

    /// What a run with what is kept sees.
    #[derive(Debug, PartialEq)]
    struct Seen {
        texts: Vec<Option<String>>,
        folders: Vec<Vec<String>>,
        kinds: Vec<Kind>,
    }

    fn look(files: &Files) -> Seen {
        let paths = ["a.md", "b/c.md", "b/d.md"];
        let text = |path: &str| Some(files.read(path.into()).ok()?.to_string());
        Seen {
            texts: paths.map(text).into(),
            folders: ["", "b"].map(|path| files.markdown_stems(path.into())).into(),
            kinds: ["b", "b/c.md", "no"].map(|path| files.kind(path.into())).into(),
        }
    }

    #[test]
    fn kept_files_equal_those_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let root = base.join("root");
        std::fs::create_dir_all(root.join("b")).unwrap();
        std::fs::create_dir_all(root.join(".faber")).unwrap();
        let disk = Cache::open(&root, &base.join("home"), "test").unwrap();
        let settle = || std::thread::sleep(std::time::Duration::from_millis(130));
        // A run: what it sees, and what it observed of the disk.
        let run = || {
            let kept = KeptFiles::open(&disk, &root, "0", &[]);
            let recorder = Recorder::keeping("0".to_owned(), kept);
            let seen = look(&Files::new(&root).recorded_in(recorder.clone()));
            assert_eq!(seen, look(&Files::new(&root)));
            let observed = recorder.stable_snapshot(&[]);
            if let Some(snapshot) = &observed
                && let Some(files) = recorder.take_files_to_keep()
            {
                files.write(&disk, &snapshot.write(&disk));
            }
            observed
        };
        let write = |path: &str, text: &str| std::fs::write(root.join(path), text).unwrap();
        write("a.md", "# A\n");
        write("b/c.md", "# C ü\n");
        assert!(run().is_none(), "too new to be kept");
        settle();
        assert!(!run().unwrap().is_empty(), "nothing was kept");
        assert!(run().unwrap().is_empty(), "all of it was");
        write("b/d.md", "# D\n");
        settle();
        assert!(!run().unwrap().is_empty(), "a folder has changed");
        assert!(run().unwrap().is_empty());
        write("a.md", "# B\n");
        assert!(run().is_none(), "too new again");
        settle();
        assert!(!run().unwrap().is_empty());
        assert!(run().unwrap().is_empty());
        std::fs::remove_file(root.join("b/c.md")).unwrap();
        settle();
        assert!(!run().unwrap().is_empty());
        assert!(run().unwrap().is_empty());
    }
}
