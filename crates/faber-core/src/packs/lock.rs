//! `faber.lock`: commits and file hashes of packs.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::json;

use super::{PackSource, names, skills};

const VERSION: &str = "version: 1";
const HEAD: &str = "# Written by `faber pack`. Keep it in version control.";
const DIGITS: usize = 64;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    pub packs: BTreeMap<String, LockedPack>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockedPack {
    pub source: String,
    pub path: String,
    pub reference: String,
    /// Of skills, the SHA-256 of the index.
    pub commit: String,
    /// Of skills, [`Self::digest`].
    pub tree: String,
    /// Of [`listing`].
    pub digest: String,
    /// Hexadecimal SHA-256 by path.
    pub files: BTreeMap<String, String>,
}

impl LockedPack {
    pub fn unpinned(source: &PackSource) -> Self {
        let (reference, path) = match source {
            PackSource::Git { reference, path, .. } => {
                (reference.clone().unwrap_or_default(), path.to_string())
            }
            PackSource::Skills(_) => (String::new(), skills::FOLDER.to_owned()),
            PackSource::Folder(_) => (String::new(), String::new()),
        };
        Self { source: source.address().to_owned(), reference, path, ..Self::default() }
    }

    pub fn declared(&self) -> PackSource {
        let url = self.source.clone();
        if self.tree == self.digest {
            return PackSource::Skills(url);
        }
        let reference = Some(self.reference.clone()).filter(|reference| !reference.is_empty());
        PackSource::Git { url, reference, path: self.path.as_str().into() }
    }

    pub fn is_of(&self, source: &PackSource) -> bool {
        let Self { source: address, reference, path, .. } = Self::unpinned(source);
        !matches!(source, PackSource::Folder(_))
            && [&self.source, &self.reference, &self.path] == [&address, &reference, &path]
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockError {
    pub line: usize,
    pub kind: LockErrorKind,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockErrorKind {
    Damaged,
    Conflict,
    Version,
}

pub fn json_schema() -> serde_json::Value {
    let text = |description: &str| json!({ "description": description, "type": "string" });
    let hash = |description: &str, pattern: &str| json!({ "description": description, "type": "string", "pattern": pattern });
    let (commit, sha256) = ("^([0-9a-f]{40}|[0-9a-f]{64})$", "^sha256:[0-9a-f]{64}$");
    let file = json!({ "type": "string", "pattern": sha256 });
    let pack = json!({
        "type": "object",
        "properties": {
            "source": text("The address of the repository."),
            "path": text("The folder of the pack in it; `.` for the whole."),
            "ref": text("As declared; `HEAD` for the remote's default branch."),
            "commit": hash("The commit that is used.", commit),
            "tree": hash("The tree of the commit.", commit),
            "digest": hash("The hash of the lines that `sha256sum` prints for the files.", sha256),
            "files": {
                "description": "The hash of each file, by path.",
                "type": "object",
                "additionalProperties": file,
            },
        },
        "required": ["source", "path", "ref", "commit", "tree", "digest", "files"],
        "additionalProperties": false,
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "faber.lock",
        "description": "The packs of a workspace, pinned. Written by `faber pack`.",
        "type": "object",
        "properties": {
            "version": { "const": 1 },
            "packs": {
                "description": "By name.",
                "type": "object",
                "propertyNames": { "pattern": "^[a-z0-9][a-z0-9-]{0,63}$" },
                "additionalProperties": pack,
            },
        },
        "required": ["version", "packs"],
        "additionalProperties": false,
    })
}

/// As of `sha256sum`.
pub fn listing(files: &BTreeMap<String, String>) -> String {
    files.iter().fold(String::new(), |mut text, (path, hash)| {
        let _ = writeln!(text, "{hash}  {path}");
        text
    })
}

impl Lock {
    pub fn print(&self) -> String {
        let mut out = format!("{HEAD}\n{VERSION}\n");
        out.push_str(if self.packs.is_empty() { "packs: {}\n" } else { "packs:\n" });
        for (name, pack) in &self.packs {
            let path = if pack.path.is_empty() { "." } else { &pack.path };
            let reference = if pack.reference.is_empty() { "HEAD" } else { &pack.reference };
            let LockedPack { source, commit, tree, digest, .. } = pack;
            let [source, path, reference] = [source, path, reference].map(scalar);
            let _ = write!(out, "  {name}:\n    source: {source}\n    path: {path}\n");
            let _ = write!(out, "    ref: {reference}\n    commit: {commit}\n    tree: {tree}\n");
            let _ = writeln!(out, "    digest: sha256:{digest}");
            out.push_str(if pack.files.is_empty() { "    files: {}\n" } else { "    files:\n" });
            for (path, hash) in &pack.files {
                let _ = writeln!(out, "      {}: sha256:{hash}", scalar(path));
            }
        }
        out
    }

    /// # Errors
    ///
    /// [`LockError`] at the first line that differs from [`Self::print`].
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut reader = LockReader { lines: text.lines().enumerate().peekable(), at: 0 };
        reader.head()?;
        let mut lock = Self::default();
        while let Some((name, pack)) = reader.pack()? {
            if lock.packs.last_key_value().is_some_and(|(last, _)| *last >= name) {
                return Err(reader.error(format!("`{name}` is out of order or a duplicate")));
            }
            lock.packs.insert(name, pack);
        }
        Ok(lock)
    }
}

fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "./_-@".contains(c);
    let colons = text.replace("://", "").replace(':', "/");
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '/');
    let is_number =
        text.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !text.contains('/');
    let is_word =
        ["true", "false", "null", "yes", "no", "on", "off"].contains(&&*text.to_ascii_lowercase());
    let ends = !text.ends_with(':') && !text.contains(": ");
    if starts && ends && !is_word && (!is_number || text == ".") && colons.chars().all(is_plain) {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}

fn unquoted(text: &str) -> Option<String> {
    if text.starts_with('"') { serde_json::from_str(text).ok() } else { Some(text.to_owned()) }
}

struct LockReader<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    at: usize,
}

