//! Fetching one folder of one commit of a remote repository, as bytes.
//!
//! Nothing is ever checked out or archived, for attributes of the repository would rewrite contents then. A commit is
//! always found by a ref: a hash alone may come from a fork.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::Git;
use crate::discover::lock;
use crate::hex::sha256;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::packs::declare::is_local;
use faber_core::packs::lock::is_commit;
use faber_core::packs::names::{self, MAX_BYTES, MAX_FILES};

/// How long one command of git may take that asks a remote.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long another process may fetch from the same remote.
const TURN: Duration = Duration::from_secs(600);
/// How the pointer to a file of Git LFS begins.
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/v1";

/// A remote repository, with a bare one of faber into which its objects are fetched.
#[derive(Debug)]
pub struct Remote {
    url: String,
    git: Git,
    /// No other process fetches into the same repository meanwhile.
    _lock: Option<std::fs::File>,
}

/// The files of a folder of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedPack {
    pub commit: String,
    pub tree: String,
    /// The bytes by path, from the folder.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// A file of a tree.
struct TreeEntry {
    path: String,
    blob: String,
}

impl Remote {
    /// The repository at `url`, an address or an absolute path, with objects kept in a folder of `store`.
    ///
    /// # Errors
    ///
    /// When git is missing or the store cannot be written.
    pub fn open(store: &Utf8Path, url: &str) -> Result<Self, Error> {
        let folder = store.join("git");
        let fail = |source| Error::Io { action: "create", path: folder.clone(), source };
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let name = &sha256(url.as_bytes())[..32];
        let held = lock::soon(&folder.join(format!("{name}.lock")), TURN).map_err(fail)?;
        let protocols = if is_local(url) { "file" } else { "https:ssh" };
        let git = Git::bare(&folder.join(format!("{name}.git")), protocols, PATIENCE);
        git.output(&["init", "-q", "--bare", "--template="])?;
        // A killed git leaves its locks behind; no other process writes now.
        for left in ["shallow.lock", "config.lock", "packed-refs.lock"] {
            let _ = std::fs::remove_file(folder.join(format!("{name}.git")).join(left));
        }
        Ok(Self { url: url.to_owned(), git, _lock: held })
    }

    /// The commit that a ref names now: a tag before a branch, the highest tag in a range of versions, the remote's
    /// `HEAD` without a ref. A commit has to be of the history of a branch or tag.
    ///
    /// # Errors
    ///
    /// When git cannot ask, or nothing has this name.
    pub fn resolve(&self, reference: &str) -> Result<String, Error> {
        let unknown = || {
            let message = format!("`{}` has no branch, tag or commit `{reference}`", self.url);
            Error::usage(message, "name another `ref`, or none for the default branch")
        };
        if reference.is_empty() {
            let refs = self.refs(&["HEAD"])?;
            return refs.get("HEAD").cloned().ok_or_else(unknown);
        }
        if is_commit(reference) {
            let known = self.is_reachable(reference, None)?;
            return if known { Ok(reference.to_owned()) } else { Err(unknown()) };
        }
        if let Some(range) = Range::parse(reference) {
            let tags = self.refs(&["refs/tags/*"])?;
            let versions = tags.iter().filter_map(|(name, commit)| {
                let version = Version::parse(name.strip_prefix("refs/tags/")?)?;
                range.has(version).then_some((version, commit))
            });
            return versions.max().map(|(_, commit)| commit.clone()).ok_or_else(unknown);
        }
        let full = [format!("refs/tags/{reference}"), format!("refs/heads/{reference}")];
        let refs = self.refs(&[&full[0], &format!("{}^{{}}", full[0]), &full[1]])?;
        full.iter().find_map(|name| refs.get(name)).cloned().ok_or_else(unknown)
    }

