//! Reads blobs, since checkouts apply attributes. Commits must be reachable from a ref: others may
//! come from a fork.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

use super::Git;
use crate::discover::failed;
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
const TURN: Duration = Duration::from_secs(600);
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/v1";

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
    pub files: PackFiles,
    pub links: Vec<String>,
}

const FETCH: &str = "fetch -q --no-tags --no-write-fetch-head --no-recurse-submodules \
    --no-auto-maintenance";

const UNADVERTISED: &str = "unadvertised object";

/// For local paths. `env` replaces a configured program.
const UPLOAD_PACK: &str = "--upload-pack=git -c uploadpack.packObjectsHook=env upload-pack";

struct RemoteRef {
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
    object: String,
    pub commit: String,
    is_tag: bool,
    pub tags: Vec<Tag>,
}

struct TreeEntry {
    path: String,
    blob: String,
    is_link: bool,
    is_executable: bool,
}

impl Remote {
    pub(crate) fn open(store: &Utf8Path, url: &str) -> Result<Self, Error> {
        let folder = store.join("git");
        let fail = failed("create", &folder);
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let name = &sha256(url.as_bytes())[..32];
        let lock = lock::exclusive_within(&folder.join(format!("{name}.lock")), TURN);
        let Some(lock) = lock.map_err(fail)? else {
            let message =
                format!("another faber process has been fetching from `{url}` for minutes");
            return Err(Error::usage(message, "stop it, then run the command again"));
        };
        let protocols = if is_local(url) { "file" } else { "https:ssh" };
        if lock.metadata().is_ok_and(|it| it.len() == 0) {
            let _ = (&lock).write_all(url.as_bytes());
        }
        let _ = lock.set_modified(SystemTime::now());
        let git = Git::bare(&folder.join(format!("{name}.git")), protocols, TIMEOUT);
        Ok(Self { url: url.to_owned(), git, _lock: lock })
    }

    pub(super) fn prepare(&self) -> Result<(), Error> {
        for left in ["HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock"] {
            let _ = std::fs::remove_file(self.git.tree.join(left));
        }
        let init = || self.git.output(&["init", "-q", "--bare", "--template="]).map(drop);
        init().or_else(|_| {
            remove(&self.git.tree)?;
            init()
        })
    }

    /// Defaults to `HEAD`.
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
        let alone = |RemoteRef { object, commit }, is_tag| {
            let tags = Vec::new();
            ResolvedRef { object, commit, is_tag, tags }
        };
        if is_commit(reference) {
            let known = self.is_reachable(reference, None)?;
            let target = RemoteRef { object: reference.to_owned(), commit: reference.to_owned() };
            return known.then(|| alone(target, false)).ok_or_else(unknown);
        }
        if Range::parse(reference).is_some() {
            let tags = self.tags(reference)?;
            let Some(highest) = tags.last() else {
                let message = format!("`{}` has no tag in the range `{reference}`", self.url);
                let help = "tags of a range are versions such as `v1.2.3`";
                return Err(Error::usage(message, help));
            };
            let Tag { object, commit, .. } = highest.clone();
            return Ok(ResolvedRef { object, commit, is_tag: true, tags });
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
        let target = names.iter().find_map(|name| {
            refs.remove(name).map(|target| alone(target, name.starts_with("refs/tags/")))
        });
        target.ok_or_else(unknown)
    }

    /// Explains why the ref no longer leads to its former commit. `None` if the history cannot be
    /// fetched.
    pub(crate) fn moved(
        &self,
        reference: &str,
        resolved: &ResolvedRef,
        former: &str,
    ) -> Option<String> {
        let ResolvedRef { object, commit, is_tag, tags } = resolved;
        if commit == former || is_commit(reference) || tags.iter().any(|tag| tag.commit == former) {
            return None;
        }
        if !tags.is_empty() {
            return Some(format!("a tag of the range `{reference}` was moved or deleted"));
        }
        if *is_tag {
            return Some(format!("the tag `{reference}` was moved"));
        }
        let tip = RemoteRef { object: object.clone(), commit: commit.clone() };
        let history = self.history(&[tip]).ok()?;
        let branch = if reference.is_empty() { "HEAD" } else { reference };
        let is_known = history.iter().any(|(known, _)| known == former);
        (!is_known).then(|| format!("the history of `{branch}` was rewritten"))
    }

