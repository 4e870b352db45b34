//! Times of searching and indexing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;

use faber::cli::args::Cli;
use faber::cli::settings::{self, Environment};
use faber_output::streams::Streams;
use faber_session::session::Session;
use faber_session::settings::Clocks;
use faber_tools::search::index::SearchIndex;
use faber_tools::search::view::IndexRequest;

use crate::common::{Dice, markdown_files};
use crate::{data, faber};

const QUESTIONS: usize = 200;
const EDITS: usize = 20;
const BUILDS: usize = 5;
/// faber trusts older time stamps.
const SETTLED: Duration = Duration::from_millis(200);

/// Edits and restores the workspace.
pub(crate) fn measure(workspace: &Path) {
    let name = workspace.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let row =
        |what: &str, times: Vec<Duration>| println!("| {name} | {what} | {} |", spread(times));
    let files = markdown_files(workspace);
    let questions = questions(&files);
    let (last, questions) = questions.split_last().expect("there are questions");
    std::thread::sleep(SETTLED);

    let build = || data(workspace, &["index", "build", "--format", "json"]);
    let builds: Vec<Duration> = (0..BUILDS).map(|_| timed(build).0).collect();
    row(&size(&build(), &builds), builds);
    let first = |command: &str, more: &[&str]| {
        vec![timed(|| faber(workspace, &[&[command, last], more].concat())).0]
    };
    row("the first `search`", first("search", &[]));
    let (times, ids) = search(workspace, questions);
    row("`search`", times);
    row("the first `query --max-tokens 1000`", first("query", &["--max-tokens", "1000"]));
    let query = |question: &String| faber(workspace, &["query", question, "--max-tokens", "1000"]);
    row("`query --max-tokens 1000`", questions.iter().map(|it| timed(|| query(it)).0).collect());
    let expand = |id: &String| timed(|| faber(workspace, &["expand", id])).0;
    row("`expand` of what was found", ids.iter().map(expand).collect());
    row("`search` after one file changed", edits(workspace, &files, questions));
    row("search in an open library, ranking only", in_process(workspace, questions));
}

fn search(workspace: &Path, questions: &[String]) -> (Vec<Duration>, Vec<String>) {
    let mut times = Vec::new();
    let mut ids = Vec::new();
    for question in questions {
        let (time, data) = timed(|| data(workspace, &["search", question, "--format", "json"]));
        times.push(time);
        ids.extend(data["results"][0]["id"].as_str().map(str::to_owned));
    }
    (times, ids)
}

fn edits(workspace: &Path, files: &[PathBuf], questions: &[String]) -> Vec<Duration> {
    let below = workspace.join("contexts");
    let contexts: Vec<&PathBuf> = files.iter().filter(|file| file.starts_with(&below)).collect();
    let mut dice = Dice(3);
    let mut times = Vec::new();
    for (at, question) in questions.iter().take(EDITS).enumerate() {
        let path = contexts[dice.roll(contexts.len())];
        let old = std::fs::read(path).expect("a context can be read");
        let added = format!("\n\nChanged for the time number {at}.\n");
        std::fs::write(path, [&old, added.as_bytes()].concat()).expect("a context can be written");
        times.push(timed(|| faber(workspace, &["search", question])).0);
        std::fs::write(path, old).expect("a context can be written");
        std::thread::sleep(SETTLED);
        faber(workspace, &["search", question]);
    }
    times
}

fn in_process(workspace: &Path, questions: &[String]) -> Vec<Duration> {
    let root = workspace.canonicalize().expect("the workspace is there");
    let cwd = camino::Utf8PathBuf::from_path_buf(root).expect("its path is text");
    let outside = Environment {
        cwd,
        vars: Vec::new(),
        program: "bench".to_owned(),
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        fetching: |_| (),
        clocks: Clocks { elapsed: || Duration::ZERO, now: jiff::Zoned::now },
        width: None,
    };
    let cli = Cli::parse_from(["faber", "search", "--no-cache", "x"]);
    let settings = settings::resolve(&cli.global, &faber::cli::args::ViewArgs::default(), &outside)
        .expect("there are settings");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut streams =
        Streams { out: &mut out, err: &mut err, input: &mut std::io::empty(), settings: &settings };
    let asked = IndexRequest::default();
    let session = Session::open(&settings).expect("there is a workspace");
    let library =
        SearchIndex::open(&session, &asked, None, &mut streams).expect("it can be opened");
    let corpus = library.corpus();
    let weights = library.view.search.weights;
    questions.iter().map(|question| timed(|| corpus.rank(question, weights)).0).collect()
}

#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^53")]
fn size(data: &serde_json::Value, times: &[Duration]) -> String {
    let bytes = |field: &str| data[field].as_u64().unwrap_or_default() as f64;
    let (source, index) = (bytes("source_bytes"), bytes("bytes"));
    let mut times = times.to_vec();
    times.sort();
    let speed = source / 1e6 / times[times.len() / 2].as_secs_f64();
    format!(
        "`index build`: {:.1} MB at {speed:.1} MB/s, index of {:.1} MB ({:.0} %)",
        source / 1e6,
        index / 1e6,
        index / source * 100.0
    )
}

pub(crate) fn questions(files: &[PathBuf]) -> Vec<String> {
    let mut dice = Dice(2);
    let mut questions = BTreeSet::new();
    for _ in 0..QUESTIONS * 100 {
        if questions.len() > QUESTIONS {
            break;
        }
        let text = std::fs::read(&files[dice.roll(files.len())]).expect("a file can be read");
        let text = String::from_utf8_lossy(&text);
        let words: Vec<&str> = text
            .split(|letter: char| !letter.is_alphabetic())
            .filter(|word| word.chars().count() > 3)
            .collect();
        if !words.is_empty() {
            let count = 3 + dice.roll(4);
            let words: Vec<&str> = (0..count).map(|_| words[dice.roll(words.len())]).collect();
            questions.insert(words.join(" "));
        }
    }
    questions.into_iter().collect()
}

pub(crate) fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let begin = Instant::now();
    let outcome = run();
    (begin.elapsed(), outcome)
}

/// P50, P90, P99 by nearest rank, maximum, in milliseconds.
pub(crate) fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let shares = [50, 90, 99, 100].map(|share| {
        let at = (times.len() * share).div_ceil(100).saturating_sub(1);
        times.get(at).map_or_else(|| "–".to_owned(), |time| ms(*time))
    });
    shares.join(" | ")
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
