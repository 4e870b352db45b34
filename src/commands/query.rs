//! `faber query`.

use std::fmt::Write;

use crate::cli::args::{Query, QueryFormat};
use crate::commands::search;
use faber_core::error::Error;
use faber_core::escape;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::counted;
use faber_session::session::Session;
use faber_tools::query::answer::{QueryRequest, answer};
use faber_tools::query::data::QueryData;
use faber_tools::query::markdown as section;

/// Runs it.
///
/// # Errors
///
/// [`Error::Usage`] when nothing is asked, or the target is above the maximum; what opening the
/// library can fail with.
pub fn run(args: &Query, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let question = args.question.join(" ");
    if question.trim().is_empty() {
        return Err(Error::usage("nothing is asked", "write `faber query WORDS`"));
    }
    let session = Session::open(settings)?;
    let request = QueryRequest {
        purpose: args.purpose,
        max_tokens: args.max_tokens,
        target_tokens: args.target_tokens,
        abstraction: args.abstraction,
        derivations: args.derivations,
        contradictions: args.contradictions,
        scope: args.place.scope,
    };
    let data = search::answer(&args.place, &session, streams, |library| {
        answer(library, &request, &question, settings)
    })?;
    session.caches().save();
    match args.format {
        QueryFormat::Json => streams.print_json(&data)?,
        QueryFormat::Markdown => streams.print(&section::section(&data))?,
        QueryFormat::Human => streams.print(&escape::lines(&human(&data)))?,
    }
    Ok(ExitStatus::Done)
}

/// The passages with their figures, and the reasons.
fn human(data: &QueryData) -> String {
    let mut out = String::new();
    for belief in &data.beliefs {
        let (id, level, tokens) = (&belief.id, belief.level.name(), belief.token_count);
        let (utility, confidence) = (belief.utility, belief.confidence);
        let _ = writeln!(
            out,
            "{id}  {level}  {tokens} tokens, utility {utility:.2}, confidence {confidence:.2}"
        );
        for line in belief.content.trim_end().lines() {
            let _ = writeln!(out, "{}", format!("    {line}").trim_end());
        }
        for one in belief.derivation.iter().flatten() {
            let _ = writeln!(out, "    derived from {}", one.source);
        }
        for one in belief.contradictions.iter().flatten() {
            let _ = writeln!(out, "    contradicted by {}: {}", one.id, one.essence);
        }
        out.push('\n');
    }
    if data.beliefs.is_empty() {
        let known = if data.truncated { "no passage fits" } else { "no relevant passage found" };
        return format!("{known}\n");
    }
    let (passages, tokens) = (counted(data.beliefs.len(), "passage"), data.total_tokens);
    let coverage = (data.coverage_estimate * 100.0).floor();
    let reasons = &data.selection_reasoning;
    let _ = writeln!(
        out,
        "{passages} in {tokens} tokens, about {coverage:.0} % of the relevant text\n\n{reasons}"
    );
    out
}