    pub(crate) fn tags(&self, reference: &str) -> Result<Vec<Tag>, Error> {
        let range = Range::parse(reference);
        let pattern = if range.is_some() { "*" } else { reference };
        let refs = self.refs(&[&format!("refs/tags/{pattern}")])?.into_iter();
        let tags = refs.filter_map(|(name, RemoteRef { object, commit })| {
            let name = name.strip_prefix("refs/tags/")?.to_owned();
            let version = version(&name);
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
        // The repository may have damaged objects.
        let git = Git { tree: format!("{}-none", self.git.tree).into(), ..self.git.clone() };
        let output = git.output(&arguments)?;
        let mut refs: BTreeMap<String, RemoteRef> = BTreeMap::new();
        for line in String::from_utf8_lossy(&output).lines() {
            let pair = line.split_once('\t').filter(|(hash, _)| is_commit(hash));
            let Some((hash, name)) = pair else { continue };
            let name = name.strip_suffix("^{}").unwrap_or(name).to_owned();
            let target = RemoteRef { object: hash.to_owned(), commit: hash.to_owned() };
            hash.clone_into(&mut refs.entry(name).or_insert(target).commit);
        }
        Ok(refs)
    }

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

    fn history(&self, tips: &[RemoteRef]) -> Result<Vec<(String, String)>, Error> {
        let history = Utf8PathBuf::from(format!("{}-history", self.git.tree));
        remove(&history)?;
        let git = Git { tree: history.clone(), ..self.git.clone() };
        git.output(&["init", "-q", "--bare", "--template="])?;
        // Servers of protocol v0 give only objects of refs.
        let tips: BTreeSet<&str> = tips.iter().map(|tip| &*tip.object).collect();
        let tips = lines(&tips);
        git.output_for(&self.fetch_command(&["--filter=tree:0"]), tips.clone())?;
        let commits = git.output_for(&["rev-list", "--format=%H %T", "--stdin"], tips)?;
        remove(&history)?;
        let pair = |line: &str| line.split_once(' ').map(|(one, two)| (one.into(), two.into()));
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
            Err(Error::Command { .. }) => {
                remove(&self.git.tree)?;
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
        let total: Option<u64> = entries.iter().map(size).sum();
        let total = total.ok_or_else(|| self.incomplete())?;
        if total > MAX_BYTES {
            let limit = MAX_BYTES / 1024 / 1024;
            return Err(self.refused(&format!("the pack has more than {limit} MiB")));
        }
        let contents = self.contents(&blobs)?;
        let (mut files, mut links) = (BTreeMap::new(), Vec::new());
        for entry in &entries {
            let bytes = contents.get(&entry.blob).ok_or_else(|| self.incomplete())?;
            if entry.is_link {
                if !stays(&folder.join(&entry.path), bytes) {
                    let path = Visible(&entry.path);
                    let why = format!("`{path}`: it is a link out of the repository");
                    return Err(self.refused(&why));
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

    pub(super) fn fetch_objects(&self, options: &[&str], objects: &[&str]) -> Result<(), Error> {
        let filter = [&["--filter=blob:none"], options].concat();
        match self.git.output_for(&self.fetch_command(&filter), lines(objects)) {
            Err(Error::Command { message, .. }) if message.contains(UNADVERTISED) => {
                self.fetch_refs(objects)
            }
            fetched => fetched.map(drop),
        }
    }

    /// For protocol v0, as with OpenSSH without `AcceptEnv GIT_PROTOCOL`.
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
        remove(&self.git.tree)?;
        self.prepare()?;
        self.git.output_for(&self.fetch_command(depth), lines(&objects)).map(drop)
    }

    fn fetch_command<'c>(&'c self, options: &[&'c str]) -> Vec<&'c str> {
        let noop = ["-c", "fetch.negotiationAlgorithm=noop"];
        let local: &[&str] = if is_local(&self.url) { &[UPLOAD_PACK] } else { &[] };
        let fetch: Vec<&str> = FETCH.split(' ').collect();
        [&noop, &fetch[..], options, local, &["--stdin", "--", &self.url]].concat()
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
            let commit = commit.get(..12).unwrap_or(commit);
            if lead.is_empty() {
                let message = format!("the repository `{}` is empty at {commit}", self.url);
                return Err(Error::usage(message, "commit its files, or name another `ref`"));
            }
            let message = format!("`{}` has no directory `{folder}` at {commit}", self.url);
            return Err(Error::usage(message, "correct `path`"));
        }
        if records.len() > MAX_FILES {
            return Err(self.refused(&format!("the pack has more than {MAX_FILES} files")));
        }
        let entries = records.into_iter().map(|record| self.entry(record, &lead));
        let entries = entries.collect::<Result<Vec<TreeEntry>, Error>>()?;
        let regular = entries.iter().filter(|entry| !entry.is_link);
        if let Some((one, other)) = names::collision(regular.map(|entry| &*entry.path)) {
            let (one, other) = (Visible(&one), Visible(&other));
            let why = format!("`{one}` and `{other}` are one name on some systems");
            return Err(self.refused(&why));
        }
        Ok(entries)
    }

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

    fn sizes(&self, blobs: &BTreeSet<&str>) -> Result<BTreeMap<String, u64>, Error> {
        let output = self.git.output_for(&["cat-file", "--batch-check"], lines(blobs))?;
        let text = String::from_utf8_lossy(&output);
        let size = |line: &str| {
            let mut facts = line.split(' ');
            let (blob, kind, size) = (facts.next()?, facts.next()?, facts.next()?);
            (kind == "blob").then_some((blob.to_owned(), size.parse().ok()?))
        };
        Ok(text.lines().filter_map(size).collect())
    }

    fn contents(&self, blobs: &BTreeSet<&str>) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        let output = self.git.output_for(&["cat-file", "--batch"], lines(blobs))?;
        let mut contents = BTreeMap::new();
        let mut rest = &output[..];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let head = String::from_utf8_lossy(&rest[..end]);
            let mut facts = head.split(' ');
            let (blob, size) = (facts.next().unwrap_or_default(), facts.nth(1));
            let size: Option<usize> = size.and_then(|size| size.parse().ok());
            let bytes = size.and_then(|size| rest.get(end + 1..end + 1 + size));
            let bytes = bytes.ok_or_else(|| self.incomplete())?;
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
    .map_err(failed("remove", folder))
}

fn lines<'o>(objects: impl IntoIterator<Item = &'o &'o str>) -> Vec<u8> {
    objects.into_iter().flat_map(|object| object.bytes().chain([b'\n'])).collect()
}

type Version = [u64; 3];

fn version(text: &str) -> Option<Version> {
    let parts: Vec<&str> = text.strip_prefix('v').unwrap_or(text).split('.').collect();
    let [major, minor, patch] = parts[..] else { return None };
    Some([major.parse().ok()?, minor.parse().ok()?, patch.parse().ok()?])
}

/// `^1.2` or `~1.2.3`, as in Cargo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    from: Version,
    below: Version,
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let (is_caret, rest) = match text.split_at_checked(1)? {
            ("^", rest) => (true, rest),
            ("~", rest) => (false, rest),
            _ => return None,
        };
        let parts = rest.strip_prefix('v').unwrap_or(rest).split('.').map(str::parse);
        let parts: Vec<u64> = parts.collect::<Result<_, _>>().ok()?;
        let mut from = [0; 3];
        from.get_mut(..parts.len())?.copy_from_slice(&parts);
        let fixed = match (is_caret, parts.len()) {
            (true, _) => parts.iter().position(|part| *part != 0).unwrap_or(parts.len() - 1),
            (false, 1) => 0,
            (false, _) => 1,
        };
        let mut below = [0; 3];
        below[..=fixed].copy_from_slice(&from[..=fixed]);
        below[fixed] = below[fixed].checked_add(1)?;
        Some(Self { from, below })
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
            Range::parse(range).unwrap().has(super::version(version).unwrap())
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
        assert_eq!(version("v1.2.3-rc.1"), None);
    }
}
