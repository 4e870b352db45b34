//! `faber search`.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, LookupArgs, SearchArgs, ViewArgs};
use crate::commands::command_log::{self, CommandCall, RunningCommand};
#[cfg(feature = "store")]
use crate::commands::store;
use crate::emit::hits;
use faber_core::config::{Freshness, SearchMode};
use faber_core::error::Error;
use faber_core::resolve::catalog::content_hash;
use faber_core::tokens;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::counted;
use faber_session::audit::AnswerTrace;
use faber_session::session::Session;
use faber_session::settings::Verbosity;
use faber_tools::search::answer::{
    self as answers, ItemTexts, Lookup, answer_from, result, wanted,
};
use faber_tools::search::found::{self, Found};
use faber_tools::search::index::SearchIndex;
use faber_tools::search::scope::Scope;
use faber_tools::search::view::IndexRequest;

const NEEDED: [&str; 2] =
    ["add `--role NAME`, or set `settings.role`", "add `--team NAME`, or set `settings.team`"];
const UNSEEN: &str = "check the name, create an overlay with `faber new overlay`, or name a user and groups with `--as`";

/// `faber search --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchData {
    /// `faber.search/1`.
    pub schema: &'static str,
    /// What was looked for.
    pub query: String,
    /// Where.
    pub scope: Scope,
    /// What counted.
    pub mode: SearchMode,
    /// The encoder that reranked the best results, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoder: Option<String>,
    /// Why the answer is from the workspace instead of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_away: Option<String>,
    /// Names, identifiers and rare words of the query that no text has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// The best first.
    pub results: Vec<Found>,
}

pub(crate) fn session(place: &LookupArgs, streams: &Streams<'_>) -> Result<Session, Error> {
    #[cfg(feature = "store")]
    return store::open::session(place, streams);
    #[cfg(not(feature = "store"))]
    {
        let _ = place;
        Session::open(streams.settings)
    }
}

pub(crate) fn run(args: &SearchArgs, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let session = session(&args.place, streams)?;
    let question = question(&args.question, streams)?;
    if question.trim().is_empty() {
        return Err(Error::usage("no words to search for", "write `faber search WORDS`"));
    }
    let command = RunningCommand::begin("search", settings);
    let lookup = Lookup::Question { text: &question, mode: args.mode, category: args.category };
    let (answered, store_away) = answer(&args.place, &session, lookup, streams, |library| {
        let mode = args.mode.unwrap_or(library.view.search.mode);
        let encoder = library.encoder(mode).map(|encoder| encoder.name().to_owned());
        let unknown = library.corpus().unknown(&question);
        Ok((mode, encoder, library.view.audit, unknown, results(library, args, &question, mode)))
    })?;
    let (mode, encoder, audit, unknown, mut results) = answered;
    if let Some(most) = args.preview {
        for result in &mut results {
            let content = result.content.take().unwrap_or_default();
            if let Some(most) = most {
                result.preview = found::preview(&content, most);
            }
        }
    }
    let call = command_log::is_wanted(audit).then(|| call(args, &question, &results));
    match args.format {
        DataFormat::Json => {
            let scope = args.place.scope;
            streams.print_json(&SearchData {
                schema: "faber.search/1",
                query: question,
                scope,
                mode,
                encoder,
                store_away,
                unknown,
                results,
            })?;
        }
        DataFormat::Human if results.is_empty() => {
            streams.note("no results\n");
        }
        DataFormat::Human => {
            let mut text = String::new();
            let best = results.iter().map(|found| found.relevance_score).fold(0.0, f64::max);
            if let Some(remarks) = found::remarks(found::status(best), &unknown) {
                let _ = writeln!(text, "{remarks}\n");
            }
            text.push_str(&hits::hits(&results, &question, settings));
            if let Some(encoder) = encoder {
                let _ = writeln!(text, "\n{}", found::ranked_with(&encoder));
            }
            streams.print(&text)?;
        }
    }
    if let Some(call) = call {
        command.log(&session, audit, streams, || call);
    }
    Ok(ExitStatus::Done)
}

