//! The repository around a workspace. Asks git only about missing paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::files::Files;
use crate::discover::git::Git;
use crate::discover::locked;
use crate::hex::hex;
use faber_core::error::Error;
use faber_core::file_text::{Digest, FileText, digest};
use faber_core::world::{Kind, World};

const MAX_COMMITS: usize = 10_000;
const MAX_PATHS: usize = 500;
const MAX_ANSWERS: usize = 16;
/// Without an answer, checks find less.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Repository {
    git: Git,
    files: Files,
    workspace: Utf8PathBuf,
    tracked: OnceLock<TrackedFiles>,
    state: OnceLock<Option<String>>,
    answers: Arc<GitAnswers>,
    is_shallow: OnceLock<bool>,
    failure: OnceLock<String>,
}

#[derive(Debug, Default)]
pub struct GitAnswers(Mutex<BTreeMap<Digest, Arc<Vec<u8>>>>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    Committed {
        commit: String,
        date: String,
    },
    /// In `HEAD`, but not in the index or on the disk.
    Uncommitted,
}

impl Display for Removal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Committed { commit, date } => write!(f, "commit {commit} of {date} removed it"),
            Self::Uncommitted => f.write_str("its removal is not committed yet"),
        }
    }
}

#[derive(Debug, Default)]
pub struct TrackedFiles {
    pub is_unknown: bool,
    paths: Vec<String>,
    by_name: Vec<usize>,
    folders: BTreeMap<String, BTreeSet<String>>,
    sparse: BTreeSet<String>,
}

impl Repository {
    pub fn around(files: &Files, answers: &Arc<GitAnswers>) -> Option<Self> {
        let mut git = Git::around(files.root())?;
        git.timeout = TIMEOUT;
        let workspace = files.in_repository();
        let own = Files::new(&git.tree).recorded_in(files.recorder().clone());
        Some(Self {
            git,
            files: own,
            workspace,
            tracked: OnceLock::new(),
            state: OnceLock::new(),
            answers: Arc::clone(answers),
            is_shallow: OnceLock::new(),
            failure: OnceLock::new(),
        })
    }

    pub fn workspace(&self) -> &Utf8Path {
        &self.workspace
    }

    /// Links out of the repository are [`Kind::Other`].
    pub fn kind(&self, path: &Utf8Path) -> Kind {
        match self.files.kind(path) {
            Kind::Missing => Kind::Missing,
            _ if !self.files.is_inside(path) => Kind::Other,
            kind => kind,
        }
    }

    pub fn names(&self, folder: &Utf8Path) -> Vec<String> {
        self.files.names_ending(folder, "")
    }

    pub fn lacks_history(&self) -> bool {
        self.is_shallow.get() == Some(&true)
    }

    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    pub fn read(&self, path: &Utf8Path) -> Option<FileText> {
        self.files.read(path).ok()
    }

    pub fn ignores(&self, path: &Utf8Path) -> bool {
        self.files.is_ignored(path) || self.files.skips(path)
    }

    pub fn tracked(&self) -> &TrackedFiles {
        self.tracked.get_or_init(|| {
            let listed = match self.ask(&["ls-files", "-z", "-t", "--cached"]) {
                Ok(listed) => listed,
                Err(error) => {
                    self.files.recorder().mark_uncacheable();
                    self.failure.get_or_init(|| reason(&error));
                    return TrackedFiles { is_unknown: true, ..TrackedFiles::default() };
                }
            };
            let records = listed.split(|byte| *byte == 0);
            let records = records.filter_map(|record| std::str::from_utf8(record).ok());
            let records = records.filter_map(|record| record.split_once(' '));
            let records: Vec<(&str, &str)> = records.collect();
            let left_out = records.iter().filter(|(tag, _)| *tag == "S");
            let left_out = left_out.flat_map(|(_, path)| Utf8Path::new(path).ancestors());
            let sparse = left_out.map(ToString::to_string).collect();
            let paths = records.iter().map(|(_, path)| (*path).to_owned());
            TrackedFiles { sparse, ..TrackedFiles::new(paths.collect()) }
        })
    }

    pub fn has(&self, path: &str) -> bool {
        self.kind(path.into()) != Kind::Missing || self.tracked().sparse.contains(path)
    }

