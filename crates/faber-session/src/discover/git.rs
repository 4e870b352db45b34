//! Starts all git processes. Hostile repositories must run no program.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::process::Command;
use std::time::Duration;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::discover::program::{self, ProgramLimits};
use crate::discover::root;
use crate::discover::snapshot::observation::is_plain;
use crate::hex::hex;
use faber_core::error::Error;
use faber_core::escape::{self, Visible};

/// `safe.bareRepository`: folders of the clone are no repositories.
const SETTINGS: &str = "core.attributesFile= core.fsmonitor=false core.hooksPath=/dev/null \
    core.pager=cat core.untrackedCache=false safe.bareRepository=explicit submodule.recurse=false";
const BARE: &str = "fetch.fsckObjects=true gc.auto=0 maintenance.auto=false \
    credential.interactive=false protocol.version=2 core.symlinks=false";

/// Git hooks inherit these.
const INHERITED: &str = "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_ATTR_SOURCE GIT_COMMON_DIR GIT_DIR \
    GIT_GRAFT_FILE GIT_INDEX_FILE GIT_NAMESPACE GIT_OBJECT_DIRECTORY GIT_PREFIX \
    GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE GIT_WORK_TREE";

const MAX_OUTPUT: u64 = 128 * 1024 * 1024;
/// Git hangs if a named pipe replaces one of its files.
const TIMEOUT: Duration = Duration::from_secs(30);
const CHUNK: usize = 64 * 1024;

/// Without programs, network and writes; or in faber's bare repository.
#[derive(Clone, Debug)]
pub struct Git {
    pub(super) tree: Utf8PathBuf,
    pub(super) timeout: Duration,
    protocols: &'static str,
    is_bare: bool,
    keys: Option<Utf8PathBuf>,
    ssh: Option<String>,
}

impl Git {
    /// `folder` is absolute, without links.
    pub fn around(folder: &Utf8Path) -> Option<Self> {
        let tree = root::repository(folder)?.to_owned();
        Some(Self { tree, timeout: TIMEOUT, protocols: "", is_bare: false, keys: None, ssh: None })
    }

    pub(super) fn bare(folder: &Utf8Path, protocols: &'static str, timeout: Duration) -> Self {
        let ssh = protocols.contains("ssh").then(ssh_command).flatten();
        Self { tree: folder.to_owned(), timeout, protocols, is_bare: true, keys: None, ssh }
    }

    /// # Errors
    ///
    /// [`Error::Command`] if git is missing, fails, takes 30 seconds or prints 128 MiB.
    pub fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        self.output_for(arguments, Vec::new())
    }

    pub(super) fn output_for(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Error> {
        let fail = |message: String| {
            let help = if message.ends_with(program::MISSING) {
                "install git, or add its directory to `PATH`"
            } else if message.contains("not allowed") && message.contains("transport") {
                "packs are fetched over https and ssh only; `git config --get-regexp 'url.*insteadof'` \
                 prints what git replaces in addresses"
            } else if self.is_bare {
                "check the address and your access; run the same git command by hand for details"
            } else {
                "`--changed` needs a git repository"
            };
            Error::Command {
                command: format!("git {}", arguments.join(" ")),
                message,
                help: Some(help.to_owned()),
            }
        };
        let limits = ProgramLimits { timeout: self.timeout, max_bytes: MAX_OUTPUT };
        let answer = program::run(&mut self.command(arguments), input, limits).map_err(fail)?;
        if answer.status.success() {
            return Ok(answer.output);
        }
        let lines = answer.errors.lines().map(str::trim_end);
        let lines: Vec<&str> =
            lines.filter(|it| !it.is_empty() && !it.starts_with("warning: ")).collect();
        let said = match &lines[..] {
            [] => answer.status.to_string(),
            [line] => Visible(line).to_string(),
            several => format!("\n    {}", escape::lines(&several.join("\n    "))),
        };
        Err(fail(said))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program::command("git");
        command.arg("--no-pager").args(SETTINGS.split(' ').flat_map(|setting| ["-c", setting]));
        if self.is_bare {
            command.args(BARE.split(' ').flat_map(|setting| ["-c", setting]));
            command.arg(format!("--git-dir={}", self.tree));
        }
        let folder = if self.is_bare { self.tree.parent() } else { None };
        command.args(arguments).current_dir(folder.unwrap_or(&self.tree));
        remove_inherited(&mut command);
        if let Some(keys) = &self.keys {
            command.env("GNUPGHOME", keys);
        }
        if let Some(above) = self.tree.parent() {
            command.env("GIT_CEILING_DIRECTORIES", above);
        }
        if !self.is_bare {
            command.env("GIT_WORK_TREE", ".");
        }
        if let Some(ssh) = &self.ssh {
            command.env("GIT_SSH_COMMAND", ssh);
        }
        command
            .env("GIT_NO_LAZY_FETCH", "1")
            // Before 2.44, git ignores `GIT_NO_LAZY_FETCH`.
            .env("GIT_ALLOW_PROTOCOL", self.protocols)
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C");
        command
    }
}

