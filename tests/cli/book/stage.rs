//! Sandbox for a page's commands.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::page::REPOSITORY;
use super::repository;
use crate::project::program_in;

/// Stubs, and this build as `faber` and `cargo`.
const PROGRAMS: [&str; 11] = [
    "cargo",
    "claude",
    "codex",
    "curl",
    "faber",
    "gh",
    "llm",
    "mdbook",
    "openssl",
    "pre-commit",
    "python3",
];

const WORKSPACE: [&str; 9] = [
    ".faber",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "README.md",
    "contexts",
    "docs",
    "roles",
    "templates",
    "tests/requests.yml",
];

pub(super) struct Stage {
    folder: TempDir,
    places: BTreeMap<String, PathBuf>,
}

pub(super) struct Ran {
    status: i32,
    pub(super) output: String,
    script: String,
}

impl Ran {
    #[track_caller]
    pub(super) fn ended(self, status: i32, at: &str) -> Self {
        assert_eq!(self.status, status, "{at}:\n{}\n{}", self.script, self.output);
        self
    }
}

impl Stage {
    pub(super) fn new() -> Self {
        let folder = TempDir::with_prefix("faber-book-").unwrap();
        let bin = folder.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        for program in PROGRAMS {
            std::fs::write(bin.join(program), include_str!("stub.sh")).unwrap();
        }
        let all = PROGRAMS.map(|program| bin.join(program));
        assert!(Command::new("chmod").arg("+x").args(all).status().unwrap().success());
        let home = folder.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let git = "[user]\nname = Mo\nemail = mo@example.org\n[init]\ndefaultBranch = main\n";
        std::fs::write(home.join(".gitconfig"), git).unwrap();
        Self { folder, places: BTreeMap::new() }
    }

    fn directory(&mut self, place: &str) -> PathBuf {
        if let Some(directory) = self.places.get(place) {
            return directory.clone();
        }
        let directory = self.folder.path().join(place);
        std::fs::create_dir(&directory).unwrap();
        self.places.insert(place.to_owned(), directory.clone());
        if place == REPOSITORY {
            for part in WORKSPACE {
                copy(part, &directory);
            }
            let change = "git init -q && git add -A && git commit -qm 'A workspace'\n\
                          printf '\\n- Say which.\\n' >>contexts/standards/standards-tests.md";
            self.run(place, change).ended(0, place);
        }
        directory
    }

    pub(super) fn write(&mut self, place: &str, path: &str, text: &str) {
        let path = self.directory(place).join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Starts where the last script of this place ended.
    pub(super) fn run(&mut self, place: &str, script: &str) -> Ran {
        let directory = self.directory(place);
        let mut output = tempfile::tempfile().unwrap();
        let bin = self.folder.path().join("bin");
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(bin).chain(std::env::split_paths(&paths));
        let left = self.folder.path().join("left");
        std::fs::write(&left, directory.to_str().unwrap()).unwrap();
        let status = program_in("bash", &directory)
            .args(["-c", &format!("trap 'pwd >\"$BOOK_LEFT\"' EXIT\nset -euo pipefail\n{script}")])
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("HOME", self.folder.path().join("home"))
            .env("BOOK_FABER", env!("CARGO_BIN_EXE_faber"))
            .env("BOOK_LEFT", &left)
            .env("BOOK_REPOSITORY", repository())
            .stdout(output.try_clone().unwrap())
            .stderr(output.try_clone().unwrap())
            .status()
            .unwrap();
        let mut text = String::new();
        output.rewind().unwrap();
        output.read_to_string(&mut text).unwrap();
        let left = std::fs::read_to_string(left).unwrap();
        self.places.insert(place.to_owned(), left.trim_end().into());
        Ran { status: status.code().unwrap_or(-1), output: text, script: script.to_owned() }
    }
}

fn copy(part: &str, target: &Path) {
    let kept = |entry: &walkdir::DirEntry| {
        let relative = entry.path().strip_prefix(repository()).unwrap();
        ![Path::new(".faber/cache"), Path::new(".faber/state")].contains(&relative)
    };
    for entry in walkdir::WalkDir::new(repository().join(part)).into_iter().filter_entry(kept) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let to = target.join(entry.path().strip_prefix(repository()).unwrap());
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    #[cfg_attr(windows, ignore = "pages are run by bash, which Windows lacks")]
    fn stand_ins_refuse_what_a_model_could_not_use() {
        let mut stage = Stage::new();
        for script in [
            "printf '' | llm",
            "llm -s \"$(true)\" why",
            "llm --sf missing.md why",
            "printf '{}' | curl https://api.example.org -d @-",
            "claude mcp add faber -- faber -C missing serve",
            "faber assemble | claude -p",
            "wget_is_no_program_here",
        ] {
            assert_ne!(stage.run("scratch", script).status, 0, "{script}");
        }
        let served = "faber init . && codex mcp add faber -- faber serve && \
                      faber watch assemble -o bundle.md && llm -f bundle.md why";
        stage.run("scratch", served).ended(0, "a workspace");
    }
}