impl<'a> LockReader<'a> {
    fn error(&self, message: impl Into<String>) -> LockError {
        self.error_of(LockErrorKind::Damaged, message)
    }

    fn error_of(&self, kind: LockErrorKind, message: impl Into<String>) -> LockError {
        LockError { line: self.at.max(1), kind, message: message.into() }
    }

    fn next(&mut self) -> Result<Option<&'a str>, LockError> {
        let Some((at, line)) = self.lines.next() else { return Ok(None) };
        self.at = at + 1;
        if ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().any(|mark| line.starts_with(mark)) {
            return Err(self.error_of(LockErrorKind::Conflict, "conflict markers of a merge"));
        }
        Ok(Some(line))
    }

    fn head(&mut self) -> Result<(), LockError> {
        let mut line = self.next()?;
        while line.is_some_and(|line| line.starts_with('#')) {
            line = self.next()?;
        }
        match line {
            Some(VERSION) => {}
            Some(line) if line.starts_with("version: ") => {
                let message = format!("unknown version of the format, `{line}`");
                return Err(self.error_of(LockErrorKind::Version, message));
            }
            _ => return Err(self.error(format!("`{VERSION}` is missing"))),
        }
        match self.next()? {
            Some("packs:") => Ok(()),
            Some("packs: {}") if self.lines.peek().is_none() => Ok(()),
            _ => Err(self.error("`packs:` is missing")),
        }
    }

    fn pack(&mut self) -> Result<Option<(String, LockedPack)>, LockError> {
        let Some(line) = self.next()? else { return Ok(None) };
        let name = line.strip_prefix("  ").and_then(|line| line.strip_suffix(':'));
        let Some(name) = name.filter(|name| names::is_name(name)) else {
            return Err(self.error("the name of a pack is missing"));
        };
        let mut pack = LockedPack {
            source: self.field("source")?,
            path: self.field("path")?,
            reference: self.field("ref")?,
            commit: self.field("commit")?,
            tree: self.field("tree")?,
            digest: self.field("digest")?,
            files: BTreeMap::new(),
        };
        if !(is_commit(&pack.commit) && is_commit(&pack.tree)) {
            return Err(self.error("a git hash has 40 or 64 lower-case hexadecimal digits"));
        }
        pack.digest = self.sha256(&pack.digest)?;
        if pack.path == "." {
            pack.path.clear();
        } else if names::refusal(&pack.path).is_some() {
            return Err(self.error(format!("`{}` is not a directory of a repository", pack.path)));
        }
        if pack.reference == "HEAD" {
            pack.reference.clear();
        }
        match self.next()? {
            Some("    files:") => self.files(&mut pack)?,
            Some("    files: {}") => {}
            line => return Err(self.missing("files", line)),
        }
        Ok(Some((name.to_owned(), pack)))
    }

    fn files(&mut self, pack: &mut LockedPack) -> Result<(), LockError> {
        while let Some((_, line)) = self.lines.peek()
            && let Some(rest) = line.strip_prefix("      ")
        {
            self.next()?;
            let entry = rest.rsplit_once(": ");
            let path = entry.and_then(|(path, hash)| Some((unquoted(path)?, hash)));
            let Some((path, hash)) = path else { return Err(self.error("a file has no hash")) };
            if let Some(why) = names::refusal(&path) {
                return Err(self.error(format!("invalid path `{path}`: {why}")));
            }
            if pack.files.last_key_value().is_some_and(|(last, _)| *last >= path) {
                return Err(self.error(format!("`{path}` is out of order or a duplicate")));
            }
            let hash = self.sha256(hash)?;
            pack.files.insert(path, hash);
        }
        Ok(())
    }

    fn field(&mut self, name: &str) -> Result<String, LockError> {
        let line = self.next()?;
        let value =
            line.and_then(|line| line.strip_prefix("    ")?.strip_prefix(name)?.strip_prefix(": "));
        let value = value.and_then(unquoted).filter(|value| !value.is_empty());
        value.ok_or_else(|| self.missing(name, line))
    }

    fn missing(&self, name: &str, line: Option<&str>) -> LockError {
        let key = line.and_then(|line| line.strip_prefix("    ")?.split_once(':'));
        self.error(match key {
            Some((key, _)) if key != name => format!("expected `{name}`, found `{key}`"),
            _ => format!("`{name}` is missing"),
        })
    }

    fn sha256(&self, text: &str) -> Result<String, LockError> {
        sha256_digits(text)
            .map(str::to_owned)
            .ok_or_else(|| self.error("a hash is `sha256:` and 64 digits"))
    }
}

pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && is_hex(text)
}

pub(super) fn sha256_digits(text: &str) -> Option<&str> {
    text.strip_prefix("sha256:").filter(|it| it.len() == DIGITS && is_hex(it))
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Lock {
        let pack = |source: &str, paths: &[&str]| LockedPack {
            source: source.to_owned(),
            path: String::new(),
            reference: "v2".to_owned(),
            commit: "a".repeat(40),
            tree: "b".repeat(40),
            digest: "c".repeat(64),
            files: paths.iter().map(|path| ((*path).to_owned(), "d".repeat(64))).collect(),
        };
        let base = pack(
            "https://git.example.com/acme/context.git",
            &["a b.md", "contexts/a.md", "true", "ü.md"],
        );
        let empty = pack("git@host:x/y.git", &[]);
        let packs = [("acme", base), ("empty", empty)];
        Lock { packs: packs.map(|(name, pack)| (name.to_owned(), pack)).into() }
    }

    #[test]
    fn what_is_written_is_read() {
        for lock in [sample(), Lock::default()] {
            let text = lock.print();
            assert_eq!(Lock::parse(&format!("\u{feff}{text}")), Ok(lock.clone()));
            assert_eq!(Lock::parse(&text), Ok(lock));
        }
        let mut skills = sample().packs["acme"].clone();
        skills.tree.clone_from(&skills.digest);
        skills = LockedPack { source: "https://x.example".into(), ..skills };
        let site = PackSource::Skills("https://x.example".to_owned());
        assert_eq!(skills.declared(), site);
        assert!(sample().packs.values().all(|pack| pack.is_of(&pack.declared())));
        let text = sample().print();
        assert!(text.contains("    source: https://git.example.com/acme/context.git\n    path: .\n    ref: v2\n    commit: a"));
        assert!(text.contains("\"a b.md\": sha256:d"), "{text}");
    }

    #[test]
    fn it_is_yaml() {
        let text = sample().print();
        let yaml: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        let files = yaml["packs"]["acme"]["files"].as_object().unwrap();
        let paths: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(paths.len(), 4);
        assert!(paths.contains(&"true") && paths.contains(&"a b.md"));
        assert_eq!(yaml["packs"]["empty"]["source"], "git@host:x/y.git");
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let text = sample().print();
        let why = |text: &str| Lock::parse(text).unwrap_err();
        assert!(why(&text.replace("version: 1", "version: 9")).message.contains("unknown version"));
        let conflict = text.replacen("  acme:", "<<<<<<< HEAD\n  acme:", 1);
        assert_eq!((why(&conflict).line, why(&conflict).message.contains("conflict")), (4, true));
        for (from, to) in [
            ("    tree: b", "    tre: b"),
            ("sha256:d", "sha256:D"),
            ("contexts/a.md", "../a.md"),
            ("  acme:", "  ../x:"),
            ("  empty:", "  aa:"),
            ("commit: aa", "commit: a"),
            ("packs:", "packs: {}"),
        ] {
            assert!(text.contains(from));
            assert!(Lock::parse(&text.replacen(from, to, 1)).is_err(), "{from}");
        }
        for end in 0..text.len() {
            if let Some(part) = text.get(..end) {
                let _ = Lock::parse(part);
            }
        }
        assert_eq!(why("").line, 1);
    }

    #[test]
    fn the_digest_is_of_lines_that_sha256sum_reads() {
        let files = [("b.md", "22"), ("a.md", "11")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(listing(&files.into()), "11  a.md\n22  b.md\n");
    }
}
