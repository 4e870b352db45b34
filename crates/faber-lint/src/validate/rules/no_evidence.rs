use std::collections::BTreeSet;

use crate::trial::evidence::text_hashes;
use crate::validate::check::LintContext;
use faber_core::diagnostic::Diagnostic;
use faber_core::packs;
use faber_core::rules::{harmful, no_evidence};
use faber_core::source::Span;

/// With fewer cases, a bootstrap interval is too narrow.
const MIN_CASES: usize = 5;

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let Some(evidence) = whole.evidence else { return };
    let texts = text_hashes(&whole.survey.documents, whole.sources);
    let mut seen = BTreeSet::new();
    for document in &whole.survey.documents {
        let id = document.id.to_string();
        let is_of_pack = whole.sources.path(document.file).starts_with(packs::FOLDER);
        if is_of_pack || !seen.insert(id.clone()) {
            continue;
        }
        let at = Span::start_of(document.file);
        let Some(shown) = evidence.contexts.get(&id) else {
            let message = format!("no trial shows whether `{id}` helps");
            let help = format!("run `faber trial plan --context {id}`, and read its results");
            found.push(no_evidence::RULE.at(at, message).help(help));
            continue;
        };
        if shown.text != texts.get(&id).cloned() {
            let message = format!("`{id}` has changed since its trial of {}", shown.date);
            let help = format!("run `faber trial plan --context {id}`, and read its results");
            found.push(no_evidence::RULE.at(at, message).help(help));
        } else if shown.cases >= MIN_CASES
            && let Some((low, high)) = shown.low.zip(shown.high)
            && high < 0.0
        {
            let message = format!(
                "answers are worse with `{id}`: {:+.2} ({low:+.2} … {high:+.2}) in {} cases",
                shown.difference, shown.cases
            );
            let help = "compare the answers with and without it, and change or remove it";
            found.push(harmful::RULE.at(at, message).help(help));
        }
    }
}