fn remove_inherited(command: &mut Command) {
    for name in INHERITED.split(' ') {
        command.env_remove(name);
    }
}

/// Not from the repository, which must not choose a program. `None` keeps the environment's.
fn ssh_command() -> Option<String> {
    if std::env::var_os("GIT_SSH_COMMAND").is_some() {
        return None;
    }
    let mut command = program::command("git");
    command.args(["config", "--global", "--includes", "--get", "core.sshCommand"]);
    remove_inherited(&mut command);
    let limits = ProgramLimits { timeout: TIMEOUT, max_bytes: 64 * 1024 };
    let answer = program::run(&mut command, Vec::new(), limits).ok();
    let users = answer.filter(|it| it.status.success()).map(|it| it.output);
    let users = users.and_then(|it| String::from_utf8(it).ok()).map(|it| it.trim().to_owned());
    let users = users.filter(|it| !it.is_empty());
    users.or_else(|| Some("ssh -oBatchMode=yes -oConnectTimeout=30".to_owned()))
}

pub(super) fn tracked_ignored(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Some(git) = Git::around(folder) else { return Vec::new() };
    let listing = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
    let paths = git.output(&listing).unwrap_or_default();
    let paths = records(&paths).filter(|path| !path.is_empty()).map(|path| git.tree.join(path));
    paths.filter(|path| path.starts_with(folder)).collect()
}

/// Sorted, relative to `root`. CRLF equals LF, and a Git LFS file its pointer. Files with other
/// filters count as changed.
///
/// # Errors
///
/// [`Error::Command`] if git fails, else [`Error::Usage`].
pub fn changed(root: &Utf8Path, revision: &str) -> Result<Vec<String>, Error> {
    let git = Git::around(root).ok_or_else(|| {
        let message = format!("`{root}` is not in a git repository");
        Error::usage(message, "`--changed` needs git; name the files instead")
    })?;
    let below = root.strip_prefix(&git.tree).unwrap_or(root).as_str().replace('\\', "/");
    let folder = if below.is_empty() { "./".to_owned() } else { format!("{below}/") };
    let committed = match commit(&git, revision)? {
        Some(commit) => {
            let mut listing = vec!["ls-tree", "-r", "-z", "--full-tree", &commit];
            if !below.is_empty() {
                listing.push(&folder);
            }
            git.output(&listing)?
        }
        None => Vec::new(),
    };
    let present = ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard", "--"];
    let present = git.output(&[&present[..], &[&folder]].concat())?;
    let lead = if below.is_empty() { "" } else { &folder };
    let committed: Vec<Committed<'_>> =
        records(&committed).filter_map(|record| Committed::read(record, lead)).collect();
    let present: Vec<(u8, &str)> = records(&present)
        .filter_map(|record| {
            let name = record.get(2..)?.strip_prefix(lead)?;
            Some((record.as_bytes()[0], name))
        })
        .collect();
    Ok(differing(root, &committed, &present))
}

