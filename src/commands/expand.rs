//! `faber expand`.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::cli::args::{DataFormat, Expand};
use crate::commands::command_log::{CommandCall, RunningCommand};
use crate::commands::search;
use faber_core::error::Error;
use faber_core::resolve::catalog::content_hash;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::audit::AnswerTrace;
use faber_tools::query::data::DerivationData;
use faber_tools::query::expand::{self, ExpandData, ExpandRequest, Include};
use faber_tools::search::answer::Lookup;

pub(crate) fn run(args: &Expand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let session = search::session(&args.place, streams)?;
    let request = ExpandRequest {
        id: args.id.clone(),
        scope: args.place.scope,
        include: args.include.clone(),
        max_tokens: args.max_tokens,
    };
    let command = RunningCommand::begin("expand", settings);
    let lookup = Lookup::Ids(std::slice::from_ref(&args.id));
    let ((audit, mut data), store_away) =
        search::answer(&args.place, &session, lookup, streams, |library| {
            let data = expand::data(library, &request)?;
            if data.truncated && data.tokens == 0 {
                let limit = request.max_tokens.and_then(|limit| usize::try_from(limit).ok());
                let limit = limit.unwrap_or_default();
                let needed = expand::least_tokens(library, &request, limit)?;
                return Err(search::too_few_tokens(limit, needed));
            }
            Ok((library.view.audit, data))
        })?;
    data.store_away = store_away;
    session.caches().save();
    let text = human(&data);
    match args.format {
        DataFormat::Json => streams.print_json(&data)?,
        DataFormat::Human if text.is_empty() => {
            let kinds: BTreeSet<&str> = args.include.iter().copied().map(described).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            streams.note(&format!("no {} of `{}`\n", kinds.join(" or "), args.id));
        }
        DataFormat::Human => streams.print_text(&text)?,
    }
    command.log(&session, audit, streams, || call(args, &data));
    Ok(ExitStatus::Done)
}

fn described(include: Include) -> &'static str {
    match include {
        Include::Detail => "text",
        Include::Derivation | Include::Evidence => "recorded sources",
        Include::Contradictions => "recorded contradictions",
        Include::Related => "related contexts",
    }
}

fn call(args: &Expand, data: &ExpandData) -> CommandCall {
    let mut trace = AnswerTrace::of_tokens(data.tokens);
    let content = data.content.as_deref().unwrap_or_default();
    trace.add(&data.id, &content_hash(content), data.truncated);
    let arguments = [("id", args.id.clone().into()), ("role", args.place.role.clone().into())];
    CommandCall::new(arguments, trace)
}

fn human(data: &ExpandData) -> String {
    let mut out = data.content.clone().unwrap_or_default();
    let mut list = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            if !out.is_empty() {
                out.push('\n');
            }
            let _ = writeln!(out, "{title}:");
            out.extend(lines.iter().map(|line| format!("- {line}\n")));
        }
    };
    let derivation = data.derivation.iter().flatten();
    list("Derived from", derivation.map(DerivationData::described).collect());
    let contradictions = data.contradictions.iter().flatten();
    list(
        "Contradicted by",
        contradictions.map(|one| format!("{}: {}", one.described(), one.essence)).collect(),
    );
    let related = data.related.iter().flatten();
    list("Related", related.map(|one| format!("{}: {}", one.id, one.essence)).collect());
    for evidence in data.evidence.iter().flatten() {
        let name = evidence.id.as_deref().unwrap_or("said");
        let _ = writeln!(out, "\nEvidence, {name}:\n\n{}", evidence.content);
    }
    if data.truncated {
        out.push_str("\n(cut to --max-tokens)\n");
    }
    out
}
