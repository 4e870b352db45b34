//! How long faber takes as a user sees it: whole processes, from start to end.
//!
//! `cargo bench --bench process -- [WORKSPACE…]` measures the workspaces that are named, or three
//! that it makes up: `small`, `full` and `huge`. Every line is a Markdown table row; ratios are to
//! `cat` of the same files. Other programs that put files together are measured beside it when they
//! are installed. Figures depend on the machine, so nothing here passes or fails.
#![expect(clippy::disallowed_methods, reason = "a benchmark builds workspaces and runs programs")]
#![expect(clippy::disallowed_macros, reason = "it prints its figures")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FABER: &str = env!("CARGO_BIN_EXE_faber");
const REQUEST: &str =
    "Review the security of the kubernetes deployment and fix KubePodCrashLooping";
const BUDGET: &str = "8000";
/// Runs of each measurement, after two that do not count.
const RUNS: usize = 20;

fn main() {
    // `cargo bench` adds options of its own.
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

/// Prints the rows of one workspace.
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

/// The same command once more; `Command` itself has no copy.
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
    // Findings are an outcome too.
    command.status().is_ok_and(|status| matches!(status.code(), Some(0 | 1)))
}

/// The times of [`RUNS`] runs after two others.
fn sample(command: impl Fn(usize) -> Command) -> Vec<Duration> {
    let time = |at: usize| {
        let mut command = command(at);
        let begin = Instant::now();
        assert!(runs(&mut command), "{command:?} fails");
        begin.elapsed()
    };
    (0..RUNS + 2).map(time).skip(2).collect()
}

/// Mean and standard deviation, in seconds.
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

/// Peak memory in KB, where GNU time is there to tell.
fn memory(command: &Command) -> Option<u64> {
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%M"]).arg(command.get_program()).args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        timed.current_dir(directory);
    }
    let output = timed.stdin(Stdio::null()).output().ok()?;
    String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok()
}

fn markdown_files(workspace: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = walkdir::WalkDir::new(workspace)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
    files
}

fn first_role(workspace: &Path) -> String {
    let mut names: Vec<String> = std::fs::read_dir(workspace.join("roles"))
        .expect("a workspace has roles")
        .map(|entry| entry.expect("roles can be listed").file_name().to_string_lossy().into())
        .collect();
    names.sort();
    names.swap_remove(0)
}

/// Workspaces of the sizes of real collections: contexts, and paragraphs of each.
fn make_all(folder: &Path) -> Vec<PathBuf> {
    let sizes = [("small", 68, 16), ("full", 993, 18), ("huge", 8307, 4)];
    sizes.map(|(name, contexts, paragraphs)| make(&folder.join(name), contexts, paragraphs)).into()
}

/// Makes up a workspace, the same each time.
fn make(root: &Path, contexts: usize, paragraphs: usize) -> PathBuf {
    const FOLDERS: [&str; 5] =
        ["specialists", "standards", "playbooks", "references", "troubleshooting"];
    let write = |path: String, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("roles/engineer/prompt.md".to_owned(), "# Engineer\n\nYou keep services running.\n");
    write(".faber/config.yml".to_owned(), "settings:\n  role: engineer\n");
    let mut words = Words(1);
    for at in 0..contexts {
        let subject = words.next();
        let mut text = format!(
            "---\ndescription: How to {} a {subject}\nkeywords: [{subject}, {}]\n---\n# {subject} {at}\n",
            words.next(),
            words.next()
        );
        for part in 0..paragraphs {
            let _ = write!(text, "\n## {} {part}\n\n", words.next());
            for _ in 0..4 {
                let sentence: Vec<&str> = (0..12).map(|_| words.next()).collect();
                let _ = writeln!(text, "- {}.", sentence.join(" "));
            }
        }
        write(format!("contexts/{}/{subject}-{at}.md", FOLDERS[at % FOLDERS.len()]), &text);
    }
    root.to_owned()
}

/// Words in an order that looks like none: a linear congruential generator with the constants of
/// Knuth's MMIX.
struct Words(u64);

impl Words {
    fn next(&mut self) -> &'static str {
        const WORDS: [&str; 32] = [
            "review",
            "deploy",
            "kubernetes",
            "cluster",
            "database",
            "security",
            "service",
            "monitor",
            "alert",
            "pipeline",
            "rollback",
            "certificate",
            "request",
            "latency",
            "replica",
            "schema",
            "secret",
            "network",
            "storage",
            "backup",
            "restore",
            "incident",
            "timeout",
            "cache",
            "queue",
            "token",
            "policy",
            "branch",
            "release",
            "container",
            "proxy",
            "volume",
        ];
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(self.0 >> 59).expect("five bits");
        WORDS[at]
    }
}
