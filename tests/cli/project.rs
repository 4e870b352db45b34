//! Test projects.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// In a temporary folder, with an empty home next to it.
pub(crate) struct TestProject {
    folder: TempDir,
    env: Vec<(String, String)>,
}

impl TestProject {
    pub(crate) fn empty() -> Self {
        let folder = TempDir::with_prefix("faber-test-").unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder, env: Vec::new() }
    }

    pub(crate) fn new() -> Self {
        Self::empty().dir(".faber")
    }

    pub(crate) fn with_role() -> Self {
        Self::new().file("roles/clerk/prompt.md", "# Clerk\n\nYou sort letters.\n")
    }

    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        self.bytes(path, text.as_bytes())
    }

    pub(crate) fn bytes(self, path: &str, bytes: &[u8]) -> Self {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    pub(crate) fn dir(self, path: &str) -> Self {
        std::fs::create_dir_all(self.path(path)).unwrap();
        self
    }

    #[cfg(unix)]
    pub(crate) fn symlink(self, path: &str, target: &str) -> Self {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    #[cfg(unix)]
    pub(crate) fn unix_fifo(self, path: &str) -> Self {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn set_env(&mut self, variables: Vec<(String, String)>) {
        self.env = variables;
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        let root = self.folder.path().join("project");
        if path.is_empty() { root } else { root.join(path) }
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let root = self.path("");
        walkdir::WalkDir::new(&root)
            .sort_by_file_name()
            .into_iter()
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                let path = entry.path().strip_prefix(&root).unwrap().to_owned();
                (path, std::fs::read(entry.path()).unwrap())
            })
            .filter(|(path, _)| !path.starts_with(".faber/cache"))
            .collect()
    }

    pub(crate) fn faber(&self, arguments: &[&str]) -> Command {
        let mut command = faber_in(&self.path(""));
        command.args(arguments).env("HOME", self.folder.path().join("home"));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.faber(arguments).output().unwrap())
    }

    #[cfg(unix)]
    pub(crate) fn unprivileged(&self, arguments: &[&str]) -> Run {
        Run::from(self.of_nobody(self.faber(arguments)).output().unwrap())
    }

    #[cfg(unix)]
    pub(crate) fn of_nobody(&self, mut command: Command) -> Command {
        use std::os::unix::fs::{MetadataExt, lchown};
        use std::os::unix::process::CommandExt;
        const NOBODY: u32 = 65_534;
        if tempfile::tempfile().unwrap().metadata().unwrap().uid() == 0 {
            for entry in walkdir::WalkDir::new(self.folder.path()) {
                lchown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
            }
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    #[cfg(unix)]
    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(self.path(path), PermissionsExt::from_mode(mode)).unwrap();
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = self.faber(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // faber may exit before reading it.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes());
        Run::from(child.wait_with_output().unwrap())
    }

    #[track_caller]
    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}\n{}", run.stderr);
        run.stdout
    }

    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) {
        let mut git = program_in("git", &self.path(""));
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        git.args(["-c", "commit.gpgsign=false"]).args(arguments);
        let output = git.env("GIT_COMMITTER_DATE", "2026-01-15T12:00:00Z").output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
    }

    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.stdout(arguments)).unwrap()
    }
}

const ENVIRONMENT: [&str; 10] = [
    "CI",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "CURSOR_VERSION",
    "GEMINI_PROJECT_DIR",
    "CLAUDE_PROJECT_DIR",
];

pub(crate) fn faber_in(directory: &Path) -> Command {
    program_in(env!("CARGO_BIN_EXE_faber"), directory)
}

/// Without the machine's environment.
pub(crate) fn program_in(program: &str, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).stdin(Stdio::null()).env("NO_COLOR", "1");
    command.env("COLUMNS", "100");
    let foreign = |name: &str| name.starts_with("FABER_") || name.starts_with("GIT_");
    for name in std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()) {
        if foreign(&name) || ENVIRONMENT.contains(&&*name) {
            command.env_remove(name);
        }
    }
    command
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// -1 after a signal.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "{}", self.stderr);
        self.said(words);
    }

    #[track_caller]
    pub(crate) fn said(&self, words: &[&str]) {
        let plain = |text: &str| {
            let text = text.replace(['│', '╰', '─', '▶', '×', '⚠', '☞'], " ");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let said = plain(&self.stderr);
        for words in words {
            assert!(said.contains(&plain(words)), "nothing says `{words}`:\n{}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}
