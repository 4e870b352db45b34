//! Fetches a folder of a commit.
//!
//! Reads blobs, since checkouts apply attributes of the repository. A commit must be reachable from
//! a ref, since a bare hash may come from a fork.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

use super::Git;
use crate::discover::lock;
use crate::discover::pack_store::{PackFile, PackFiles};
use crate::hex::sha256;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::packs::declare::is_local;
use faber_core::packs::lock::is_commit;
use faber_core::packs::names::{self, MAX_BYTES, MAX_FILES};
use faber_core::paths::normalize;

const TIMEOUT: Duration = Duration::from_secs(300);
/// Maximum wait for other processes.
const TURN: Duration = Duration::from_secs(600);
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/v1";

/// A remote, with a bare repository for its objects.
#[derive(Debug)]
pub struct Remote {
    pub(super) url: String,
    pub(super) git: Git,
    _lock: std::fs::File,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedPack {
    pub commit: String,
    pub tree: String,
    /// Relative to the folder.
    pub files: PackFiles,
    /// Omitted links.
    pub links: Vec<String>,
}

const FETCH: [&str; 6] = [
    "fetch",
    "-q",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
];

/// In the error of a server of protocol v0.
const UNADVERTISED: &str = "unadvertised object";

/// Git starts it for a local path. `env` takes the place of a program that the user's configuration
/// may name.
const UPLOAD_PACK: &str = "--upload-pack=git -c uploadpack.packObjectsHook=env upload-pack";

struct RemoteRef {
    /// An annotated tag, or the commit.
    object: String,
    commit: String,
}

#[derive(Clone, Debug)]
pub struct Tag {
    pub name: String,
    pub object: String,
    pub commit: String,
}

#[derive(Debug)]
pub struct ResolvedRef {
    /// An annotated tag, or the commit.
    object: String,
    pub commit: String,
    /// Of a version range, the highest last.
    pub tags: Vec<Tag>,
}

struct TreeEntry {
    path: String,
    blob: String,
    is_link: bool,
    is_executable: bool,
}

impl Remote {
    /// `url` may be an absolute path.
    ///
    /// # Errors
    ///
    /// If the store cannot be written, or another process fetches for 10 minutes.
    pub fn open(store: &Utf8Path, url: &str) -> Result<Self, Error> {
        let folder = store.join("git");
        let fail = |source| Error::Io { action: "create", path: folder.clone(), source };
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let name = &sha256(url.as_bytes())[..32];
        let Some(lock) =
            lock::exclusive_within(&folder.join(format!("{name}.lock")), TURN).map_err(fail)?
        else {
            let message =
                format!("another faber process has been fetching from `{url}` for minutes");
            return Err(Error::usage(message, "stop it, then run the command again"));
        };
        let protocols = if is_local(url) { "file" } else { "https:ssh" };
        let _ = lock.set_modified(SystemTime::now());
        let git = Git::bare(&folder.join(format!("{name}.git")), protocols, TIMEOUT);
        Ok(Self { url: url.to_owned(), git, _lock: lock })
    }

    /// Creates or repairs the bare repository.
    pub(super) fn prepare(&self) -> Result<(), Error> {
        // Left by a killed git: this process has the lock.
        for left in ["HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock"] {
            let _ = std::fs::remove_file(self.git.tree.join(left));
        }
        let init = || self.git.output(&["init", "-q", "--bare", "--template="]).map(drop);
        init().or_else(|_| {
            self.clear()?;
            init()
        })
    }

    fn clear(&self) -> Result<(), Error> {
        remove(&self.git.tree)
    }

