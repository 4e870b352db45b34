//! Times of a PostgreSQL store with several clients.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use camino::Utf8PathBuf;

use faber::cli::args::SharedArgs;
use faber::commands::store::open::StorePool;
use faber_core::resolve::view::Principal;
use faber_server::serve::state::SharedCall;
use faber_session::session::Session;
use faber_session::settings::Settings;
use faber_tools::search::answer::{ItemTexts, Lookup, hits, wanted};
use faber_tools::search::scope::Scope;

use crate::common::markdown_files;
use crate::speed::{questions, spread, timed};
use crate::{data, faber};

const CLIENTS: [usize; 2] = [1, 16];
/// Over all clients.
const ANSWERS: usize = 400;
const DEPTH: usize = 10;

pub(crate) fn measure(url: &str, workspaces: &[PathBuf], principals: &[String]) {
    let at = format!("--store={url}");
    let first = workspaces.first().expect("--store URL needs workspaces");
    faber(first, &["store", "init", &at]);
    let push = |workspace: &Path| {
        let name = workspace.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let space = format!("bench/{name}");
        timed(|| faber(workspace, &["store", "push", "--space", &space, &at])).0
    };
    let times: Vec<Duration> = workspaces.iter().map(|workspace| push(workspace)).collect();
    let files: Vec<PathBuf> = workspaces.iter().flat_map(|it| markdown_files(it)).collect();
    let status = data(first, &["store", "status", "--format", "json", &at]);
    println!("| What | P50 | P90 | P99 | Most |\n|---|---|---|---|---|");
    let row = |what: &str, times: Vec<Duration>| println!("| {what} | {} |", spread(times));
    row(&size(&status, &files, &times), times);
    row("`push` without a change", vec![push(first)]);
    let questions = questions(&files);
    let ask = || -> Vec<Vec<BTreeSet<String>>> {
        let mut all = Vec::new();
        for who in principals {
            let settings = settings(first, who);
            for clients in CLIENTS {
                let (times, found) = answers(url, &settings, &questions, clients);
                row(&format!("search as `{who}`, {clients} clients"), times);
                all.push(found);
            }
        }
        all
    };
    let before = ask();
    let (time, _) = timed(|| faber(first, &["store", "migrate", &at]));
    row("`migrate`, with an index of vectors if there are many", vec![time]);
    let after = ask();
    let both = before.iter().flatten().zip(after.iter().flatten());
    let same: usize = both.map(|(a, b)| a.intersection(b).count()).sum();
    let all: usize = before.iter().flatten().map(BTreeSet::len).sum();
    println!("\n{same} of {all} results in the first {DEPTH} are the same after `migrate`.");
}

#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^53")]
fn size(status: &serde_json::Value, files: &[PathBuf], times: &[Duration]) -> String {
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |found| found.len());
    let megabytes = files.iter().map(size).sum::<u64>() as f64 / 1e6;
    let seconds = times.iter().sum::<Duration>().as_secs_f64();
    let spaces = status["spaces"].as_array().map_or(&[][..], Vec::as_slice);
    let units: u64 = spaces.iter().filter_map(|space| space["units"].as_u64()).sum();
    format!(
        "`push` of {} spaces, {units} passages, {megabytes:.1} MB at {:.1} MB/s, {:.1} MB stored",
        spaces.len(),
        megabytes / seconds,
        status["bytes"].as_f64().unwrap_or_default() / 1e6
    )
}

fn settings(workspace: &Path, who: &str) -> Settings {
    let start = Utf8PathBuf::from_path_buf(workspace.to_owned()).expect("its path is text");
    let principal = Some(Principal::parse(who).unwrap_or_default());
    let today = jiff::Zoned::now().date();
    Settings { cwd: start.clone(), start, principal, today, ..Settings::default() }
}

fn answers(
    url: &str,
    settings: &Settings,
    questions: &[String],
    clients: usize,
) -> (Vec<Duration>, Vec<BTreeSet<String>>) {
    let each = ANSWERS / clients;
    let client = |number: usize| {
        let session = Session::open(settings).expect("there is a workspace");
        let args = SharedArgs { store: Some(url.to_owned()), space: Vec::new() };
        let store = StorePool::new(&args, &session).ok().flatten().expect("an address");
        let own = questions.iter().cycle().skip(number * each).take(each);
        let ask = |question: &String| timed(|| found(&store, &session, question));
        ask(&questions[0]);
        own.map(ask).unzip::<_, _, Vec<Duration>, Vec<BTreeSet<String>>>()
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..clients).map(|number| scope.spawn(move || client(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    let (mut times, mut all) = (Vec::new(), Vec::new());
    for (own, found) in done {
        times.extend(own);
        all.extend(found);
    }
    (times, all)
}

fn found(store: &StorePool, session: &Session, question: &str) -> BTreeSet<String> {
    let lookup = Lookup::Question { text: question, mode: None, category: None };
    let call = SharedCall { session, role: None, scope: Scope::All, lookup };
    let index = store.index(&call).expect("it answers").expect("it is not away");
    let library = &index.index;
    let mut texts = ItemTexts::new(library);
    let mode = library.view.search.mode;
    let hits = hits(&mut texts, question, mode, wanted(library, None, Scope::All));
    hits.iter().take(DEPTH).map(|hit| texts.get(hit.item).0.id.clone()).collect()
}
