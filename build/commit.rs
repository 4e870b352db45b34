//! Which commit a folder with the source of faber is of.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Digits of a commit that are shown.
const DIGITS: usize = 9;

/// What is known of where a source comes from.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// Nine hexadecimal digits, and after a blank the day as `YYYY-MM-DD` when that is known too; none
    /// when no commit is known, or when the source is not what was committed.
    pub(crate) commit: Option<String>,
    /// Files and folders that exist, one of which changes when the commit does.
    pub(crate) watched: Vec<PathBuf>,
}

/// Looks at the folder of a manifest: at what cargo wrote into a package, else at the repository whose
/// top it is. A repository that lies around the folder is another project, into which faber was
/// copied, and its commits say nothing about faber.
pub(crate) fn origin(folder: &Path) -> Origin {
    // Before git: a package that was unpacked and put under version control stays a package.
    let package = folder.join(".cargo_vcs_info.json");
    if let Ok(text) = std::fs::read_to_string(&package) {
        return Origin { commit: of_package(&text), watched: vec![package] };
    }
    // A folder, or in a worktree a file that names one.
    if folder.join(".git").exists() {
        return Origin { commit: of_repository(folder), watched: watched(folder) };
    }
    Origin::default()
}

/// The commit that cargo noted while it made a package. cargo notes no day.
fn of_package(text: &str) -> Option<String> {
    // A dependency that reads JSON would be built before anything else, for three values.
    let text: String = text.split_whitespace().collect();
    let own = text.contains(r#""path_in_vcs":"""#) && !text.contains(r#""dirty":true"#);
    let (_, rest) = text.split_once(r#""sha1":""#)?;
    let (hash, _) = rest.split_once('"')?;
    own.then(|| shortened(hash)).flatten()
}

/// The commit that is checked out, with the day on which it was made.
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

/// What git changes when another commit is checked out or made: `HEAD`, the branch that it names, and
/// the places where branches are kept together.
fn watched(folder: &Path) -> Vec<PathBuf> {
    let place = |name: &str| Some(folder.join(git(folder, &["rev-parse", "--git-path", name])?));
    let branch = git(folder, &["symbolic-ref", "--quiet", "HEAD"]);
    let branch = branch.and_then(|name| place(&name));
    // A branch without a file of its own gets one with its next commit. cargo takes a file that is
    // missing for one that has changed, so what is watched until then is the folder it will lie in.
    let branch = branch.as_deref().and_then(|path| path.ancestors().find(|path| path.exists()));
    let others = ["HEAD", "packed-refs", "reftable"].into_iter().filter_map(place);
    others.filter(|path| path.exists()).chain(branch.map(Path::to_owned)).collect()
}

/// What git answers about the repository of `folder` and no other; none when it is missing or refuses.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        // Hooks set variables that name a repository, and this wins over them. Said so plainly, a
        // repository that another user owns is read too, as it is in containers.
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