fn call(args: &SearchArgs, question: &str, results: &[Found]) -> CommandCall {
    let mut trace = AnswerTrace::default();
    for found in results {
        let content = found.content.as_deref();
        let given = content.unwrap_or(&found.preview);
        trace.add(&found.id, &content_hash(given), content.is_none());
        trace.tokens += tokens::estimate(given.len()) as u64;
    }
    trace.relevance = results.iter().map(|found| found.relevance_score).reduce(f64::max);
    let arguments = [
        ("query", question.into()),
        ("role", args.place.role.clone().into()),
        ("scope", args.place.scope.name().into()),
    ];
    CommandCall::new(arguments, trace)
}

pub(crate) fn too_few_tokens(limit: usize, needed: usize) -> Error {
    Error::Budget { limit, needed, help: format!("use `--max-tokens {needed}` or more") }
}

pub(crate) fn index_request(role: Option<&String>, view: &ViewArgs) -> IndexRequest {
    IndexRequest { role: role.cloned(), platform: view.platform.clone(), scopes: None }
}

pub(crate) fn question(words: &[String], streams: &mut Streams<'_>) -> Result<String, Error> {
    match words {
        [only] if only == "-" => Ok(streams.read_input()?.trim().to_owned()),
        words => Ok(words.join(" ")),
    }
}

/// Restarts if a file changed: no answer mixes two states. Also why the store does not answer.
pub(crate) fn answer<T>(
    place: &LookupArgs,
    session: &Session,
    lookup: Lookup<'_>,
    streams: &mut Streams<'_>,
    answer: impl Fn(&SearchIndex) -> Result<T, Error>,
) -> Result<(T, Option<String>), Error> {
    let store_away = None;
    #[cfg(not(feature = "store"))]
    let _ = lookup;
    #[cfg(feature = "store")]
    let store_away = match store::open::index(place, session, lookup, streams)? {
        Some(Ok(library)) => {
            library.check_scope(place.scope, NEEDED)?;
            return Ok((answer(&library)?, store_away));
        }
        Some(Err(why)) => Some(why),
        None => store_away,
    };
    let request = index_request(place.role.as_ref(), &place.view);
    let settings = session.settings();
    let started = settings.clock.map(|clock| clock());
    let open = |again: bool| {
        // A restart does not trust cached file states.
        let closely = place.freshness.filter(|freshness| *freshness == Freshness::Verify);
        let freshness =
            if again { Some(closely.unwrap_or(Freshness::Auto)) } else { place.freshness };
        Ok(Box::new(SearchIndex::open(session, &request, freshness, streams)?))
    };
    let value = answer_from(open, |library| {
        library.check_scope(place.scope, NEEDED)?;
        library.check_visible(place.scope, UNSEEN)?;
        answer(library)
    })?;
    if let (Some(started), Some(clock)) = (started, settings.clock)
        && let Ok(Some(encoder)) = session.caches().encoder()
        && encoder.encoded() > 0
        && settings.verbosity > Verbosity::Quiet
    {
        let passages = counted(encoder.encoded(), "passage");
        let seconds = clock().saturating_sub(started).as_secs_f64();
        streams.eprint(&format!("encoded {passages} in {seconds:.1} s\n"));
    }
    Ok((value, store_away))
}

fn results(index: &SearchIndex, args: &SearchArgs, question: &str, mode: SearchMode) -> Vec<Found> {
    let limit = args.limit.map_or(index.view.search.limit, usize::from);
    let wanted = wanted(index, args.category, args.place.scope);
    let mut texts = ItemTexts::new(index);
    let hits = answers::hits(&mut texts, question, mode, wanted);
    if args.group {
        let groups = answers::grouped(&mut texts, &hits, limit).into_iter();
        let found =
            |(hit, passages)| Found { passages: Some(passages), ..result(&mut texts, &hit) };
        groups.map(found).collect()
    } else {
        hits.iter().take(limit).map(|hit| result(&mut texts, hit)).collect()
    }
}
