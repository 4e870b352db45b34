//! What git says has changed.

use std::process::Command;

use camino::Utf8Path;

use faber_core::error::Error;

/// The files that differ from `revision` (default: `HEAD`), untracked ones included, relative to
/// the workspace `root`, sorted. Files outside of the workspace are left out.
///
/// # Errors
///
/// [`Error::Command`] when git is missing, this is no repository or the revision is unknown.
pub fn changed(root: &Utf8Path, revision: &str) -> Result<Vec<String>, Error> {
    // A revision may come from elsewhere: it must not be taken for an option, and no program that
    // the repository names may run.
    let diff = ["diff", "--no-ext-diff", "--name-only", "--relative", "-z", "--end-of-options"];
    let differing = run(root, &[&diff[..], &[revision, "--"]].concat())?;
    let untracked = run(root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let mut names: Vec<String> = [differing, untracked]
        .iter()
        .flat_map(|output| output.split('\0'))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

fn run(root: &Utf8Path, arguments: &[&str]) -> Result<String, Error> {
    let fail = |message: String| Error::Command {
        command: format!("git {}", arguments.join(" ")),
        message,
        help: Some("`--changed` asks git, so it works in a git repository only".to_owned()),
    };
    let output = Command::new("git")
        .args(["-c", "core.fsmonitor=false"])
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| fail(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(fail(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
