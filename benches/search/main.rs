//! Search quality, and time of whole processes.
//!
//! `cargo bench --bench search -- --collection DIR` measures quality with JSON Lines: `docs.jsonl`
//! (id, title, text), `queries.jsonl` (id, text) and `qrels.jsonl` (`query_id`, `doc_id`, score).
//!
//! `… -- [WORKSPACE…]` times copies of given or generated workspaces.
//!
//! `… -- --store URL [--as USER:GROUP]… WORKSPACE…` times a store in an empty database: pushing,
//! and searching as each user.
#![expect(clippy::disallowed_methods, reason = "a benchmark builds workspaces and runs programs")]
#![expect(clippy::disallowed_macros, reason = "it prints its figures")]

mod collection;
#[path = "../common/mod.rs"]
mod common;
mod speed;
#[cfg(feature = "store")]
mod store;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{FABER, make_all};

fn main() {
    let mut named = Vec::new();
    let mut collections = Vec::new();
    let (mut server, mut principals) = (None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--collection" => collections.push(arguments.next().expect("--collection DIR")),
            "--store" => server = Some(arguments.next().expect("--store URL")),
            "--as" => principals.push(arguments.next().expect("--as USER:GROUP")),
            option if option.starts_with("--") => {}
            _ => named.push(PathBuf::from(argument)),
        }
    }
    if let Some(server) = server {
        #[cfg(feature = "store")]
        store::measure(&server, &named, &principals);
        #[cfg(not(feature = "store"))]
        panic!("built without the feature `store`: {server} {principals:?}");
        return;
    }
    if !collections.is_empty() {
        println!("| Collection | Mode | nDCG@10 | Recall@10 | Nothing found |");
        println!("|---|---|---|---|---|");
    }
    for collection in &collections {
        collection::measure(Path::new(collection));
    }
    if !collections.is_empty() && named.is_empty() {
        return;
    }
    let made = tempfile::tempdir().expect("a temporary folder");
    let workspaces = if named.is_empty() {
        make_all(made.path())
    } else {
        named.iter().map(|workspace| copy(workspace, made.path())).collect()
    };
    println!("| Workspace | What | P50 | P90 | P99 | Most |");
    println!("|---|---|---|---|---|---|");
    for workspace in &workspaces {
        speed::measure(workspace);
    }
}

fn copy(workspace: &Path, folder: &Path) -> PathBuf {
    let real = workspace.canonicalize().expect("the workspace is there");
    let target = folder.join(real.file_name().unwrap_or_default());
    let kept = |entry: &walkdir::DirEntry| {
        !entry.path().ends_with(".faber/cache") && entry.file_name() != ".git"
    };
    for entry in walkdir::WalkDir::new(&real).into_iter().filter_entry(kept) {
        let entry = entry.expect("the workspace can be listed");
        let to = target.join(entry.path().strip_prefix(&real).expect("it lies below"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&to).expect("a folder");
        } else if entry.path().is_file() {
            std::fs::copy(entry.path(), &to).expect("a file");
        }
    }
    target
}

fn faber(workspace: &Path, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(FABER);
    command.args(arguments).current_dir(workspace).stdin(Stdio::null());
    let output = command.output().expect("faber can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} fails: {said}");
    output.stdout
}

fn data(workspace: &Path, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_slice(&faber(workspace, arguments)).expect("it prints JSON")
}