/// Relative to the repository.
///
/// # Errors
///
/// [`Error::Command`] if git fails.
pub fn removed(root: &Utf8Path, revision: &str) -> Result<Vec<String>, Error> {
    let Some(git) = Git::around(root) else { return Ok(Vec::new()) };
    let Some(commit) = commit(&git, revision)? else { return Ok(Vec::new()) };
    let listing = ["diff-index", "--cached", "--diff-filter=D", "--no-renames", "--name-only"];
    let mut names = git.output(&[&listing[..], &["-z", &commit]].concat())?;
    // `git commit -a` or `git commit FILE` removes these.
    names.extend(git.output(&["ls-files", "-z", "--deleted"])?);
    Ok(records(&names).filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn commit(git: &Git, revision: &str) -> Result<Option<String>, Error> {
    let answer = git.output(&["rev-parse", "--verify", "--end-of-options", revision]);
    match answer {
        Ok(commit) => Ok(Some(String::from_utf8_lossy(&commit).trim().to_owned())),
        Err(Error::Command { message, .. }) if message.ends_with("Needed a single revision") => {
            if revision == "HEAD" && git.output(&["symbolic-ref", "--quiet", "HEAD"]).is_ok() {
                return Ok(None);
            }
            let is_shallow = git.output(&["rev-parse", "--is-shallow-repository"]);
            let help = if is_shallow.is_ok_and(|answer| answer.starts_with(b"true")) {
                "the clone is shallow: fetch more commits, with `fetch-depth: 0` in GitHub Actions"
            } else {
                "use one commit, branch or tag"
            };
            Err(Error::usage(format!("unknown git revision `{revision}`"), help))
        }
        Err(other) => Err(other),
    }
}

fn records(output: &[u8]) -> impl Iterator<Item = &str> {
    output.split(|byte| *byte == 0).filter_map(|record| std::str::from_utf8(record).ok())
}

struct Committed<'a> {
    path: &'a str,
    blob: Option<&'a str>,
}

impl<'a> Committed<'a> {
    fn read(record: &'a str, lead: &str) -> Option<Self> {
        let (facts, path) = record.split_once('\t')?;
        let mut facts = facts.split(' ').skip(1);
        let blob = (facts.next()? == "blob").then(|| facts.next()).flatten();
        Some(Self { path: path.strip_prefix(lead)?, blob })
    }
}

fn differing(root: &Utf8Path, committed: &[Committed<'_>], present: &[(u8, &str)]) -> Vec<String> {
    let left_out: HashSet<&str> =
        present.iter().filter(|(tag, _)| *tag == b'S').map(|(_, name)| *name).collect();
    let known: HashSet<&str> = committed.iter().map(|file| file.path).collect();
    let folders = committed.iter().map(|file| folder_of(file.path));
    let folders = folders.chain(present.iter().map(|(_, name)| folder_of(name)));
    let folders: BTreeSet<&str> = folders.collect();
    let plain = folders.into_iter().map(|folder| (folder, has_no_links(root, folder)));
    let plain: HashMap<&str, bool> = plain.collect();
    let there = |name: &str| {
        let found = plain[folder_of(name)].then(|| root.join(name).symlink_metadata().ok())??;
        Some(found).filter(|found| !found.is_dir())
    };
    let differs = |file: &Committed<'_>| {
        let Some(blob) = file.blob else { return false };
        match there(file.path) {
            Some(_) => !is_blob(&root.join(file.path), blob),
            None => !left_out.contains(file.path),
        }
    };
    let differing = committed.par_iter().filter(|file| differs(file));
    let mut names: BTreeSet<String> = differing.map(|file| file.path.to_owned()).collect();
    let added = present.iter().map(|(_, name)| *name);
    let added = added.filter(|name| !known.contains(name) && there(name).is_some());
    names.extend(added.map(str::to_owned));
    names.into_iter().collect()
}

fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn has_no_links(root: &Utf8Path, folder: &str) -> bool {
    let steps = Utf8Path::new(folder).components();
    let below = steps.into_iter().all(|step| matches!(step, Utf8Component::Normal(_)));
    below && is_plain(&root.join(folder)).unwrap_or(false)
}

fn is_blob(path: &Utf8Path, blob: &str) -> bool {
    let same = match blob.len() {
        40 => has_hash::<Sha1>(path, blob),
        _ => has_hash::<Sha256>(path, blob),
    };
    same.unwrap_or(false)
}

fn has_hash<D: Digest>(path: &Utf8Path, blob: &str) -> io::Result<bool> {
    let metadata = path.symlink_metadata()?;
    if metadata.is_symlink() {
        let target = path.read_link_utf8()?;
        let target = target.as_str().as_bytes();
        return Ok(hex(header::<D>(target.len() as u64).chain_update(target).finalize()) == blob);
    }
    if !metadata.is_file() {
        return Ok(false);
    }
    let mut own = header::<D>(metadata.len());
    let (mut pairs, mut last) = (0, 0);
    chunks(path, |chunk| {
        own.update(chunk);
        pairs += line_ends(last, chunk);
        last = chunk.last().copied().unwrap_or(last);
    })?;
    if hex(own.finalize()) == blob {
        return Ok(true);
    }
    let mut unix = header::<D>(metadata.len().saturating_sub(pairs));
    let mut content = Sha256::new();
    let mut held = false;
    let mut text = Vec::with_capacity(CHUNK + 1);
    chunks(path, |chunk| {
        content.update(chunk);
        held = with_unix_line_ends(held, chunk, &mut text);
        unix.update(&text);
    })?;
    if held {
        unix.update(b"\r");
    }
    let content = hex(content.finalize());
    let length = metadata.len();
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{content}\nsize {length}\n"
    );
    let pointer = header::<D>(pointer.len() as u64).chain_update(pointer);
    Ok(hex(unix.finalize()) == blob || hex(pointer.finalize()) == blob)
}

fn header<D: Digest>(length: u64) -> D {
    D::new_with_prefix(format!("blob {length}\0"))
}

fn chunks(path: &Utf8Path, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; CHUNK];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            length => take(&buffer[..length]),
        }
    }
}

fn line_ends(last: u8, chunk: &[u8]) -> u64 {
    let ends = memchr::memchr_iter(b'\n', chunk);
    let before = |at: usize| at.checked_sub(1).map_or(last, |before| chunk[before]);
    ends.filter(|&at| before(at) == b'\r').count() as u64
}

fn with_unix_line_ends(held: bool, chunk: &[u8], text: &mut Vec<u8>) -> bool {
    text.clear();
    let mut held = held;
    for &byte in chunk {
        if held && byte != b'\n' {
            text.push(b'\r');
        }
        held = byte == b'\r';
        if !held {
            text.push(byte);
        }
    }
    held
}

pub mod remote;
mod signature;

#[cfg(test)]
mod tests;
