//! Git remotes, and the pack store.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::project::TestProject;

pub(crate) const ASSEMBLE: [&str; 4] = ["assemble", "clerk", "--request", "x"];
pub(crate) const STYLE: &str = "contexts/standards/standards-style.md";

pub(crate) struct Remote {
    folder: TempDir,
}

impl Remote {
    pub(crate) fn new() -> Self {
        let remote = Self { folder: TempDir::with_prefix("faber-remote-").unwrap() };
        std::fs::create_dir(remote.work()).unwrap();
        remote.git(&["init", "-q", "-b", "main"]);
        remote
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("remote.git")
    }

    pub(crate) fn url(&self) -> String {
        self.work().to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = self.work().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    pub(crate) fn commit(&self, files: &[(&str, &str)]) {
        self.write(files);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "change"]);
    }

    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_with(arguments, "")
    }

    #[track_caller]
    pub(crate) fn git_with(&self, arguments: &[&str], input: &str) -> String {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        command.args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "-c",
            "commit.gpgsign=false",
        ]);
        command.args(["-c", "core.autocrlf=false", "-c", "core.protectNTFS=false"]);
        command.args(arguments).current_dir(self.work()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn commit_of(&self, reference: &str) -> String {
        self.git(&["rev-parse", &format!("{reference}^{{commit}}")])
    }

    pub(crate) fn commit_entries(&self, entries: &[(&str, &str, &str)]) {
        let mut tree = String::new();
        for (mode, path, text) in entries {
            let (kind, hash) = match *mode {
                "160000" => ("commit", (*text).to_owned()),
                "040000" => ("tree", (*text).to_owned()),
                _ => ("blob", self.git_with(&["hash-object", "-w", "--stdin"], text)),
            };
            let _ = write!(tree, "{mode} {kind} {hash}\t{path}\0");
        }
        let tree = self.git_with(&["mktree", "-z", "--missing"], &tree);
        let commit = self.git(&["commit-tree", "-m", "made", &tree]);
        self.git(&["update-ref", "refs/heads/main", &commit]);
    }

    pub(crate) fn vanish(&self) {
        std::fs::rename(self.work(), self.folder.path().join("gone")).unwrap();
    }
}

pub(crate) fn remote() -> Remote {
    let remote = Remote::new();
    remote.commit(&[(STYLE, "# Style\n\nLong names.\n"), ("README.md", "# Acme\n")]);
    remote.git(&["tag", "v1"]);
    remote
}

pub(crate) fn project() -> TestProject {
    TestProject::with_role().file("contexts/patterns/pattern-own.md", "# Own\n\nOurs.\n")
}

impl TestProject {
    /// Retries: an orphaned git may still write.
    pub(crate) fn forget_packs(&self) {
        while let Err(error) = std::fs::remove_dir_all(self.store()) {
            assert_ne!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
        }
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path("../home/.cache/faber/packs")
    }

    pub(crate) fn stored(&self, path: &str) -> PathBuf {
        let entries = std::fs::read_dir(self.store()).unwrap().map(|entry| entry.unwrap().path());
        let mut places = entries.map(|entry| entry.join(path)).filter(|place| place.exists());
        places.next().unwrap()
    }
}
