//! Files of an earlier run.

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use super::cache::{Cache, encode};
use super::snapshot::observation::Observation;
use super::snapshot::{Recorder, Snapshot};
use faber_core::digest_map::DigestMap;
use faber_core::file_text::{Digest, FileText};
use faber_core::world::{DirEntry, Kind};

const KEPT: &str = "kept";
const TEXTS: &str = "texts";
const MAX_BYTES: usize = 128 << 20;

#[derive(Debug)]
pub(crate) struct KeptFiles {
    name: Option<String>,
    snapshot: Snapshot<'static>,
    changed: HashSet<String>,
    texts: HashMap<String, (Bytes, Digest)>,
    folders: HashMap<String, FolderEntries>,
}

#[derive(Serialize, Deserialize)]
struct Index {
    snapshot: String,
    texts: Vec<(String, [u64; 2])>,
    folders: Vec<(String, FolderEntries)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FolderEntries {
    files: Vec<String>,
    others: Vec<(String, Kind)>,
}

#[derive(Debug, Default)]
pub(crate) struct FilesToKeep {
    pub(super) name: String,
    pub(super) texts: HashMap<String, FileText>,
    pub(super) folders: HashMap<String, Vec<DirEntry>>,
}

impl KeptFiles {
    pub(crate) fn recorder(
        disk: &Cache,
        kind: &impl Serialize,
        vars: &[(String, String)],
    ) -> Recorder {
        let name = blake3::hash(&encode(kind)).to_hex()[..32].to_owned();
        let kept = Self::open(disk, &name, vars);
        Recorder::keeping(name, kept)
    }

    fn open(disk: &Cache, name: &str, vars: &[(String, String)]) -> Option<Self> {
        let kept = disk.map(&format!("{KEPT}/{name}"))?;
        let index: Index = rmp_serde::from_slice(&kept).ok()?;
        let snapshot = disk.map(&Snapshot::place(&index.snapshot))?;
        let snapshot: Snapshot<'_> = rmp_serde::from_slice(&snapshot).ok()?;
        let mut snapshot = snapshot.into_owned();
        let (changed, is_touched) = snapshot.changes(vars)?;
        let changed: HashSet<String> = changed.into_iter().map(Utf8PathBuf::into_string).collect();
        let map = DigestMap::open(disk, TEXTS);
        let listed = index.texts.len();
        let text = |(path, numbers): (String, [u64; 2])| {
            let digest = digest_of(numbers);
            Some((path, (map.get(&digest)?, digest)))
        };
        let texts: HashMap<_, _> = index.texts.into_iter().filter_map(text).collect();
        let is_same = changed.is_empty() && texts.len() == listed;
        if is_same && is_touched && snapshot.is_settled_now() {
            snapshot.write(disk);
        }
        Some(Self {
            name: is_same.then_some(index.snapshot),
            snapshot,
            changed,
            texts,
            folders: index.folders.into_iter().collect(),
        })
    }

    pub(crate) fn snapshot(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(super) fn text(&self, path: &Utf8Path) -> Option<FileText> {
        let (bytes, digest) = self.texts.get(path.as_str())?;
        FileText::known(bytes.clone(), *digest)
    }

    pub(super) fn folder(&self, path: &Utf8Path) -> Option<Vec<DirEntry>> {
        let FolderEntries { files, others } = self.folders.get(path.as_str())?;
        let entry = |name: &String, kind| DirEntry { name: name.clone(), kind, trouble: None };
        let others = others.iter().map(|(name, kind)| entry(name, *kind));
        Some(files.iter().map(|name| entry(name, Kind::File)).chain(others).collect())
    }

    pub(super) fn plain(&self) -> &[Utf8PathBuf] {
        self.snapshot.plain()
    }

    pub(super) fn observed(&self, path: &Utf8Path) -> Option<Observation> {
        self.snapshot.find(path).filter(|_| !self.changed.contains(path.as_str()))
    }
}

impl FilesToKeep {
    pub(crate) fn write(&self, disk: &Cache, snapshot: &str) {
        if self.texts.values().map(|text| text.len()).sum::<usize>() > MAX_BYTES {
            return;
        }
        let map = DigestMap::open(disk, TEXTS);
        for text in self.texts.values().filter(|text| map.get(text.digest()).is_none()) {
            map.insert(*text.digest(), text.to_bytes());
        }
        map.save(disk, TEXTS, 2 * MAX_BYTES);
        let texts = self.texts.iter().map(|(path, text)| (path.clone(), numbers_of(text.digest())));
        let mut texts: Vec<_> = texts.collect();
        texts.sort_unstable();
        let folders = self.folders.iter().map(|(path, entries)| {
            let mut all: Vec<_> = entries.iter().map(|it| (it.name.clone(), it.kind)).collect();
            all.sort_unstable();
            let (files, others): (Vec<_>, _) =
                all.into_iter().partition(|(_, kind)| *kind == Kind::File);
            let files = files.into_iter().map(|(name, _)| name).collect();
            (path.clone(), FolderEntries { files, others })
        });
        let mut folders: Vec<_> = folders.collect();
        folders.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let index = Index { snapshot: snapshot.to_owned(), texts, folders };
        disk.write(&format!("{KEPT}/{}", self.name), &encode(&index));
        disk.trim(KEPT);
    }
}

fn numbers_of(digest: &Digest) -> [u64; 2] {
    let (halves, _) = digest.as_chunks();
    [0, 1].map(|half| u64::from_le_bytes(halves[half]))
}

fn digest_of(numbers: [u64; 2]) -> Digest {
    let mut digest = Digest::default();
    for (half, number) in digest.as_chunks_mut().0.iter_mut().zip(numbers) {
        *half = number.to_le_bytes();
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::files::Files;
    use faber_core::world::World;

    #[derive(Debug, PartialEq)]
    struct Seen {
        texts: Vec<Option<String>>,
        folders: Vec<Vec<DirEntry>>,
        kinds: Vec<Kind>,
    }

    fn look(files: &Files) -> Seen {
        let paths = ["a.md", "b/c.md", "b/d.md"];
        let text = |path: &str| Some(files.read(path.into()).ok()?.to_string());
        Seen {
            texts: paths.map(text).into(),
            folders: ["", "b"].map(|path| files.list(path.into()).unwrap()).into(),
            kinds: ["b", "b/c.md", "no"].map(|path| files.kind(path.into())).into(),
        }
    }

    #[test]
    fn kept_files_equal_those_on_disk() {
        let (_folder, base) = crate::testing::folder();
        let root = base.join("root");
        std::fs::create_dir_all(root.join("b")).unwrap();
        std::fs::create_dir_all(root.join(".faber")).unwrap();
        let disk = Cache::open(&root, &base.join("home"), "test").unwrap();
        let settle = || std::thread::sleep(std::time::Duration::from_millis(130));
        let run = || {
            let kept = KeptFiles::open(&disk, "0", &[]);
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
        disk.forget(TEXTS);
        assert!(!run().unwrap().is_empty(), "the texts are lost");
        assert!(run().unwrap().is_empty());
        if cfg!(unix) {
            write("b/x\\y.md", "# Not read\n");
            settle();
            assert!(!run().unwrap().is_empty());
            run();
        }
    }
}