    /// The commit of a tag, branch, version range or, if empty, `HEAD`. Commits must be reachable
    /// from a branch or tag.
    ///
    /// # Errors
    ///
    /// If git fails or the ref is unknown.
    pub fn resolve(&self, reference: &str) -> Result<ResolvedRef, Error> {
        let not_a_range = || {
            let message = format!("`{reference}` is not a range of versions");
            Error::usage(message, "write `^1`, `^1.2` or `~1.2.3`, without a pre-release")
        };
        let unknown = || {
            if reference.is_empty() {
                let message = format!("`{}` has no commit on its default branch", self.url);
                return Error::usage(message, "commit its files, or name a branch or tag as `ref`");
            }
            if reference.starts_with(['<', '>', '=']) || reference.contains(['*', ',']) {
                return not_a_range();
            }
            let message = format!("`{}` has no branch, tag or commit `{reference}`", self.url);
            Error::usage(message, "name another `ref`, or none for the default branch")
        };
        let alone = |RemoteRef { object, commit }| ResolvedRef { object, commit, tags: Vec::new() };
        if is_commit(reference) {
            let known = self.is_reachable(reference, None)?;
            let target = RemoteRef { object: reference.to_owned(), commit: reference.to_owned() };
            return known.then(|| alone(target)).ok_or_else(unknown);
        }
        if Range::parse(reference).is_some() {
            let tags = self.tags(reference)?;
            let Some(highest) = tags.last() else {
                let message = format!("`{}` has no tag in the range `{reference}`", self.url);
                let help = "tags of a range are versions such as `v1.2.3`";
                return Err(Error::usage(message, help));
            };
            let Tag { object, commit, .. } = highest.clone();
            return Ok(ResolvedRef { object, commit, tags });
        }
        if reference.starts_with(['^', '~']) {
            return Err(not_a_range());
        }
        let names = if reference.is_empty() {
            vec!["HEAD".to_owned()]
        } else {
            ["tags", "heads"].map(|kind| format!("refs/{kind}/{reference}")).to_vec()
        };
        let mut refs = self.refs(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let target = names.iter().find_map(|name| refs.remove(name));
        target.map(alone).ok_or_else(unknown)
    }

    /// Tags of a version range, highest last, or of this name.
    pub(super) fn tags(&self, reference: &str) -> Result<Vec<Tag>, Error> {
        let range = Range::parse(reference);
        let pattern = if range.is_some() { "*" } else { reference };
        let refs = self.refs(&[&format!("refs/tags/{pattern}")])?.into_iter();
        let tags = refs.filter_map(|(name, RemoteRef { object, commit })| {
            let name = name.strip_prefix("refs/tags/")?.to_owned();
            let version = Version::parse(&name);
            let is_meant = match range {
                Some(range) => version.is_some_and(|version| range.has(version)),
                None => name == reference,
            };
            is_meant.then_some((version, Tag { name, object, commit }))
        });
        let mut tags: Vec<(Option<Version>, Tag)> = tags.collect();
        tags.sort_by_key(|(version, _)| *version);
        Ok(tags.into_iter().map(|(_, tag)| tag).collect())
    }

    fn refs(&self, patterns: &[&str]) -> Result<BTreeMap<String, RemoteRef>, Error> {
        let peeled: Vec<String> =
            patterns.iter().map(|pattern| format!("{pattern}^{{}}")).collect();
        let peeled: Vec<&str> = peeled.iter().map(String::as_str).collect();
        let arguments = [&["ls-remote", "-q", "--", &self.url], patterns, &peeled].concat();
        // Without a repository, since fetched objects may be damaged.
        let git = Git { tree: format!("{}-none", self.git.tree).into(), ..self.git.clone() };
        let output = git.output(&arguments)?;
        let mut refs: BTreeMap<String, RemoteRef> = BTreeMap::new();
        for line in String::from_utf8_lossy(&output).lines() {
            let Some((hash, name)) = line.split_once('\t').filter(|(hash, _)| is_commit(hash))
            else {
                continue;
            };
            // Peeled lines (`^{}`) follow their tags.
            let name = name.strip_suffix("^{}").unwrap_or(name).to_owned();
            let target = RemoteRef { object: hash.to_owned(), commit: hash.to_owned() };
            hash.clone_into(&mut refs.entry(name).or_insert(target).commit);
        }
        Ok(refs)
    }

    /// Whether a commit is reachable, by default from any branch or tag.
    pub(crate) fn is_reachable(
        &self,
        commit: &str,
        reference: Option<&str>,
    ) -> Result<bool, Error> {
        let tips = self.tips(reference)?;
        let is_it = |(known, _): &(String, String)| known == commit;
        let is_tip = tips.iter().any(|tip| tip.commit == commit);
        Ok(is_tip || self.history(&tips)?.iter().any(is_it))
    }

    /// A commit with this tree, preferably `commit`, reachable like that.
    pub(crate) fn with_tree(
        &self,
        tree: &str,
        commit: &str,
        reference: Option<&str>,
    ) -> Result<Option<String>, Error> {
        let mut history = self.history(&self.tips(reference)?)?;
        history.retain(|(_, known)| known == tree);
        let at = history.iter().position(|(known, _)| known == commit).unwrap_or(0);
        Ok(history.into_iter().nth(at).map(|(commit, _)| commit))
    }

    fn tips(&self, reference: Option<&str>) -> Result<Vec<RemoteRef>, Error> {
        let Some(reference) = reference else {
            return Ok(self.refs(&["refs/heads/*", "refs/tags/*"])?.into_values().collect());
        };
        let ResolvedRef { object, commit, .. } = self.resolve(reference)?;
        Ok(vec![RemoteRef { object, commit }])
    }

    /// Commits and their trees, the newest first.
    fn history(&self, tips: &[RemoteRef]) -> Result<Vec<(String, String)>, Error> {
        // Separate, because the main repository is shallow.
        let history = Utf8PathBuf::from(format!("{}-history", self.git.tree));
        remove(&history)?;
        let git = Git { tree: history.clone(), ..self.git.clone() };
        git.output(&["init", "-q", "--bare", "--template="])?;
        // Servers of protocol v0 give only the objects of refs.
        let tips: BTreeSet<&str> = tips.iter().map(|tip| &*tip.object).collect();
        let tips = lines(&tips.into_iter().collect::<Vec<_>>());
        git.output_for(&self.fetch_command(&["--filter=tree:0"]), tips.clone())?;
        let commits = git.output_for(&["rev-list", "--format=%H %T", "--stdin"], tips)?;
        remove(&history)?;
        let pair = |line: &str| line.split_once(' ').map(|(one, two)| (one.into(), two.into()));
        // Each pair follows a line `commit HASH`.
        let lines = String::from_utf8_lossy(&commits);
        Ok(lines.lines().filter(|line| !line.starts_with("commit ")).filter_map(pair).collect())
    }

    /// `commit` must be reachable.
    ///
    /// # Errors
    ///
    /// If git fails or [`names`] refuses a file.
    pub fn fetch(&self, commit: &str, folder: &Utf8Path) -> Result<FetchedPack, Error> {
        self.prepare()?;
        match self.fetch_once(commit, folder) {
            // Fetched objects may be damaged.
            Err(Error::Command { .. }) => {
                self.clear()?;
                self.prepare()?;
                self.fetch_once(commit, folder)
            }
            fetched => fetched,
        }
    }

    fn fetch_once(&self, commit: &str, folder: &Utf8Path) -> Result<FetchedPack, Error> {
        let tree = format!("{commit}^{{tree}}");
        let tree = || self.git.output(&["rev-parse", "-q", "--verify", &tree]);
        let tree = tree().or_else(|_| {
            self.fetch_objects(&["--depth=1"], &[commit])?;
            tree()
        })?;
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        let entries = self.entries(commit, folder)?;
        let blobs: BTreeSet<&str> = entries.iter().map(|entry| &*entry.blob).collect();
        let mut sizes = self.sizes(&blobs)?;
        let missing: Vec<&str> =
            blobs.iter().copied().filter(|blob| !sizes.contains_key(*blob)).collect();
        if !missing.is_empty() {
            self.fetch_objects(&[], &missing)?;
            sizes.extend(self.sizes(&missing.into_iter().collect())?);
        }
        let size = |entry: &TreeEntry| sizes.get(&*entry.blob).copied();
        let Some(total) = entries.iter().map(size).sum::<Option<u64>>() else {
            return Err(self.incomplete());
        };
        if total > MAX_BYTES {
            let limit = MAX_BYTES / 1024 / 1024;
            return Err(self.refused(&format!("the pack has more than {limit} MiB")));
        }
        let contents = self.contents(&blobs)?;
        let (mut files, mut links) = (BTreeMap::new(), Vec::new());
        for entry in &entries {
            let Some(bytes) = contents.get(&entry.blob) else {
                return Err(self.incomplete());
            };
            if entry.is_link {
                if !stays(&folder.join(&entry.path), bytes) {
                    let path = Visible(&entry.path);
                    return Err(
                        self.refused(&format!("`{path}`: it is a link out of the repository"))
                    );
                }
                links.push(entry.path.clone());
                continue;
            }
            if bytes.starts_with(LFS) {
                return Err(self.refused(&format!("`{}` is stored in Git LFS", entry.path)));
            }
            let (bytes, is_executable) = (bytes.clone(), entry.is_executable);
            files.insert(entry.path.clone(), PackFile { bytes, is_executable });
        }
        Ok(FetchedPack { commit: commit.to_owned(), tree, files, links })
    }

    /// Fetches no blobs other than those named, if the server can select.
    pub(super) fn fetch_objects(&self, options: &[&str], objects: &[&str]) -> Result<(), Error> {
        let filter = [&["--filter=blob:none"], options].concat();
        match self.git.output_for(&self.fetch_command(&filter), lines(objects)) {
            Err(Error::Command { message, .. }) if message.contains(UNADVERTISED) => {
                self.fetch_refs(objects)
            }
            fetched => fetched.map(drop),
        }
    }

    /// For servers of protocol v0, such as OpenSSH without `AcceptEnv GIT_PROTOCOL`. Fetches the refs
    /// of `objects`, or the whole history if they are no refs.
    fn fetch_refs(&self, objects: &[&str]) -> Result<(), Error> {
        let refs = self.tips(None)?;
        let named = objects.iter().map(|object| {
            let mut refs = refs.iter();
            refs.find(|it| it.commit == *object || it.object == *object).map(|it| &*it.object)
        });
        let named: Option<Vec<&str>> = named.collect();
        let depth: &[&str] = if named.is_some() { &["--depth=1"] } else { &[] };
        let objects = named.unwrap_or_else(|| refs.iter().map(|it| &*it.object).collect());
        // A shallow repository would stay so.
        self.clear()?;
        self.prepare()?;
        self.git.output_for(&self.fetch_command(depth), lines(&objects)).map(drop)
    }

    /// Of objects on standard input.
    fn fetch_command<'c>(&'c self, options: &[&'c str]) -> Vec<&'c str> {
        let noop = ["-c", "fetch.negotiationAlgorithm=noop"];
        let local: &[&str] = if is_local(&self.url) { &[UPLOAD_PACK] } else { &[] };
        [&noop, &FETCH[..], options, local, &["--stdin", "--", &self.url]].concat()
    }

    fn entries(&self, commit: &str, folder: &Utf8Path) -> Result<Vec<TreeEntry>, Error> {
        let mut arguments = vec!["ls-tree", "-r", "-z", "--full-tree", commit];
        let lead = if folder.as_str().is_empty() { String::new() } else { format!("{folder}/") };
        if !lead.is_empty() {
            arguments.extend(["--", &lead]);
        }
        let output = self.git.output(&arguments)?;
        let records: Vec<&[u8]> =
            output.split(|byte| *byte == 0).filter(|it| !it.is_empty()).collect();
        if records.is_empty() {
            let message = format!("`{}` has no folder `{folder}` at {commit}", self.url);
            return Err(Error::usage(message, "correct `path`"));
        }
        if records.len() > MAX_FILES {
            return Err(self.refused(&format!("the pack has more than {MAX_FILES} files")));
        }
        let entries = records.into_iter().map(|record| self.entry(record, &lead));
        let entries = entries.collect::<Result<Vec<TreeEntry>, Error>>()?;
        let regular = entries.iter().filter(|entry| !entry.is_link);
        if let Some((one, other)) = names::collision(regular.map(|entry| &*entry.path)) {
            let why = format!(
                "`{}` and `{}` are one name on some systems",
                Visible(&one),
                Visible(&other)
            );
            return Err(self.refused(&why));
        }
        Ok(entries)
    }

    /// Parses `mode type hash\tpath`.
    fn entry(&self, record: &[u8], lead: &str) -> Result<TreeEntry, Error> {
        let Ok(record) = std::str::from_utf8(record) else {
            return Err(self.refused("the name of a file is not UTF-8"));
        };
        let unreadable = || self.refused("git lists its files in another way");
        let (facts, path) = record.split_once('\t').ok_or_else(unreadable)?;
        let path = path.strip_prefix(lead).ok_or_else(unreadable)?;
        let mut facts = facts.split(' ');
        let (mode, blob) = (facts.next().unwrap_or_default(), facts.nth(1).unwrap_or_default());
        let is_link = mode == "120000";
        let why = match mode {
            "100644" | "100755" | "100664" => names::refusal(path),
            _ if is_link => None,
            "160000" => Some("it is a submodule"),
            _ => Some("it is not a regular file"),
        };
        match why {
            Some(why) => Err(self.refused(&format!("`{}`: {why}", Visible(path)))),
            None => Ok(TreeEntry {
                path: path.to_owned(),
                blob: blob.to_owned(),
                is_link,
                is_executable: mode == "100755",
            }),
        }
    }

    /// Sizes of the blobs that have been fetched.
    fn sizes(&self, blobs: &BTreeSet<&str>) -> Result<BTreeMap<String, u64>, Error> {
        let all: Vec<&str> = blobs.iter().copied().collect();
        let output = self.git.output_for(&["cat-file", "--batch-check"], lines(&all))?;
        let text = String::from_utf8_lossy(&output);
        let size = |line: &str| {
            let mut facts = line.split(' ');
            let (blob, kind, size) = (facts.next()?, facts.next()?, facts.next()?);
            (kind == "blob").then_some((blob.to_owned(), size.parse().ok()?))
        };
        Ok(text.lines().filter_map(size).collect())
    }

    fn contents(&self, blobs: &BTreeSet<&str>) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        let all: Vec<&str> = blobs.iter().copied().collect();
        let output = self.git.output_for(&["cat-file", "--batch"], lines(&all))?;
        let mut contents = BTreeMap::new();
        let mut rest = &output[..];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let head = String::from_utf8_lossy(&rest[..end]);
            let mut facts = head.split(' ');
            let (blob, size) = (facts.next().unwrap_or_default(), facts.nth(1));
            let size: Option<usize> = size.and_then(|size| size.parse().ok());
            let bytes = size.and_then(|size| rest.get(end + 1..end + 1 + size));
            let Some(bytes) = bytes else {
                return Err(self.incomplete());
            };
            contents.insert(blob.to_owned(), bytes.to_vec());
            rest = rest.get(end + 2 + bytes.len()..).unwrap_or_default();
        }
        Ok(contents)
    }

