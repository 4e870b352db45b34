//! Instructions of whole processes by callgrind, on one thread, within 0.3 %.
//!
//! `cargo bench --bench instructions -- [OTHER]` counts common commands. With OTHER, such as an
//! older faber, it fails if this one runs over 3 % more.
#![expect(clippy::disallowed_methods, reason = "a benchmark builds workspaces and runs programs")]
#![expect(clippy::disallowed_macros, reason = "it prints its figures")]

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use common::{FABER, make_all, markdown_files};

const LIMIT: f64 = 0.03;
/// The first run fills caches, the second reads them.
const WARM: usize = 2;
const REQUEST: &str = "Review the security of the kubernetes deployment and its certificates";

struct Case {
    name: &'static str,
    args: &'static [&'static str],
    asks: Ask,
}

#[derive(Clone, Copy, PartialEq)]
enum Ask {
    Same,
    New,
    /// On standard input.
    Event,
}

const CASES: [Case; 6] = [
    Case { name: "assemble, nothing cached", args: &["assemble", "--no-cache"], asks: Ask::New },
    Case { name: "assemble, new request", args: &["assemble"], asks: Ask::New },
    Case { name: "assemble, seen before", args: &["assemble"], asks: Ask::Same },
    Case { name: "validate, nothing cached", args: &["validate", "--no-cache"], asks: Ask::Same },
    Case { name: "search", args: &["search", "rotate a certificate"], asks: Ask::Same },
    Case {
        name: "hook, new prompt",
        args: &["hook", "run", "--client", "claude"],
        asks: Ask::Event,
    },
];

fn main() -> ExitCode {
    let other = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind is not installed");
        return ExitCode::SUCCESS;
    }
    let made = tempfile::tempdir().expect("a temporary folder");
    let mut grown = false;
    println!("| Files | What | Million instructions | Other | Change |");
    println!("|---|---|---|---|---|");
    let mine = make_all(&made.path().join("mine"));
    let others = make_all(&made.path().join("others"));
    for (mine, others) in mine.iter().zip(&others).take(2) {
        let files = markdown_files(mine).len();
        for case in &CASES {
            let count = count(Path::new(FABER), mine, case);
            let before = other.as_ref().map(|other| self::count(Path::new(other), others, case));
            let change = before.map(|before| count / before - 1.0);
            grown |= change.is_some_and(|change| change > LIMIT);
            let mut row = format!("| {files} | {} | {:.1} |", case.name, count / 1e6);
            match before.zip(change) {
                Some((before, change)) => {
                    let _ = write!(row, " {:.1} | {:+.1} % |", before / 1e6, change * 100.0);
                }
                None => row.push_str(" – | – |"),
            }
            println!("{row}");
        }
    }
    if grown { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn count(program: &Path, workspace: &Path, case: &Case) -> f64 {
    for at in 0..WARM {
        let mut command = Command::new(program);
        run(&mut command, workspace, case, at);
    }
    let figures = workspace.with_extension("callgrind");
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--tool=callgrind"]);
    command.arg(format!("--callgrind-out-file={}", figures.display())).arg(program);
    run(&mut command, workspace, case, WARM);
    let figures = std::fs::read_to_string(figures).expect("callgrind writes its figures");
    let total = figures.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).expect("callgrind sums up")
}

fn run(command: &mut Command, workspace: &Path, case: &Case, at: usize) {
    command.args(case.args).current_dir(workspace);
    command.env("RAYON_NUM_THREADS", "1").env("XDG_STATE_HOME", workspace.with_extension("state"));
    let request = format!("{REQUEST} number {at}");
    match case.asks {
        Ask::New => drop(command.args(["--request", &request, "--budget", "8000", "--quiet"])),
        Ask::Same if case.args[0] == "assemble" => {
            command.args(["--request", REQUEST, "--budget", "8000", "--quiet"]);
        }
        Ask::Same | Ask::Event => {}
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut input = child.stdin.take().expect("it is piped");
    if case.asks == Ask::Event {
        let folder: PathBuf = workspace.into();
        let event = serde_json::json!({
            "session_id": format!("session {at}"),
            "hook_event_name": "UserPromptSubmit",
            "prompt": request,
            "cwd": folder,
            "transcript_path": folder.join("transcript.jsonl"),
        });
        input.write_all(event.to_string().as_bytes()).expect("it reads its input");
    }
    drop(input);
    let status = child.wait().expect("it ends");
    assert!(matches!(status.code(), Some(0 | 1)), "{command:?} fails");
}
