//! `faber search`.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, Place, Search};
use crate::commands::library::Library;
use crate::emit::hits;
use crate::search::found::{self, Found};
use crate::search::rank::{Corpus, Scored};
use crate::search::scope::Scope;
use crate::search::view::Asked;
use faber_core::category::Category;
use faber_core::config::{Freshness, SearchMode, Weights};
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::settings::Settings;

/// How often an answer is tried while files change all the time.
const TRIES: usize = 8;

/// `faber search --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchData {
    /// `faber.search/1`.
    pub schema: &'static str,
    /// What was looked for.
    pub query: String,
    /// Where.
    pub scope: Scope,
    /// What counted.
    pub mode: SearchMode,
    /// The best first.
    pub results: Vec<Found>,
}

/// Runs it.
///
/// # Errors
///
/// [`Error::Usage`] when there is no question, or no role for the scope `area`; what opening the
/// library can fail with.
pub fn run(
    args: &Search,
    settings: &Settings,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let question = args.question.join(" ");
    if question.trim().is_empty() {
        return Err(Error::usage("nothing to look for", "write `faber search WORDS`"));
    }
    let (mode, mut results) = answer(&args.place, settings, streams, |library| {
        let mode = args.mode.unwrap_or(library.view.search.mode);
        Ok((mode, results(library, args, &question, mode)))
    })?;
    if let Some(most) = args.preview {
        for result in &mut results {
            let content = result.content.take().unwrap_or_default();
            result.preview = found::preview(&content, most);
        }
    }
    match args.format {
        DataFormat::Json => {
            let scope = args.place.scope;
            streams.print_json(&SearchData {
                schema: "faber.search/1",
                query: question,
                scope,
                mode,
                results,
            })?;
        }
        DataFormat::Human if results.is_empty() => {
            streams.say("nothing found\n");
        }
        DataFormat::Human => {
            let text = hits::hits(&results, &question, settings);
            streams.print(&text)?;
        }
    }
    Ok(ExitStatus::Done)
}

/// Answers from the library of who asks. When a file turns out to have changed since the library was
/// opened, everything is done again, so that no answer is made of two states of the workspace.
///
/// # Errors
///
/// What opening the library and `answer` fail with.
pub fn answer<T>(
    place: &Place,
    settings: &Settings,
    streams: &mut Streams<'_>,
    answer: impl Fn(&Library) -> Result<T, Error>,
) -> Result<T, Error> {
    let asked =
        Asked { role: place.role.clone(), platform: place.view.platform.clone(), scopes: None };
    let open = |again: bool| {
        // That nothing has changed is no longer to be trusted then.
        let closely = place.freshness.filter(|freshness| *freshness == Freshness::Verify);
        let freshness =
            if again { Some(closely.unwrap_or(Freshness::Auto)) } else { place.freshness };
        Ok(Box::new(Library::open(&asked, freshness, settings, streams)?))
    };
    answer_from(open, |library| {
        check_scope(library, place.scope)?;
        answer(library)
    })
}

/// Answers from what `open` opens, which is told whether what it gave before is outdated.
///
/// # Errors
///
/// What `open` and `answer` fail with.
pub fn answer_from<T, L: Deref<Target = Library>>(
    mut open: impl FnMut(bool) -> Result<L, Error>,
    answer: impl Fn(&Library) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut library = open(false)?;
    let mut outcome = answer(&library);
    for _ in 1..TRIES {
        if !library.is_outdated() {
            break;
        }
        library = open(true)?;
        outcome = answer(&library);
    }
    outcome
}

/// Whether there is the role or team whose scope is wanted.
fn check_scope(library: &Library, scope: Scope) -> Result<(), Error> {
    if scope == Scope::Area && library.view.role.is_none() {
        return Err(Error::usage(
            "the scope `area` is that of a role, and none is named",
            "add `--role NAME`, or set `settings.role`",
        ));
    }
    if scope == Scope::Team && library.view.team.is_none() {
        return Err(Error::usage(
            "the scope `team` is that of a team, and none is set",
            "add `--team NAME`, or set `settings.team`",
        ));
    }
    Ok(())
}

/// What answers a question, best first: for each text the first of the wanted items that has it.
pub fn hits<'a, W: Fn(&usize) -> bool + 'a>(
    library: &'a Library,
    corpus: &Corpus<'_>,
    question: &str,
    mode: SearchMode,
    wanted: W,
) -> impl Iterator<Item = (usize, Scored)> + use<'a, W> {
    let weights = match mode {
        SearchMode::Keyword => Weights { semantic: 0.0, keyword: 1.0 },
        SearchMode::Semantic => Weights { semantic: 1.0, keyword: 0.0 },
        SearchMode::Hybrid => library.view.search.weights,
    };
    let ranked = corpus.rank(question, weights);
    ranked.into_iter().filter_map(move |scored| {
        let item = library.items_of(scored.doc).find(|item| wanted(item))?;
        Some((item, scored))
    })
}

/// The best chunks of what answers best.
fn results(library: &Library, args: &Search, question: &str, mode: SearchMode) -> Vec<Found> {
    let limit = args.limit.map_or(library.view.search.limit, usize::from);
    let corpus = library.corpus();
    hits(library, &corpus, question, mode, wanted(library, args.category, args.place.scope))
        .take(limit)
        .map(|(item, scored)| result(library, &corpus, item, &scored))
        .collect()
}

/// What is of a category and in a scope.
pub fn wanted(
    library: &Library,
    category: Option<Category>,
    scope: Scope,
) -> impl Fn(&usize) -> bool + '_ {
    move |item| {
        let facets = library.view.items.facets(*item);
        let is_of_category = category.is_none() || facets.category == category;
        is_of_category && facets.scopes.has(scope)
    }
}

/// The best chunk of an item.
pub fn result(library: &Library, corpus: &Corpus<'_>, item: usize, scored: &Scored) -> Found {
    let item = library.view.items.get(item);
    let whole = library.whole(&item);
    let chunks = corpus.chunks(scored.doc);
    let best = scored.best();
    let has_role = library.view.role.is_some();
    found::found(&item, &whole, chunks[best].clone(), scored.relevance, has_role)
}
