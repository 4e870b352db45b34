//! `faber store init`, `migrate`, `status`, `drop`, `forget` and `prune`.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::open::address;
use crate::cli::args::{DataFormat, StoreConnection, StoreDrop, StoreForget, StoreState};
use crate::commands::output;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::world::mebibytes;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::grouped;
use faber_output::text::counted;
use faber_session::session::Session;
use faber_store::{ErasureSubject, Forgotten, SpaceName, Store, StoreStatus};
use faber_tools::search::retention::Retention;

/// `faber store status --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StoreStatusData {
    /// `faber.store/1`.
    pub schema: &'static str,
    /// Host and database.
    pub store: String,
    #[serde(flatten)]
    pub status: StoreStatus,
}

/// `faber store forget --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ForgottenData {
    /// `faber.forgotten/1`.
    pub schema: &'static str,
    #[serde(flatten)]
    pub forgotten: Forgotten,
}

pub(super) fn open(at: &StoreConnection, streams: &Streams<'_>) -> Result<(Store, String), Error> {
    let session = Session::open_or_empty(streams.settings)?;
    let address = address(at.store.as_deref(), &session)?;
    Ok((Store::connect(&address)?, address.shown()))
}

pub(super) fn migrate(
    at: &StoreConnection,
    create: bool,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let (mut store, shown) = open(at, streams)?;
    let done = store.migrate(create)?;
    let mut text = match &*done.applied {
        [] => format!("the schema of {shown} is up to date\n"),
        applied => format!("applied to {shown}: {}\n", applied.join(", ")),
    };
    if done.made_index {
        text.push_str("created the vector index\n");
    }
    if done.sorted_lists {
        text.push_str("sorted the word lists\n");
    }
    if let Some(why) = done.without_vectors {
        let _ = writeln!(
            text,
            "pgvector is not available, so searches use words only: {why}\n\
             install it, have an administrator run `CREATE EXTENSION vector`, then run `faber store migrate`"
        );
    }
    streams.note(&text);
    Ok(ExitStatus::Done)
}

pub(super) fn status(args: &StoreState, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let (mut store, shown) = open(&args.at, streams)?;
    let data = StoreStatusData { schema: "faber.store/1", store: shown, status: store.status()? };
    output::print(&data, args.format, streams, human)
}

fn human(StoreStatusData { store, status: data, .. }: &StoreStatusData) -> String {
    let number = |count: i64| grouped(usize::try_from(count).unwrap_or_default());
    let vectors = if data.has_vectors { "words and meaning" } else { "words only" };
    let mut text = format!(
        "store    {}, schema {}, {}\nsearch   {vectors}\naudit    {} lines\n",
        store,
        data.migration,
        mebibytes(u64::try_from(data.bytes).unwrap_or_default()),
        number(data.audit_lines)
    );
    if data.wants_index {
        text.push_str("index    no vector index; `faber store migrate` creates one\n");
    }
    if !data.unprotected.is_empty() {
        let tables = data.unprotected.join(", ");
        let _ = writeln!(
            text,
            "warning  without row-level security: {tables}; restore the backup again"
        );
    }
    for space in &data.spaces {
        let _ = writeln!(
            text,
            "space    {}, {} items in {} passages, {}, pushed {} by {}",
            space.name,
            number(space.items),
            number(space.units),
            Visible(&space.revision),
            space.pushed_at,
            Visible(&space.pushed_by)
        );
    }
    if data.spaces.is_empty() {
        text.push_str("no spaces; `faber store push --space ORGANIZATION/NAME` creates one\n");
    }
    text
}

pub(super) fn drop_space(args: &StoreDrop, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let space = SpaceName::parse(&args.space)?;
    let (mut store, _) = open(&args.at, streams)?;
    let Some(items) = store.drop_space(&space)? else {
        return Err(Error::usage(
            format!("the store has no space `{space}`"),
            "`faber store status` lists them",
        ));
    };
    streams.note(&format!("removed {space}, {items} items\n"));
    Ok(ExitStatus::Done)
}

pub(super) fn forget(args: &StoreForget, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let subject = match (&args.principal, &args.conversation, &args.owner) {
        (Some(name), _, _) => ErasureSubject::Principal(name),
        (_, Some(id), _) => ErasureSubject::Conversation(id),
        (_, _, Some(name)) => ErasureSubject::Owner(name),
        _ => return Err(Error::usage("nothing to erase given", "add `--principal USER`")),
    };
    let (mut store, _) = open(&args.at, streams)?;
    let done = store.forget(subject)?;
    let data = ForgottenData { schema: "faber.forgotten/1", forgotten: done };
    match args.format {
        DataFormat::Json => streams.print_json(&data)?,
        DataFormat::Human => streams.print(&format!(
            "erased {} items, {} files and the contents of {} log lines; {} left\n",
            done.items, done.documents, done.audit_lines, done.left
        ))?,
    }
    if done.items + done.documents + done.audit_lines == 0 {
        streams.note("no history, notes or log lines match; names are compared exactly\n");
    }
    streams.note("copies in workspaces, logs and backups are not erased\n");
    Ok(ExitStatus::Done)
}

pub(super) fn retention(session: &Session) -> Retention {
    let days = session.workspace().config.store.keep_days;
    Retention::new(days, session.settings().today)
}

pub(super) fn prune(at: &StoreConnection, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let retention = retention(&Session::open_or_empty(streams.settings)?);
    if retention == Retention::default() {
        return Err(Error::usage(
            "`store.keep_days` is not set",
            "set it in your own configuration: `{ history: 90, memories: 365, audit: 400 }`",
        ));
    }
    let (mut store, shown) = open(at, streams)?;
    let done = store.prune(&retention)?;
    let lines = usize::try_from(done.audit_lines).unwrap_or(usize::MAX);
    streams.note(&format!(
        "erased from {shown}: {} of conversations, {}, {} of audit logs\n",
        counted(done.history, "part"),
        counted(done.memories, "note"),
        counted(lines, "line"),
    ));
    Ok(ExitStatus::Done)
}
