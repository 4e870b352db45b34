//! `faber --version`, and commits of builds.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::project::TestProject;

#[path = "../../build/commit.rs"]
mod commit;

const PACKAGE: &str = r#"{
  "git": {
    "sha1": "0123456789abcdef0123456789abcdef01234567"
  },
  "path_in_vcs": ""
}"#;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    let person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    let plain = ["-c", "commit.gpgSign=false", "-c", "init.defaultBranch=main"];
    let day = "2026-11-20T23:30:00-05:00";
    command.args(person).args(plain).args(arguments).current_dir(folder);
    command.envs([("GIT_COMMITTER_DATE", day), ("GIT_AUTHOR_DATE", "2020-01-01T00:00:00Z")]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn empty_repository() -> Option<TempDir> {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: there is no git");
        return None;
    }
    let folder = TempDir::with_prefix("faber-test-").unwrap();
    git(folder.path(), &["init", "--quiet"]);
    Some(folder)
}

fn repository() -> Option<(TempDir, String)> {
    let folder = empty_repository()?;
    let shown = commit_in(folder.path());
    Some((folder, shown))
}

fn commit_in(folder: &Path) -> String {
    git(folder, &["commit", "--quiet", "--allow-empty", "--message=one more"]);
    format!("{} 2026-11-20", &git(folder, &["rev-parse", "HEAD"])[..9])
}

fn shown(folder: &Path) -> Option<String> {
    commit::origin(folder).commit
}

/// As cargo, by time stamps, recursively for folders.
fn is_noticed(watched: &[std::path::PathBuf], since: std::time::SystemTime) -> bool {
    let changed = |path: &Path| match path.metadata() {
        Ok(metadata) => metadata.modified().unwrap() > since,
        Err(_) => true,
    };
    let files = |path: &std::path::PathBuf| walkdir::WalkDir::new(path).into_iter();
    watched
        .iter()
        .any(|path| files(path).any(|entry| entry.is_err() || changed(entry.unwrap().path())))
}

#[track_caller]
fn assert_noticed(folder: &Path, change: impl Fn()) {
    let origin = commit::origin(folder);
    assert!(origin.watched.iter().all(|path| path.exists()), "{origin:?}");
    let before = std::time::SystemTime::now();
    assert!(!is_noticed(&origin.watched, before), "{origin:?}");
    // Longer than the time stamp resolution.
    std::thread::sleep(std::time::Duration::from_millis(30));
    change();
    assert_ne!(shown(folder), origin.commit);
    assert!(is_noticed(&origin.watched, before), "{origin:?}");
}

#[test]
fn the_version_names_the_commit_that_was_built() {
    let project = TestProject::empty();
    let line = project.stdout(&["--version"]);
    assert_eq!(line, project.stdout(&["-V"]));
    let version = env!("CARGO_PKG_VERSION");
    let commit = shown(Path::new(env!("CARGO_MANIFEST_DIR")));
    if commit.is_none() {
        println!("skipped: no git, or no repository, so there is no commit to compare with");
    }
    let expected = match commit {
        Some(commit) => format!("faber {version} ({commit})\n"),
        None => format!("faber {version}\n"),
    };
    assert_eq!(line, expected);
}

#[test]
fn data_has_the_version_without_a_commit() {
    let project = TestProject::with_role();
    let bundle = project.json(&["assemble", "clerk", "--request", "Sort", "--format", "json"]);
    assert!(bundle.to_string().contains(concat!('"', env!("CARGO_PKG_VERSION"), '"')), "{bundle}");
    let page = project.stdout(&["man"]);
    assert!(page.contains(concat!("\"faber ", env!("CARGO_PKG_VERSION"), "\"\n")), "{page}");
}

#[test]
fn a_checkout_shows_nine_digits_and_the_day_of_the_commit() {
    let Some((folder, expected)) = repository() else { return };
    assert_eq!(shown(folder.path()), Some(expected));
}

#[test]
fn a_repository_around_the_source_is_another_project() {
    let Some((folder, _)) = repository() else { return };
    let inside = folder.path().join("vendor/faber");
    std::fs::create_dir_all(&inside).unwrap();
    assert_eq!(shown(&inside), None);
    std::fs::create_dir(inside.join(".git")).unwrap();
    assert_eq!(shown(&inside), None);
}

#[test]
fn a_package_shows_the_commit_that_cargo_noted() {
    let Some((folder, _)) = repository() else { return };
    let file = folder.path().join(".cargo_vcs_info.json");
    let with = |from: &str, to: &str| {
        let text = PACKAGE.replace(from, to);
        assert!(from.is_empty() || text != PACKAGE, "{from}");
        std::fs::write(&file, text).unwrap();
        let origin = commit::origin(folder.path());
        assert_eq!(origin.watched, [file.as_path()]);
        origin.commit
    };
    assert_eq!(with("", "").as_deref(), Some("012345678"));
    assert_eq!(with("4567\"", "4567\",\n    \"dirty\": true"), None);
    assert_eq!(with("\"path_in_vcs\": \"\"", "\"path_in_vcs\": \"faber\""), None);
    assert_eq!(with("0123456789abcdef", "no digits"), None);
    assert_eq!(with("sha1", "sha2"), None);
}

#[test]
fn a_commit_is_noticed_wherever_its_branch_is_kept() {
    let Some((folder, _)) = repository() else { return };
    let folder = folder.path();
    assert_noticed(folder, || drop(commit_in(folder)));
    git(folder, &["checkout", "--quiet", "-b", "some/branch"]);
    git(folder, &["pack-refs", "--all"]);
    assert_noticed(folder, || drop(commit_in(folder)));
    assert_noticed(folder, || drop(git(folder, &["checkout", "--quiet", "main"])));
    git(folder, &["checkout", "--quiet", "--detach"]);
    assert_noticed(folder, || drop(commit_in(folder)));
}

#[test]
fn a_commit_in_a_worktree_is_noticed() {
    let Some((folder, first)) = repository() else { return };
    let aside = TempDir::with_prefix("faber-test-").unwrap();
    let tree = aside.path().join("tree");
    git(folder.path(), &["worktree", "add", "--quiet", "-b", "other", tree.to_str().unwrap()]);
    assert_eq!(shown(&tree), Some(first.clone()));
    assert_noticed(&tree, || drop(commit_in(&tree)));
    assert_eq!(shown(folder.path()), Some(first));
}

#[test]
fn a_repository_without_commits_shows_its_first() {
    let Some(folder) = empty_repository() else { return };
    assert_noticed(folder.path(), || drop(commit_in(folder.path())));
}