    /// The commits of refs; an annotated tag is the commit that it names.
    fn refs(&self, patterns: &[&str]) -> Result<BTreeMap<String, String>, Error> {
        let arguments = [&["ls-remote", "-q", "--", &self.url], patterns].concat();
        let output = self.git.output(&arguments)?;
        let mut refs = BTreeMap::new();
        for line in String::from_utf8_lossy(&output).lines() {
            let Some((commit, name)) = line.split_once('\t') else { continue };
            if !is_commit(commit) {
                continue;
            }
            // The line of an annotated tag comes before that of its commit.
            let name = name.strip_suffix("^{}").unwrap_or(name);
            refs.insert(name.to_owned(), commit.to_owned());
        }
        Ok(refs)
    }

    /// Whether a commit is in the history of a ref, or of any branch or tag.
    ///
    /// # Errors
    ///
    /// When git cannot ask.
    pub fn is_reachable(&self, commit: &str, reference: Option<&str>) -> Result<bool, Error> {
        let refs = match reference {
            None => self.refs(&["refs/heads/*", "refs/tags/*"])?,
            Some(reference) => {
                let tip = self.resolve(reference)?;
                BTreeMap::from([(String::new(), tip)])
            }
        };
        let tips: BTreeSet<&str> = refs.values().map(String::as_str).collect();
        if tips.contains(commit) {
            return Ok(true);
        }
        // Commits alone, and all of them: what was fetched before is cut off at its first commit.
        let folder = Utf8PathBuf::from(format!("{}-history", self.git.tree));
        let git = Git { tree: folder, ..self.git.clone() };
        git.output(&["init", "-q", "--bare", "--template="])?;
        let fetch =
            ["fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
        let tips = tips.into_iter().collect::<Vec<_>>();
        let arguments = [&fetch[..], &["--filter=tree:0", "--", &self.url], &tips].concat();
        git.output(&arguments)?;
        let is_ancestor =
            |tip: &&str| git.output(&["merge-base", "--is-ancestor", commit, tip]).is_ok();
        Ok(tips.iter().any(is_ancestor))
    }

    /// The files below `folder` of a commit that [`Self::resolve`] or [`Self::is_reachable`] knows.
    ///
    /// # Errors
    ///
    /// When git cannot fetch it, or the files are not those of a pack: see [`names`].
    pub fn fetch(&self, commit: &str, folder: &Utf8Path) -> Result<FetchedPack, Error> {
        if self.git.output(&["cat-file", "-e", &format!("{commit}^{{tree}}")]).is_err() {
            self.fetch_objects(&["--depth=1"], &[commit])?;
        }
        let tree = self.git.output(&["rev-parse", "--verify", &format!("{commit}^{{tree}}")])?;
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
            return Err(self.refused("the remote does not give all files"));
        };
        if total > MAX_BYTES {
            let limit = MAX_BYTES / 1024 / 1024;
            return Err(self.refused(&format!("the pack has more than {limit} MiB")));
        }
        let contents = self.contents(&blobs)?;
        let mut files = BTreeMap::new();
        for entry in &entries {
            let Some(bytes) = contents.get(&entry.blob) else {
                return Err(self.refused("git does not give all files"));
            };
            if bytes.starts_with(LFS) {
                return Err(self.refused(&format!("`{}` is kept in Git LFS", entry.path)));
            }
            files.insert(entry.path.clone(), bytes.clone());
        }
        Ok(FetchedPack { commit: commit.to_owned(), tree, files })
    }