    fn incomplete(&self) -> Error {
        let help =
            "run the command again; if that does not help, ask the maintainers of the repository";
        Error::Command {
            command: format!("git fetch {}", self.url),
            message: "the server did not send all files".to_owned(),
            help: Some(help.to_owned()),
        }
    }

    fn refused(&self, why: &str) -> Error {
        let message = format!("`{}` is refused: {why}", self.url);
        let help = "a pack is a folder of regular files; `--path FOLDER`, or `path` in the configuration, \
                    selects a part of the repository";
        Error::usage(message, help)
    }
}

/// Whether a link stays in the repository.
fn stays(path: &Utf8Path, target: &[u8]) -> bool {
    let target = std::str::from_utf8(target).unwrap_or("/");
    let is_relative = !target.starts_with('/') && !target.contains(['\\', ':', '\0']);
    is_relative && normalize(path.parent().unwrap_or(path), target).is_some()
}

fn remove(folder: &Utf8Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            std::fs::remove_file(folder)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
    .map_err(|source| Error::Io { action: "remove", path: folder.to_owned(), source })
}

fn lines(objects: &[&str]) -> Vec<u8> {
    objects.iter().flat_map(|object| object.bytes().chain([b'\n'])).collect()
}

type Triple = [u64; 3];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version(Triple);

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.strip_prefix('v').unwrap_or(text).split('.').collect();
        let [major, minor, patch] = parts[..] else { return None };
        Some(Self([major.parse().ok()?, minor.parse().ok()?, patch.parse().ok()?]))
    }
}

