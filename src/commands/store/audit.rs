//! `faber audit`, and `faber stats` from a store.

use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;

use camino::Utf8Path;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::manage::open;
use crate::cli::args::{AuditCommand, AuditReport, StoreConnection};
use crate::commands::output;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::counted;
use faber_session::audit::AuditEntry;
use faber_session::audit::entry::ParsedEntry;
use faber_session::audit::figures::LogData;
use faber_session::audit::tally::Tally;
use faber_session::discover::audit::{self, LogPosition};
use faber_session::discover::root;
use faber_store::{CallData, LogLine, Report, Store, StoreAddress};
use faber_tools::search::item::in_space;

const INTERVAL: Duration = Duration::from_secs(60);

/// `faber audit who-saw --format json`, and `of`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditReportData {
    /// `faber.audit-report/1`.
    pub schema: &'static str,
    /// The text or user that the report is about.
    pub about: String,
    /// The calls, oldest first.
    pub calls: Vec<CallData>,
}

pub(crate) fn run(command: &AuditCommand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match command {
        AuditCommand::Ship(at) => ship(at, streams),
        AuditCommand::WhoSaw { id, report: args } => report(Report::WhoSaw(id), args, streams),
        AuditCommand::Of { user, report: args } => report(Report::Of(user), args, streams),
    }
}

fn ship(at: &StoreConnection, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let root = root::find(&streams.settings.start)?;
    // All: the store may be restored from an old backup.
    let (lines, mut position) = lines(&root, &LogPosition::default())?;
    let (mut store, shown) = open(at, streams)?;
    let new = usize::try_from(store.ship(&lines)?).unwrap_or(usize::MAX);
    position.of = store.log_identity()?;
    let _ = position.save(&root);
    let known = lines.len().saturating_sub(new);
    streams.note(&format!(
        "shipped {} to {shown}; {known} skipped: already there or too old\n",
        counted(new, "line")
    ));
    Ok(ExitStatus::Done)
}

fn lines(root: &Utf8Path, from: &LogPosition) -> Result<(Vec<LogLine>, LogPosition), Error> {
    let mut lines = Vec::new();
    let mut equal: HashMap<Vec<u8>, i32> = HashMap::new();
    let add = |line: &[u8], entry: AuditEntry| {
        let number = equal.entry(line.to_vec()).or_default();
        *number += 1;
        lines.push(LogLine {
            origin: entry.session,
            at: entry.time,
            principal: entry.principal,
            tool: entry.tool,
            ids: entry.results,
            text: String::from_utf8_lossy(line).into_owned(),
            number: *number,
        });
    };
    let read = audit::read_from(root, from, add);
    let fail = |source| Error::Io { action: "read", path: audit::path(root), source };
    let (_, position) = read.map_err(fail)?;
    Ok((lines, position))
}

pub(crate) fn ship_in_background(root: &Utf8Path, address: &StoreAddress) {
    let (root, address) = (root.to_owned(), address.clone());
    let work = move || {
        loop {
            let _ = ship_new(&root, &address);
            std::thread::sleep(INTERVAL);
        }
    };
    // Without a thread, `faber audit ship` still works.
    let _ = std::thread::Builder::new().name("ship".to_owned()).spawn(work);
}

fn ship_new(root: &Utf8Path, address: &StoreAddress) -> Result<(), Error> {
    let from = LogPosition::load(root);
    let (mut new, mut position) = lines(root, &from)?;
    if new.is_empty() {
        return Ok(());
    }
    let mut store = Store::connect(address)?;
    let of = store.log_identity()?;
    if of != from.of {
        (new, position) = lines(root, &LogPosition::default())?;
    }
    store.ship(&new)?;
    position.of = of;
    position.save(root)
}

fn report(
    what: Report<'_>,
    args: &AuditReport,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let now = (streams.settings.clocks.now)().timestamp();
    let since = args.since.map_or(Timestamp::UNIX_EPOCH, |since| since.moment(now));
    let (mut store, _) = open(&args.at, streams)?;
    let calls = store.report(what, since)?;
    let (Report::WhoSaw(about) | Report::Of(about)) = what;
    let data = AuditReportData { schema: "faber.audit-report/1", about: about.to_owned(), calls };
    if let Report::WhoSaw(id) = what
        && let (Some(_), own) = in_space(id)
    {
        // The log does not know the space that a workspace was pushed to.
        streams.note(&format!(
            "only calls in the store; `faber audit who-saw {}` also has those in workspaces\n",
            Visible(own)
        ));
    }
    output::print_or(&data, args.format, streams, human, "no calls\n")
}

fn human(data: &AuditReportData) -> String {
    let mut text = String::new();
    for call in &data.calls {
        let who = call.principal.as_deref().unwrap_or("unknown");
        let ids = call.results.join(" ");
        let (who, tool) = (Visible(who), Visible(&call.tool));
        let _ = writeln!(text, "{}  {who}  {tool}  {}", call.time, Visible(&ids));
    }
    text
}

pub(crate) fn tally(
    address: &str,
    streams: &mut Streams<'_>,
    tally: &mut Tally,
) -> Result<LogData, Error> {
    let at = StoreConnection { store: Some(address.to_owned()) };
    let (mut store, shown) = open(&at, streams)?;
    let mut log = LogData { files: vec![shown], ..LogData::default() };
    // Earlier calls show how sessions began.
    store.log(Timestamp::UNIX_EPOCH, |line| {
        log.bytes += line.len() as u64;
        match AuditEntry::parse(line.as_bytes()) {
            ParsedEntry::Entry(entry) => tally.add(&entry),
            ParsedEntry::Foreign => log.foreign += 1,
            ParsedEntry::Broken => log.broken += 1,
        }
    })?;
    Ok(log)
}