    /// Searches the last 10 000 commits.
    pub fn removed(&self, paths: &BTreeSet<String>) -> BTreeMap<String, Removal> {
        let requested: Vec<&str> = paths.iter().take(MAX_PATHS).map(String::as_str).collect();
        let what = ["--diff-filter=D", "--name-only"];
        let answer = self.log(&what, &requested);
        let requested_set: BTreeSet<&str> = requested.iter().copied().collect();
        let listing = ["ls-tree", "-z", "--name-only", "--full-tree", "HEAD", "--"];
        let present = if requested.is_empty() {
            None
        } else {
            self.answer(&[&listing[..], &requested].concat())
        };
        let present = present.unwrap_or_default();
        let present = String::from_utf8_lossy(&present);
        let uncommitted = present.split('\0').map(|name| (name, Removal::Uncommitted));
        let mut removed = BTreeMap::new();
        for (name, removal) in uncommitted.chain(entries(&answer)) {
            let named = Utf8Path::new(name).ancestors().map(Utf8Path::as_str);
            for path in named.filter(|path| requested_set.contains(path)) {
                removed.entry(path.to_owned()).or_insert_with(|| removal.clone());
            }
        }
        removed
    }

    pub fn removed_lines(
        &self,
        paths: &[&str],
        named: &dyn Fn(&str) -> Option<String>,
    ) -> BTreeMap<String, Removal> {
        let requested = &paths[..paths.len().min(MAX_PATHS)];
        let answer = self.log(&["--unified=0", "--max-count=1000"], requested);
        let mut removed = BTreeMap::new();
        for (line, removal) in entries(&answer) {
            if let Some(name) = line.strip_prefix('-').and_then(named) {
                removed.entry(name).or_insert(removal);
            }
        }
        removed
    }

    fn log(&self, what: &[&str], paths: &[&str]) -> String {
        if paths.is_empty() {
            return String::new();
        }
        self.is_shallow.get_or_init(|| {
            let answer = self.answer(&["rev-parse", "--is-shallow-repository"]);
            answer.is_some_and(|answer| answer.starts_with(b"true"))
        });
        let skip = format!("--skip={MAX_COMMITS}");
        let boundary = self.answer(&["rev-list", "--max-count=1", &skip, "HEAD"]);
        let boundary = String::from_utf8_lossy(&boundary.unwrap_or_default()).trim().to_owned();
        let range = if boundary.is_empty() { "HEAD".into() } else { format!("{boundary}..HEAD") };
        // Configured programs must not run.
        let log = ["-c", "core.quotePath=false", "log", "--no-show-signature", "--no-ext-diff"];
        let form =
            ["--no-textconv", "--no-renames", "--no-color", "--no-mailmap", "--format=%x00%h %cs"];
        let arguments = [&log[..], &form, what, &[&range, "--"], paths].concat();
        let answer = self.answer(&arguments).unwrap_or_default();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn answer(&self, arguments: &[&str]) -> Option<Arc<Vec<u8>>> {
        self.ask(arguments).ok()
    }

    fn ask(&self, arguments: &[&str]) -> Result<Arc<Vec<u8>>, Error> {
        let state = self.state.get_or_init(|| self.read_state());
        let key = state
            .as_ref()
            .map(|state| digest([&[state.as_str()], arguments].concat().join("\0").as_bytes()));
        let lock = || locked(&self.answers.0);
        if let Some(known) = key.and_then(|key| lock().get(&key).cloned()) {
            return Ok(known);
        }
        let answer = Arc::new(self.git.output(arguments)?);
        if let Some(key) = key {
            let mut answers = lock();
            if answers.len() >= MAX_ANSWERS {
                answers.clear();
            }
            answers.insert(key, Arc::clone(&answer));
        }
        Ok(answer)
    }

    /// `None` in linked worktrees.
    fn read_state(&self) -> Option<String> {
        let folder = self.files.root().join(".git");
        let recorder = self.files.recorder();
        let observed = || {
            let head = self.files.read_elsewhere(&folder.join("HEAD")).ok()?;
            let name = head.trim().strip_prefix("ref: ").unwrap_or_default();
            let is_ref = name.starts_with("refs/") && !name.contains("..");
            let names = if is_ref { vec![name, "packed-refs"] } else { Vec::new() };
            let refs = names.into_iter().map(|name| self.files.read_elsewhere(&folder.join(name)));
            let refs: Vec<String> = refs.map(|text| text.unwrap_or_default().to_string()).collect();
            let stat = recorder.file(&folder.join("index")).map(hex).unwrap_or_default();
            Some([&*head, &refs.join("\0"), &stat].join("\0"))
        };
        let state = observed();
        if state.is_none() {
            recorder.mark_uncacheable();
        }
        state
    }
}

fn reason(error: &Error) -> String {
    let message = match error {
        Error::Command { message, .. } => message.clone(),
        other => other.to_string(),
    };
    message.split("; ").next().unwrap_or_default().to_owned()
}

fn entries(answer: &str) -> impl Iterator<Item = (&str, Removal)> {
    answer.split('\0').flat_map(|entry| {
        let (head, lines) = entry.split_once('\n').unwrap_or_default();
        let (commit, date) = head.split_once(' ').unwrap_or_default();
        let removal = Removal::Committed { commit: commit.to_owned(), date: date.to_owned() };
        let lines = lines.lines().filter(|line| !line.is_empty());
        lines.map(move |line| (line, removal.clone()))
    })
}

impl TrackedFiles {
    fn new(mut paths: Vec<String>) -> Self {
        paths.sort_unstable();
        paths.dedup();
        let mut by_name: Vec<usize> = (0..paths.len()).collect();
        by_name.sort_by_key(|&at| (name_of(&paths[at]), at));
        let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in &paths {
            let above = Utf8Path::new(path).ancestors().skip(1).map(Utf8Path::as_str);
            for folder in above.take_while(|folder| !folder.is_empty()) {
                if !folders.entry(name_of(folder).to_owned()).or_default().insert(folder.to_owned())
                {
                    break;
                }
            }
        }
        Self { is_unknown: false, paths, by_name, folders, sparse: BTreeSet::new() }
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    pub fn named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let of = |at: &usize| name_of(&self.paths[*at]);
        let start = self.by_name.partition_point(|at| of(at) < name);
        let count = self.by_name[start..].partition_point(|at| of(at) == name);
        self.by_name[start..start + count].iter().map(|&at| self.paths[at].as_str())
    }