/// `^1.2` or `~1.2.3`, as in Cargo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    from: Version,
    below: Version,
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let (is_caret, rest) = match (text.strip_prefix('^'), text.strip_prefix('~')) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return None,
        };
        let parts = rest.strip_prefix('v').unwrap_or(rest).split('.').map(str::parse);
        let parts: Vec<u64> = parts.collect::<Result<_, _>>().ok()?;
        let mut from = [0; 3];
        from.get_mut(..parts.len())?.copy_from_slice(&parts);
        // The component that must not change.
        let fixed = match (is_caret, parts.len()) {
            (true, _) => parts.iter().position(|part| *part != 0).unwrap_or(parts.len() - 1),
            (false, 1) => 0,
            (false, _) => 1,
        };
        let mut below = [0; 3];
        below[..=fixed].copy_from_slice(&from[..=fixed]);
        below[fixed] = below[fixed].checked_add(1)?;
        Some(Self { from: Version(from), below: Version(below) })
    }

    fn has(self, version: Version) -> bool {
        self.from <= version && version < self.below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_cargo() {
        let has = |range: &str, version: &str| {
            Range::parse(range).unwrap().has(Version::parse(version).unwrap())
        };
        assert!(
            has("^1.2", "v1.2.0")
                && has("^1.2", "1.9.9")
                && has("^0.3.1", "0.3.2")
                && has("^0", "0.9.0")
        );
        assert!(!has("^1.2", "1.1.9") && !has("^1.2", "2.0.0") && !has("^0.3.1", "0.4.0"));
        assert!(has("~1.2", "1.2.7") && !has("~1.2", "1.3.0") && has("~1", "1.9.0"));
        assert_eq!(Range::parse("v1"), None);
        assert_eq!(Range::parse("^1.2.3.4"), None);
        assert_eq!(Range::parse("^18446744073709551615"), None);
        assert_eq!(Version::parse("v1.2.3-rc.1"), None);
    }
}
