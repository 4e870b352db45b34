//! `faber tune`.

mod report;

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{Tune, TuneFormat};
use crate::commands::stats;
use faber_core::error::Error;
use faber_core::escape::lines;
use faber_core::world::MemoryWorld;
use faber_lint::testing::replay::ReplayData;
use faber_lint::testing::suggest::LoggedCalls;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::{DisplayOptions, plain};
use faber_output::text::unified_diff;
use faber_session::caches::Caches;
use faber_session::discover::atomic::Writer;
use faber_session::session::{Session, SessionOptions};
use faber_tools::tune::edit::{self, ChangedFile};
use faber_tools::tune::proposal::Proposal;
use faber_tools::tune::proposals;
use faber_tools::tune::usage::{Episode, Usage};

/// `faber tune --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TuneData {
    /// `faber.tune/1`.
    pub schema: &'static str,
    /// The time of the oldest calls used.
    pub since: String,
    /// The number of requests with a bundle.
    pub requests: usize,
    /// How often more was requested: after a request, or by a search without one.
    pub followed: usize,
    /// How many older requests are left out: the last 50 000 are used.
    pub left_out: usize,
    /// The proposals, by kind, then by context.
    pub proposals: Vec<Proposal>,
    /// The files that they change.
    pub files: Vec<FileChange>,
    /// The logged requests, assembled again as the workspace is and with the changes.
    pub replay: ReplayData,
    /// The files that were written, with `--apply`.
    pub written: Vec<String>,
}

/// A file that proposals change.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileChange {
    /// Its path from the root.
    pub path: String,
    /// The difference in unified form.
    pub unified: String,
}

pub(crate) fn run(args: &Tune, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let session = resident(streams)?;
    let since = args.since.moment((settings.clocks.now)().timestamp());
    let mut usage = Usage::default();
    stats::read(session.root(), streams, |entry| {
        if entry.time >= since {
            usage.add(entry);
        }
    })?;
    let usage = usage.finish();
    let found = proposals(&session, &usage);
    let mut found = found.inspect_err(|_| streams.eprint_errors(&session.workspace()))?;
    if !args.only.is_empty() {
        found.retain(|proposal| args.only.contains(&proposal.kind));
    }
    let files = edit::changed(&session, &mut found);
    let texts = files.iter().map(|(path, file)| (path.clone(), file.after.clone()));
    let after = resident(streams)?.with_overlays(&MemoryWorld::new(texts));
    let replay = calls(&usage).replay(&session, &after);
    let (written, refused) =
        if args.apply { apply(session.root(), &files, streams)? } else { (Vec::new(), 0) };
    let change = |(path, file): (&Utf8PathBuf, &ChangedFile)| {
        let [old, new] = ["a", "b"].map(|side| format!("{side}/{path}"));
        let unified = unified_diff(&file.before, &file.after, &old, &new);
        FileChange { path: path.to_string(), unified }
    };
    let data = TuneData {
        schema: "faber.tune/1",
        since: format!("{since:.3}"),
        requests: usage.requests().count(),
        followed: usage.requests().filter(|(episode, _)| !episode.steps.is_empty()).count(),
        left_out: usage.left_out,
        proposals: found,
        files: files.iter().map(change).collect(),
        replay,
        written,
    };
    match args.format {
        TuneFormat::Json => streams.print_json(&data)?,
        // `git apply` needs unescaped characters.
        TuneFormat::Patch if settings.stdout_width.is_some() => {
            streams.print(&lines(&report::patch(&data)))?;
        }
        TuneFormat::Patch => streams.print(&report::patch(&data))?,
        TuneFormat::Human => {
            streams.print(&report::human(&data, DisplayOptions::new(settings)))?;
        }
    }
    if args.format != TuneFormat::Json {
        streams.note(&report::summary(&data, args.apply));
    }
    Ok(if refused > 0 { ExitStatus::Findings } else { ExitStatus::Done })
}

/// Reads each file once for hundreds of requests.
fn resident(streams: &Streams<'_>) -> Result<Session, Error> {
    let settings = streams.settings.clone();
    Session::open(SessionOptions { settings, caches: Some(Arc::new(Caches::resident())) })
}

fn calls(usage: &Usage) -> LoggedCalls {
    let mut calls = LoggedCalls::default();
    for (episode, bundle) in usage.requests() {
        calls.add_request(bundle, Episode::wanted(episode));
    }
    calls
}

fn apply(
    root: &Utf8Path,
    files: &BTreeMap<Utf8PathBuf, ChangedFile>,
    streams: &mut Streams<'_>,
) -> Result<(Vec<String>, usize), Error> {
    let writer = Writer::new(root);
    let (mut written, mut refused) = (Vec::new(), 0);
    for (path, file) in files {
        let before = (!file.is_new).then_some(file.before.as_bytes());
        match writer.change(path, before, Some(file.after.as_bytes()))?.refusal() {
            None => written.push(path.to_string()),
            Some(why) => {
                refused += 1;
                streams.eprint(&format!("not written: {}: it {why}\n", plain(path.as_str())));
            }
        }
    }
    Ok((written, refused))
}
