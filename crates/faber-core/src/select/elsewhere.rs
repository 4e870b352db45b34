//! Contexts for files not at hand that a request asks for.

use crate::context_id::ContextId;
use crate::resolve::catalog::Context;
use crate::select::relevance::Relevance;

/// Most requests that name a file are only about that file.
const LEAST_EVIDENCE: f64 = 2.0;
const LEAST_WORDS: usize = 2;
const MOST: usize = 3;

/// Best evidence first. Words in the paths of `files` do not count.
pub(super) fn asked_for(
    elsewhere: Vec<(&Context, &Relevance)>,
    files: &[String],
) -> Vec<ContextId> {
    let files: Vec<String> = files.iter().map(|file| file.to_lowercase()).collect();
    let is_of_path = |word: &str| files.iter().any(|file| file.contains(&word.to_lowercase()));
    let evidence = |one: &Relevance| {
        let words = one.words.iter().zip(&one.evidence);
        let words = words.filter(|(word, evidence)| **evidence > 0.0 && !is_of_path(word));
        let words: Vec<f64> = words.map(|(_, evidence)| *evidence).collect();
        if words.len() >= LEAST_WORDS { words.iter().sum() } else { 0.0 }
    };
    let mut strong: Vec<(f64, &ContextId)> =
        elsewhere.into_iter().map(|(context, one)| (evidence(one), &context.id)).collect();
    strong.retain(|(evidence, _)| *evidence >= LEAST_EVIDENCE);
    strong.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.cmp(b)));
    strong.into_iter().take(MOST).map(|(_, id)| id.clone()).collect()
}
