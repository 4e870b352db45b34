//! `faber stats`.

pub(crate) mod report;

use std::collections::BTreeSet;

use camino::Utf8Path;
use jiff::Timestamp;

use crate::cli::args::{DataFormat, Stats, StatsBy};
use crate::commands::output;
#[cfg(feature = "store")]
use crate::commands::store;
use faber_core::category::Load;
use faber_core::error::Error;
use faber_core::resolve::catalog::Context;
use faber_core::select::choose::load_of;
use faber_core::workspace::Viewer;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::DisplayOptions;
use faber_session::audit::AuditEntry;
use faber_session::audit::figures::{ContextStats, LogData, QueryStats, SessionStats, StatsData};
use faber_session::audit::tally::Tally;
use faber_session::discover::{audit, root};
use faber_session::session::Session;

pub(crate) fn run(args: &Stats, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let since = args.since.map(|since| since.moment((settings.clocks.now)().timestamp()));
    let mut tally = Tally::new(since.unwrap_or(Timestamp::MIN));
    let log = read_log(args, streams, &mut tally)?;
    let mut data = StatsData::new(&tally, since.map(|since| format!("{since:.3}")), log);
    match args.by {
        Some(StatsBy::Context) => {
            data.contexts = Some(ContextStats::all(&tally, &contexts(streams)?));
        }
        Some(StatsBy::Query) => data.queries = Some(QueryStats::all(&tally)),
        Some(StatsBy::Session) => data.by_session = Some(SessionStats::all(&tally)),
        None => {}
    }
    if data.calls == 0 && args.by.is_none() && args.format == DataFormat::Human {
        streams.note(&report::no_calls(&data));
        return Ok(ExitStatus::Done);
    }
    let human = |data: &StatsData| report::human(data, DisplayOptions::new(settings));
    output::print(&data, args.format, streams, human)
}

fn read_log(args: &Stats, streams: &mut Streams<'_>, tally: &mut Tally) -> Result<LogData, Error> {
    #[cfg(feature = "store")]
    if let Some(address) = &args.store {
        return store::audit::tally(address, streams, tally);
    }
    #[cfg(not(feature = "store"))]
    let _ = args;
    let root = root::find(&streams.settings.start)?;
    read(&root, streams, |entry| tally.add(&entry))
}

fn contexts(streams: &mut Streams<'_>) -> Result<BTreeSet<String>, Error> {
    let session = Session::open(streams.settings)?;
    let roles = session.workspace().role_names().into_iter().map(Some);
    let mut ids = BTreeSet::new();
    for role in roles.chain([None]) {
        let view = streams.view(&session, &Viewer { role, ..Viewer::default() })?;
        let contexts = view.resolved.catalog.contexts.values();
        let never = |context: &&Context| load_of(context) != Load::Never;
        ids.extend(contexts.filter(never).map(|context| context.id.to_string()));
    }
    Ok(ids)
}

pub(super) fn read(
    root: &Utf8Path,
    streams: &mut Streams<'_>,
    each: impl FnMut(AuditEntry),
) -> Result<LogData, Error> {
    let log = audit::read(root, each);
    let log =
        log.map_err(|source| Error::Io { action: "read", path: audit::path(root), source })?;
    streams.note(&passed_over(&log));
    Ok(log)
}

fn passed_over(log: &LogData) -> String {
    let line = |count: u64, first: Option<&String>, one: &str, many: &str| match (count, first) {
        (0, _) | (_, None) => String::new(),
        (1, Some(first)) => format!("{first}: skipped 1 line {one}\n"),
        (count, Some(first)) => {
            format!("{first}: skipped {count} lines {many}, starting here\n")
        }
    };
    let (one, many) = ("that is truncated or not an entry", "that are truncated or not entries");
    let other = "of another format";
    line(log.broken, log.first_broken.as_ref(), one, many)
        + &line(log.foreign, log.first_foreign.as_ref(), other, other)
}