    /// Requires that an SSH key signed the annotated tag that `reference` names, or the commit.
    ///
    /// # Errors
    ///
    /// When it did not.
    pub fn verify(&self, commit: &str, reference: &str, key: &str) -> Result<(), Error> {
        let tag = format!("refs/tags/{reference}");
        let lines = self.git.output(&["ls-remote", "-q", "--", &self.url, &tag])?;
        let lines = String::from_utf8_lossy(&lines);
        let tag = lines.split('\t').next().filter(|object| is_commit(object) && *object != commit);
        self.fetch_objects(&["--depth=1"], &[tag.unwrap_or(commit)])?;
        let signers = Utf8PathBuf::from(format!("{}-signers", self.git.tree));
        let fail = |source| Error::Io { action: "write", path: signers.clone(), source };
        std::fs::write(&signers, format!("* {key}\n")).map_err(fail)?;
        let file = format!("gpg.ssh.allowedSignersFile={signers}");
        let is_signed = |what: &str, object: &str| {
            // A signature of another kind is none by this key.
            let others = ["-c", "gpg.program=false", "-c", "gpg.x509.program=false"];
            let own = ["-c", "gpg.ssh.program=ssh-keygen", "-c", &file, what, object];
            self.git.output(&[&others[..], &own].concat()).is_ok()
        };
        if tag.is_some_and(|tag| is_signed("verify-tag", tag)) || is_signed("verify-commit", commit)
        {
            return Ok(());
        }
        let message =
            format!("`{}` is refused: `signed_by` did not sign {commit}, nor its tag", self.url);
        Err(Error::usage(message, "ask who publishes the pack; `ssh-keygen` has to be installed"))
    }

    fn fetch_objects(&self, options: &[&str], objects: &[&str]) -> Result<(), Error> {
        let fetch = [
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "-q",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--filter=blob:none",
            "--stdin",
        ];
        let arguments = [&fetch[..], options, &["--", &self.url]].concat();
        self.git.output_for(&arguments, lines(objects)).map(drop)
    }

    /// The files below a folder, from there, none of them refused.
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
        if let Some((one, other)) = names::collision(entries.iter().map(|entry| &*entry.path)) {
            let why = format!(
                "`{}` and `{}` are one name on some systems",
                Visible(&one),
                Visible(&other)
            );
            return Err(self.refused(&why));
        }
        Ok(entries)
    }

    /// Reads a record of `ls-tree`: mode, type and hash, then a tab and the path.
    fn entry(&self, record: &[u8], lead: &str) -> Result<TreeEntry, Error> {
        let Ok(record) = std::str::from_utf8(record) else {
            return Err(self.refused("the name of a file is not UTF-8"));
        };
        let unreadable = || self.refused("git lists its files in another way");
        let (facts, path) = record.split_once('\t').ok_or_else(unreadable)?;
        let path = path.strip_prefix(lead).ok_or_else(unreadable)?;
        let mut facts = facts.split(' ');
        let (mode, blob) = (facts.next().unwrap_or_default(), facts.nth(1).unwrap_or_default());
        let why = match mode {
            "100644" | "100755" | "100664" => names::refusal(path),
            "120000" => Some("it is a link"),
            "160000" => Some("it is a submodule"),
            _ => Some("it is not a regular file"),
        };
        match why {
            Some(why) => Err(self.refused(&format!("`{}`: {why}", Visible(path)))),
            None => Ok(TreeEntry { path: path.to_owned(), blob: blob.to_owned() }),
        }
    }

    /// The sizes of the blobs that are here.
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

    /// The bytes of blobs that are here.
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
                return Err(self.refused("git does not give all files"));
            };
            contents.insert(blob.to_owned(), bytes.to_vec());
            rest = rest.get(end + 2 + bytes.len()..).unwrap_or_default();
        }
        Ok(contents)
    }

    fn refused(&self, why: &str) -> Error {
        let message = format!("`{}` is refused: {why}", self.url);
        Error::usage(message, "a pack is a folder of regular files; name another one with `path`")
    }
}

fn lines(objects: &[&str]) -> Vec<u8> {
    objects.iter().flat_map(|object| object.bytes().chain([b'\n'])).collect()
}

/// A released version, as tags name it: `v1.2.3`.
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

/// The versions from one on, below another: `^1.2` and `~1.2.3`, as Cargo reads them.
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
        // The first part that may not change: the first that is not 0, the minor one, or what there is.
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
