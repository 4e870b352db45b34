//! Times whole processes.
//!
//! `cargo bench --bench process -- [WORKSPACE…]` prints Markdown rows with ratios to `cat` and to
//! installed programs that concatenate files.
#![expect(clippy::disallowed_methods, reason = "a benchmark builds workspaces and runs programs")]
#![expect(clippy::disallowed_macros, reason = "it prints its figures")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{FABER, make_all, markdown_files};

const REQUEST: &str =
    "Review the security of the kubernetes deployment and fix KubePodCrashLooping";
const BUDGET: &str = "8000";
/// After two warm-up runs.
const RUNS: usize = 20;

fn main() {
    let named: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(PathBuf::from).collect();
    let made = tempfile::tempdir().expect("a temporary folder");
    let workspaces = if named.is_empty() { make_all(made.path()) } else { named };
    println!("| Workspace | What | Time: mean ± sd (range) | × `cat` | Peak memory |");
    println!("|---|---|---|---|---|");
    for workspace in &workspaces {
        measure(workspace);
    }
}

fn measure(workspace: &Path) {
    let name = workspace.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = markdown_files(workspace);
    let mut cat = Command::new("cat");
    cat.args(&files).current_dir(workspace);
    let cat = sample(|_| again(&cat));
    let row = |what: &str, times: &[Duration], memory: Option<u64>| {
        let ratio = seconds(times).0 / seconds(&cat).0;
        let memory = memory.map_or_else(|| "–".to_owned(), |kb| format!("{} MB", kb / 1024));
        println!("| {name} | {what} | {} | {ratio:.1} | {memory} |", spread(times));
    };
    row(&format!("`cat` of {} files", files.len()), &cat, None);

    let role = first_role(workspace);
    let assemble = |request: &str, more: &[&str]| {
        let mut command = Command::new(FABER);
        command.args(["assemble", &role, "--request", request, "--budget", BUDGET, "--quiet"]);
        command.args(more).current_dir(workspace);
        command
    };
    let cold = || assemble(REQUEST, &["--no-cache"]);
    row("assemble, nothing cached", &sample(|_| cold()), memory(&cold()));
    let warm = || assemble(REQUEST, &[]);
    row("assemble, seen before", &sample(|_| warm()), memory(&warm()));
    let run = std::process::id();
    let fresh = |at: usize| assemble(&format!("{REQUEST} number {at} of {run}"), &[]);
    row("assemble, new request", &sample(fresh), memory(&fresh(RUNS + 2)));

    let validate = |more: &[&str]| {
        let mut command = Command::new(FABER);
        command.args(["validate", "--format", "concise", "--quiet"]).args(more);
        command.current_dir(workspace);
        command
    };
    let cold = || validate(&["--no-cache"]);
    row("validate, nothing cached", &sample(|_| cold()), memory(&cold()));
    row("validate, seen before", &sample(|_| validate(&[])), memory(&validate(&[])));

    let here = workspace.to_string_lossy().into_owned();
    let others: [(&str, &[&str]); 3] = [
        ("code2prompt", &[&here, "--output-file", "/dev/null"]),
        ("repomix", &[&here, "--output", "/dev/null", "--quiet"]),
        ("files-to-prompt", &[&here]),
    ];
    for (program, arguments) in others {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(workspace);
        if runs(&mut again(&command)) {
            row(program, &sample(|_| again(&command)), memory(&command));
        }
    }
}

fn again(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        copy.current_dir(directory);
    }
    copy
}

fn runs(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| matches!(status.code(), Some(0 | 1)))
}

fn sample(command: impl Fn(usize) -> Command) -> Vec<Duration> {
    let time = |at: usize| {
        let mut command = command(at);
        let begin = Instant::now();
        assert!(runs(&mut command), "{command:?} fails");
        begin.elapsed()
    };
    (0..RUNS + 2).map(time).skip(2).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a few dozen")]
fn seconds(times: &[Duration]) -> (f64, f64) {
    let count = times.len() as f64;
    let mean = times.iter().map(Duration::as_secs_f64).sum::<f64>() / count;
    let squares = times.iter().map(|time| (time.as_secs_f64() - mean).powi(2)).sum::<f64>();
    (mean, (squares / (count - 1.0)).sqrt())
}

fn spread(times: &[Duration]) -> String {
    let (mean, deviation) = seconds(times);
    let ms = |seconds: f64| format!("{:.1}", seconds * 1e3);
    let least = times.iter().min().map_or(0.0, Duration::as_secs_f64);
    let most = times.iter().max().map_or(0.0, Duration::as_secs_f64);
    format!("{} ± {} ms ({}–{})", ms(mean), ms(deviation), ms(least), ms(most))
}

/// In KB, by GNU time.
fn memory(command: &Command) -> Option<u64> {
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%M"]).arg(command.get_program()).args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        timed.current_dir(directory);
    }
    let output = timed.stdin(Stdio::null()).output().ok()?;
    String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok()
}

fn first_role(workspace: &Path) -> String {
    let mut names: Vec<String> = std::fs::read_dir(workspace.join("roles"))
        .expect("a workspace has roles")
        .map(|entry| entry.expect("roles can be listed").file_name().to_string_lossy().into())
        .collect();
    names.sort();
    names.swap_remove(0)
}
