//! `faber query`.

use std::fmt::Write;

use crate::cli::args::{QueryArgs, QueryFormat};
use crate::commands::command_log::{CommandCall, RunningCommand};
use crate::commands::search;
use faber_core::error::Error;
use faber_core::escape;
use faber_core::resolve::catalog::content_hash;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::audit::AnswerTrace;
use faber_session::settings::Verbosity;
use faber_tools::query::answer::{QueryRequest, answer};
use faber_tools::query::data::QueryData;
use faber_tools::query::markdown as section;
use faber_tools::search::answer::Lookup;

pub(crate) fn run(args: &QueryArgs, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let session = search::session(&args.place, streams)?;
    let question = search::question(&args.question, streams)?;
    if question.trim().is_empty() {
        return Err(Error::usage("no question", "write `faber query WORDS`"));
    }
    let request = QueryRequest {
        purpose: args.purpose,
        max_tokens: args.max_tokens,
        target_tokens: args.target_tokens,
        abstraction: args.abstraction,
        derivations: args.derivations,
        contradictions: args.contradictions,
        scope: args.place.scope,
    };
    let command = RunningCommand::begin("query", settings);
    let lookup = Lookup::Question { text: &question, mode: None, category: None };
    let ((audit, mut data), store_away) =
        search::answer(&args.place, &session, lookup, streams, |library| {
            let data = answer(library, &request, &question, settings)?;
            let max_tokens = request.max_tokens.unwrap_or(library.view.query.max_tokens);
            // Without passages nothing can be omitted.
            let needed = data.needed.unwrap_or(data.total_tokens);
            if needed > max_tokens {
                return Err(search::too_few_tokens(max_tokens, needed));
            }
            Ok((library.view.audit, data))
        })?;
    data.store_away = store_away;
    session.caches().save();
    match args.format {
        QueryFormat::Json => streams.print_json(&data)?,
        QueryFormat::Markdown => streams.print(&section::section(&data))?,
        QueryFormat::Human => streams.print(&escape::lines(&human(&data, settings.verbosity)))?,
    }
    command.log(&session, audit, streams, || call(args, &question, &data));
    Ok(ExitStatus::Done)
}

fn call(args: &QueryArgs, question: &str, data: &QueryData) -> CommandCall {
    let mut trace = AnswerTrace::of_tokens(data.total_tokens);
    for belief in &data.beliefs {
        trace.add(&belief.id, &content_hash(&belief.content), belief.has_more_detail);
    }
    trace.relevance = data.beliefs.iter().map(|belief| belief.relevance_score).reduce(f64::max);
    let arguments = [
        ("question", question.into()),
        ("role", args.place.role.clone().into()),
        ("scope", args.place.scope.name().into()),
    ];
    CommandCall::new(arguments, trace)
}

fn human(data: &QueryData, verbosity: Verbosity) -> String {
    let mut out = String::new();
    if let Some(status) = section::status(data) {
        let _ = writeln!(out, "{status}");
        if data.beliefs.is_empty() {
            return out;
        }
        out.push('\n');
    }
    for belief in &data.beliefs {
        let (id, level, tokens) = (&belief.id, belief.level.name(), belief.token_count);
        let facts = belief.label.facts.replacen("confidence: ", "confidence ", 1);
        let title = &belief.label.title;
        let _ = writeln!(out, "{id}  {title}");
        let _ = writeln!(
            out,
            "  {level}, {tokens} tokens, relevance {:.2}, utility {:.2}, {facts}",
            belief.relevance_score, belief.utility
        );
        for line in belief.content.trim_end().lines() {
            let _ = writeln!(out, "{}", format!("    {line}").trim_end());
        }
        for one in belief.derivation.iter().flatten() {
            let _ = writeln!(out, "    derived from {}", one.described());
        }
        for one in belief.contradictions.iter().flatten() {
            let _ = writeln!(out, "    contradicted by {}: {}", one.described(), one.essence);
        }
        out.push('\n');
    }
    let (extent, tokens) = (section::extent(data), data.total_tokens);
    let _ = writeln!(out, "{extent}, {tokens} tokens");
    // Those of passages repeat their figures.
    let repeated = if verbosity == Verbosity::Verbose { 0 } else { data.beliefs.len() };
    let reasons: Vec<&str> = data.selection_reasoning.lines().skip(repeated).collect();
    if !reasons.is_empty() {
        let _ = writeln!(out, "\n{}", reasons.join("\n"));
    }
    out
}
