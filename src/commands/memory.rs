//! `faber remember`, `extract`, `review`, `approve` and `reject`.

use std::fmt::Write;

use crate::cli::args::{Approve, DataFormat, Extract, Reject, Remember, Review, ViewArgs};
use crate::commands::search;
use faber_core::config::Freshness;
use faber_core::error::Error;
use faber_core::escape;
use faber_core::rules::unreadable;
use faber_core::security::redact;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::counted;
use faber_session::session::Session;
use faber_tools::memory::decide::{self, Approval, DecideData};
use faber_tools::memory::extract::{self, ExtractOptions, Extracted, ExtractedNote};
use faber_tools::memory::remember::{Draft, Memory, Outcome};
use faber_tools::memory::review;
use faber_tools::search::index::SearchIndex;

const NEXT: &str =
    "next: `faber approve ID` or `faber reject ID`; `--as USER` records the approver\n";

pub(crate) fn remember(args: &Remember, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let text = search::question(&args.text, streams)?;
    let (session, library) = open(args.role.as_ref(), &args.data.view, streams)?;
    let mut memory = Memory::new(&session, &library);
    let from = args.from.iter().map(|from| memory.source(from)).collect::<Result<_, _>>()?;
    let draft = Draft {
        text,
        scope: args.scope,
        tags: args.tags.clone(),
        from,
        is_private: args.private,
        ..Draft::default()
    };
    let data = memory.remember(&draft, args.role.as_deref())?;
    session.caches().save();
    let status = match data.outcome {
        Outcome::Created => ExitStatus::Done,
        Outcome::Known => ExitStatus::Findings,
    };
    match args.data.format {
        DataFormat::Json => streams.print_json(&data)?,
        DataFormat::Human => {
            if data.outcome == Outcome::Created {
                streams.print(&format!("{}\n", escape::lines(&data.id)))?;
            }
            if let Some(known) = &data.known {
                let place = review::place(known);
                let help = "  help: write what it adds to this text, or edit the text there\n";
                streams
                    .eprint(&escape::lines(&format!("not written: duplicate of {place}\n{help}")));
            }
            let remarks = review::remarks("", &data.contradicts, &data.findings);
            streams.note(&escape::lines(&remarks));
        }
    }
    Ok(status)
}

pub(crate) fn extract(args: &Extract, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let (session, library) = open(args.role.as_ref(), &args.data.view, streams)?;
    let mut memory = Memory::new(&session, &library);
    let cwd = &streams.settings.cwd;
    let conversation = match args.conversation.as_str() {
        "-" => extract::of_text("stdin", &streams.read_input()?)?,
        name => extract::open(&memory.workspace, cwd, name)?,
    };
    let command = memory.workspace.config.extract_command.clone();
    let options = ExtractOptions {
        command: command.as_deref(),
        dry_run: args.dry_run,
        scope: args.scope,
        role: args.role.as_deref(),
    };
    let data = extract::extract(&mut memory, &conversation, &options)?;
    session.caches().save();
    match args.data.format {
        DataFormat::Json => streams.print_json(&data)?,
        DataFormat::Human if data.notes.is_empty() => streams.note("no results\n"),
        DataFormat::Human => {
            let is_private = |note: &ExtractedNote| {
                let mut turns = conversation.turns.iter();
                turns.any(|turn| turn.line == note.turn && turn.is_restricted)
            };
            let text = data.notes.iter().map(|note| extracted(note, is_private(note)));
            streams.print(&escape::lines(&text.collect::<String>()))?;
            let made = data.notes.iter().filter(|note| note.outcome == Extracted::Created);
            if made.clone().next().is_some() {
                let typed = streams.settings.principal.as_ref();
                let user = typed.and_then(|principal| principal.user.as_ref());
                let user = user.filter(|_| made.clone().any(is_private));
                let user = user.map(|user| format!(" --as {user}")).unwrap_or_default();
                let drafts = counted(made.count(), "draft");
                let next = format!("{drafts} to review; next: `faber review{user}`\n");
                streams.note(&escape::lines(&next));
            }
        }
    }
    Ok(ExitStatus::Done)
}

fn extracted(note: &ExtractedNote, is_private: bool) -> String {
    let ExtractedNote { kind, turn, .. } = note;
    let id = note.id.as_deref().unwrap_or_default();
    let what = match note.outcome {
        Extracted::Created if is_private => format!("private draft {id}"),
        Extracted::Created => format!("draft {id}"),
        Extracted::Found => "found".to_owned(),
        Extracted::Known => format!("duplicate of {id}"),
        Extracted::Refused => "refused: contains a secret or is too long".to_owned(),
    };
    let text = redact::neutralized(&note.text);
    let remarks = review::remarks("    ", &note.contradicts, &note.findings);
    format!("{what}  {}, message {turn}\n    {text}\n{remarks}", kind.name())
}

pub(crate) fn review(args: &Review, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let (session, library) = open(args.role.as_ref(), &args.data.view, streams)?;
    let memory = Memory::new(&session, &library);
    let data = review::review(&memory);
    // Opening the library printed it.
    let is_unreadable = memory.workspace.noticed().any(|found| found.rule() == &unreadable::RULE);
    session.caches().save();
    match args.data.format {
        DataFormat::Json => streams.print_json(&data)?,
        DataFormat::Human if is_unreadable && data.drafts.is_empty() => {}
        DataFormat::Human if data.drafts.is_empty() => streams.note("no drafts\n"),
        DataFormat::Human => {
            streams.print(&escape::lines(&review::human(&data)))?;
            streams.note(NEXT);
        }
    }
    Ok(if is_unreadable { ExitStatus::Failed } else { ExitStatus::Done })
}

pub(crate) fn approve(args: &Approve, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let (session, library) = open(args.role.as_ref(), &args.data.view, streams)?;
    let approval = Approval {
        into: args.into.as_deref(),
        overlay: args.overlay.as_deref(),
        role: args.role.as_deref(),
        platform: args.data.view.platform.as_deref(),
        allow_insecure: args.allow_insecure,
    };
    let data = decide::approve(&Memory::new(&session, &library), &args.id, &approval)?;
    decided(&data, args.data.format, streams)
}

pub(crate) fn reject(args: &Reject, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let (session, library) = open(None, &args.data.view, streams)?;
    let data = decide::reject(&Memory::new(&session, &library), &args.id)?;
    decided(&data, args.data.format, streams)
}

fn decided(
    data: &DecideData,
    format: DataFormat,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    match format {
        DataFormat::Json => streams.print_json(data)?,
        DataFormat::Human => {
            // For `git add`.
            let files = [Some(&data.path), data.written.as_ref()].into_iter().flatten();
            let files: Vec<&str> = files.map(String::as_str).collect();
            streams.print(&escape::lines(&format!("{}\n", files.join("\n"))))?;
            let mut said = format!("{} is {} by {}", data.id, data.status, data.approver);
            if let Some(context) = &data.context {
                let _ = write!(said, ", and its text is in {context}; commit the change");
            }
            streams.note(&escape::lines(&format!("{said}\n")));
            streams.note(&escape::lines(&review::remarks("", &data.contradicts, &[])));
        }
    }
    Ok(ExitStatus::Done)
}

fn open(
    role: Option<&String>,
    view: &ViewArgs,
    streams: &mut Streams<'_>,
) -> Result<(Session, SearchIndex), Error> {
    let session = Session::open(streams.settings)?;
    let request = search::index_request(role, view);
    let library = SearchIndex::open(&session, &request, Some(Freshness::Auto), streams)?;
    Ok((session, library))
}
