//! Finds the commit of a source folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DIGITS: usize = 9;

#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// Nine digits, then the date if known. None for modified or unknown sources.
    pub(crate) commit: Option<String>,
    /// Existing paths, one of which changes with the commit.
    pub(crate) watched: Vec<PathBuf>,
}

/// An outer repository belongs to another project.
pub(crate) fn origin(folder: &Path) -> Origin {
    // First: a package may be inside of another repository.
    let package = folder.join(".cargo_vcs_info.json");
    if let Ok(text) = std::fs::read_to_string(&package) {
        return Origin { commit: of_package(&text), watched: vec![package] };
    }
    // In a worktree, `.git` is a file.
    if folder.join(".git").exists() {
        return Origin { commit: of_repository(folder), watched: watched(folder) };
    }
    Origin::default()
}

fn of_package(text: &str) -> Option<String> {
    let text: String = text.split_whitespace().collect();
    let own = text.contains(r#""path_in_vcs":"""#) && !text.contains(r#""dirty":true"#);
    let (_, rest) = text.split_once(r#""sha1":""#)?;
    let (hash, _) = rest.split_once('"')?;
    own.then(|| shortened(hash)).flatten()
}

fn of_repository(folder: &Path) -> Option<String> {
    let log = ["log", "--max-count=1", "--no-show-signature", "--date=short", "--format=%H %cd"];
    let line = git(folder, &log)?;
    let (hash, day) = line.split_once(' ')?;
    Some(format!("{} {day}", shortened(hash)?))
}

fn shortened(hash: &str) -> Option<String> {
    let digits = hash.get(..DIGITS)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| digits.to_owned())
}

fn watched(folder: &Path) -> Vec<PathBuf> {
    let place = |name: &str| Some(folder.join(git(folder, &["rev-parse", "--git-path", name])?));
    let branch = git(folder, &["symbolic-ref", "--quiet", "HEAD"]);
    let branch = branch.and_then(|name| place(&name));
    // Cargo treats a missing file as changed.
    let branch = branch.as_deref().and_then(|path| path.ancestors().find(|path| path.exists()));
    let others = ["HEAD", "packed-refs", "reftable"].into_iter().filter_map(place);
    others.filter(|path| path.exists()).chain(branch.map(Path::to_owned)).collect()
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        // Overrides variables of hooks, and reads repositories of other users.
        .arg("--git-dir=.git")
        .args(arguments)
        .env_remove("GIT_COMMON_DIR")
        .current_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
