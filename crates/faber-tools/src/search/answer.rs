//! Answers from a library.

use std::ops::Deref;

use crate::search::found::{self, Found};
use crate::search::library::Library;
use crate::search::rank::{Corpus, Scored};
use crate::search::scope::Scope;
use faber_core::category::Category;
use faber_core::config::{SearchMode, Weights};
use faber_core::error::Error;

/// Attempts at an answer while files keep changing.
const TRIES: usize = 8;

/// Answers from the library of `open`, which takes whether the previous one is outdated.
///
/// # Errors
///
/// Those of `open` and `answer`.
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

/// The results for a question, best first: for each text its first wanted item.
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

/// The items of a category and scope.
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
