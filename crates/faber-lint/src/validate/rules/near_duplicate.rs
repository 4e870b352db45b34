use std::collections::{BTreeSet, HashSet};

use rayon::prelude::*;

use crate::validate::check::LintContext;
use crate::validate::resemblance::{MinHash, resemblance};
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::layer::LayerKind;
use faber_core::parse::fields::ContextStatus;
use faber_core::resolve::catalog::name_span;
use faber_core::rules::near_duplicate::RULE;

const ALIKE: usize = 90;
const MIN_RUNS: usize = 60;
/// Bytes: smaller texts have fewer than `MIN_RUNS` runs.
const SHORT: usize = 2 * MIN_RUNS;
/// Bytes: for larger texts, equal hashes suffice.
const LONG: usize = 16 * MIN_RUNS;
const MAX_SHARING: usize = 8;
const MAX_COMPARED: usize = 4 << 20;

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let documents: Vec<&Document> =
        whole.survey.documents.iter().filter(|document| is_in_use(document)).collect();
    let text = |document: &Document| whole.sources.text(document.body);
    let sketches: Vec<MinHash> =
        documents.par_iter().map(|document| sketch(whole, document)).collect();
    let shared = shared_ids(&documents);
    let mut left = MAX_COMPARED;
    let mut stood_for: HashSet<usize> = HashSet::new();
    for (at, other) in sharing(&sketches) {
        let (a, b) = (documents[other], documents[at]);
        let (sketch, known) = (&sketches[at], &sketches[other]);
        if stood_for.contains(&at)
            || stood_for.contains(&other)
            || !sketch.may_resemble(known)
            || !may_pair(whole, &shared, a, b)
        {
            continue;
        }
        let percent = if sketch.print == known.print && sketch.len > LONG {
            100
        } else {
            let size = text(a).len() + text(b).len();
            if size > left {
                continue;
            }
            left -= size;
            resemblance(text(a), text(b), MIN_RUNS)
        };
        if percent >= ALIKE {
            stood_for.insert(at);
            found.push(finding(b, a, percent));
        }
    }
}

fn sketch(whole: &LintContext<'_>, document: &Document) -> MinHash {
    let body = document.body;
    whole.known(body.file, "sketch", || MinHash::new(whole.sources.text(body)))
}

fn sharing(sketches: &[MinHash]) -> Vec<(usize, usize)> {
    let mut hashes: Vec<(u64, usize)> =
        Vec::with_capacity(sketches.iter().map(|sketch| sketch.least.len()).sum());
    for (at, sketch) in sketches.iter().enumerate().filter(|(_, sketch)| sketch.len >= SHORT) {
        hashes.extend(sketch.least.iter().map(|&hash| (hash, at)));
    }
    hashes.par_sort_unstable();
    let shared = shared(&hashes);
    let mut pairs = Vec::new();
    let mut others = Vec::new();
    for of_text in shared.chunk_by(|a, b| a.0 == b.0) {
        let at = of_text[0].0 as usize;
        others.clear();
        for &(_, start) in of_text {
            let start = start as usize;
            let first = hashes[start..].iter().take(MAX_SHARING);
            let before = first.take_while(|hash| hash.0 == hashes[start].0 && hash.1 < at);
            others.extend(before.map(|hash| hash.1));
        }
        others.sort_unstable();
        let enough = |same: &&[usize]| {
            same.len() * 2 >= sketches[at].least.len().min(sketches[same[0]].least.len())
        };
        pairs.extend(others.chunk_by(|a, b| a == b).filter(enough).map(|same| (at, same[0])));
    }
    pairs
}

fn shared(hashes: &[(u64, usize)]) -> Vec<(u32, u32)> {
    let narrow = |at: usize| u32::try_from(at).expect("fewer than 2^32 hashes of files");
    let same = || hashes.chunk_by(|a, b| a.0 == b.0);
    let mut shared = Vec::with_capacity(same().map(|same| same.len() - 1).sum());
    let mut start = 0;
    for same in same() {
        shared.extend(same[1..].iter().map(|&(_, at)| (narrow(at), narrow(start))));
        start += same.len();
    }
    shared.par_sort_unstable();
    shared
}

fn finding(document: &Document, other: &Document, percent: usize) -> Diagnostic {
    let (id, first) = (&document.id, &other.id);
    let message = match percent {
        100 => format!("`{id}` has the same text as `{first}`"),
        _ => format!("{percent} % of the text of `{id}` and `{first}` is the same"),
    };
    let of_roles = [document.kind, other.kind] == [LayerKind::Role; 2];
    let help = if of_roles && document.layer != other.layer {
        "keep one of them in `contexts/` of the workspace, for both roles"
    } else {
        "keep one of them, or move what they share to a file in `partials/` and include it"
    };
    RULE.at(name_span(document), message).related(name_span(other), "the other context").help(help)
}

fn is_in_use(document: &Document) -> bool {
    let fields = &document.front.fields;
    let is_approved =
        fields.status.as_ref().is_none_or(|status| status.value == ContextStatus::Approved);
    is_approved && fields.superseded_by.is_none() && fields.extends.is_none()
}

fn shared_ids<'a>(documents: &[&'a Document]) -> BTreeSet<&'a ContextId> {
    let of_others = documents.iter().filter(|document| document.kind != LayerKind::Role);
    of_others.map(|document| &document.id).collect()
}

/// With the same ID, one overlays the other, unless roles are unrelated.
fn may_pair(
    whole: &LintContext<'_>,
    shared: &BTreeSet<&ContextId>,
    a: &Document,
    b: &Document,
) -> bool {
    if a.id != b.id {
        return true;
    }
    if [a.kind, b.kind] != [LayerKind::Role; 2] || shared.contains(&a.id) || a.layer == b.layer {
        return false;
    }
    let survey = whole.survey;
    let folders = [a, b].map(|document| &survey.layers[document.layer].folder);
    let has_both = |lineage: &faber_core::role::Lineage| {
        folders.iter().all(|folder| lineage.roles.iter().any(|role| role.root == **folder))
    };
    !survey.lineages.iter().any(has_both)
}