    pub fn below<'a>(&'a self, folder: &str) -> impl Iterator<Item = &'a str> {
        let lead = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let start = self.paths.partition_point(|path| *path < lead);
        let here = self.paths[start..].iter();
        let inside = here.map_while(move |path| Some((path.strip_prefix(&lead)?, path)));
        inside.filter(|(rest, _)| !rest.contains('/')).map(|(_, path)| path.as_str())
    }

    pub fn has_folder(&self, folder: &str) -> bool {
        self.folders.get(name_of(folder)).is_some_and(|it| it.contains(folder))
    }

    pub fn ending<'a>(&'a self, tail: &'a str, or_folder: bool) -> impl Iterator<Item = &'a str> {
        let files = self.named(name_of(tail)).filter(move |path| ends_in(path, tail));
        files.chain(self.folders_ending(tail).filter(move |_| or_folder))
    }

    pub fn folders_ending<'a>(&'a self, tail: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.folders.get(name_of(tail)).into_iter().flatten().map(String::as_str);
        named.filter(move |path| ends_in(path, tail))
    }
}

fn ends_in(path: &str, tail: &str) -> bool {
    path.strip_suffix(tail).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracked_files_are_found_by_name_folder_and_ending() {
        let paths = ["b/x.rs", "a/x.rs", "a/c/x.rs", "a/c-d.md", "top.md"];
        let tracked = TrackedFiles::new(paths.map(str::to_owned).to_vec());
        assert_eq!(tracked.named("x.rs").collect::<Vec<_>>(), ["a/c/x.rs", "a/x.rs", "b/x.rs"]);
        assert_eq!(tracked.named("no.rs").count(), 0);
        assert_eq!(tracked.below("a").collect::<Vec<_>>(), ["a/c-d.md", "a/x.rs"]);
        assert_eq!(tracked.below("").collect::<Vec<_>>(), ["top.md"]);
        for tail in ["c/x.rs", "a/c/x.rs", "x.rs", "c", "a/c"] {
            assert!(tracked.ending(tail, true).next().is_some(), "{tail}");
        }
        for tail in ["d.md", "b/c", "c/top.md"] {
            assert!(tracked.ending(tail, true).next().is_none(), "{tail}");
        }
        assert!(tracked.has_folder("a/c") && !tracked.has_folder("c"));
        assert_eq!(tracked.folders_ending("c").collect::<Vec<_>>(), ["a/c"]);
    }

    #[test]
    fn lines_of_the_log_have_their_commits() {
        let answer = "\0f2 2026-02-02\n\na/b.md\nold/x.md\n\0f1 2026-01-01\n\na/b.md\n";
        let shown: Vec<_> = entries(answer).map(|(line, it)| format!("{line}: {it}")).collect();
        assert_eq!(
            shown,
            [
                "a/b.md: commit f2 of 2026-02-02 removed it",
                "old/x.md: commit f2 of 2026-02-02 removed it",
                "a/b.md: commit f1 of 2026-01-01 removed it"
            ]
        );
    }
}
