use std::collections::{BTreeMap, BTreeSet};

use crate::explain::ExplainInput;
use crate::explain::data::{CandidateData, State};
use crate::explain::facts::{self, NamedContext};
use crate::explain::known::AssemblyIndex;
use faber_core::assemble::Assembly;
use faber_core::assemble::bundle::Catalogued;
use faber_core::assemble::figures::PackingTrace;
use faber_core::budget::level::Level;
use faber_core::category::Load;
use faber_core::context_id::ContextId;
use faber_core::document::Document;
use faber_core::error::Error;
use faber_core::render::block::BundleBlockKind;
use faber_core::resolve::catalog::{Context, Excluded};
use faber_core::resolve::index::ReferenceOrigin;
use faber_core::select::choose::load_of;
use faber_core::select::reason::{COMES_LAST, Reason};
use faber_core::tokens;
use faber_output::json::{SourceData, sources_of};
use faber_output::report::why_excluded;
use faber_output::table::grouped;

pub(crate) const LISTED: &str = "listed in the catalog";
const COUNTED: &str = "only counted in the catalog";
pub(crate) const NO_CATALOG: &str = "not in the bundle, which has no catalog";

struct CandidateDraft<'a> {
    id: &'a ContextId,
    state: State,
    reasons: &'a [Reason],
    trace: Option<&'a PackingTrace>,
    verdict: String,
}

pub fn all(subject: ExplainInput<'_>) -> Vec<CandidateData> {
    let known = AssemblyIndex::new(subject);
    drafts(&known).into_iter().filter_map(|draft| candidate_data(&known, draft)).collect()
}

/// # Errors
///
/// [`Error::Unknown`] with similar names; hidden contexts are unknown.
pub fn one(subject: ExplainInput<'_>, name: &str) -> Result<CandidateData, Error> {
    let name = &*subject.workspace.files.named(name);
    let catalog = &subject.assembly.catalog;
    let lineage = subject.assembly.pack.lineage.as_ref();
    let role_root = lineage.map(|lineage| lineage.role().root.as_path());
    let id = catalog.named(name, ReferenceOrigin { path: "".into(), role_root });
    let id = id.map(|id| catalog.aliases.get(&id).unwrap_or(&id).clone());
    let known = AssemblyIndex::new(subject);
    let drafts = drafts(&known);
    let ids: Vec<String> = drafts.iter().map(|draft| draft.id.to_string()).collect();
    let found = drafts.into_iter().find(|draft| Some(draft.id) == id.as_ref());
    if let Some(candidate) = found.and_then(|draft| candidate_data(&known, draft)) {
        return Ok(candidate);
    }
    if subject.workspace.role_names().iter().any(|role| role == name) {
        let message = format!("`{name}` is a role, not a context");
        return Err(Error::usage(message, format!("write `faber explain --role {name}`")));
    }
    Err(Error::unknown("context", name, ids.iter().map(String::as_str)))
}

fn drafts<'a>(index: &AssemblyIndex<'a>) -> Vec<CandidateDraft<'a>> {
    let ExplainInput { assembly, .. } = index.subject;
    let without_reason = |id: &ContextId| {
        let context = assembly.catalog.contexts.get(id)?;
        let fields = &context.front.fields;
        let is_declared = !index.declared(id).is_empty()
            || [&fields.keywords, &fields.errors, &fields.globs].iter().any(|it| !it.is_empty());
        let relevance = *assembly.bundle.relevance.get(id)?;
        let least = least_relevance(index, context)?;
        let figures = format!("relevance {} of {}", score(relevance), score(least));
        (!is_declared && relevance < least).then(|| format!("not loaded: {figures} needed"))
    };
    let traces: BTreeMap<&ContextId, &PackingTrace> =
        assembly.bundle.traces.iter().map(|trace| (&trace.id, trace)).collect();
    let trace_of = |id: &ContextId| traces.get(id).copied();
    let loaded = assembly.bundle.loaded.iter().map(|loaded| CandidateDraft {
        id: &loaded.id,
        state: State::Selected,
        reasons: &loaded.reasons,
        trace: trace_of(&loaded.id),
        verdict: loaded_verdict(loaded.level, loaded.full_tokens.saturating_sub(loaded.tokens)),
    });
    let catalogued = assembly.bundle.catalogued.iter().map(|catalogued| CandidateDraft {
        id: &catalogued.entry.id,
        state: State::Catalogued,
        reasons: &catalogued.reasons,
        trace: trace_of(&catalogued.entry.id),
        verdict: catalogued_verdict(
            catalogued,
            trace_of(&catalogued.entry.id),
            assembly.declared.withheld.get(&catalogued.entry.id),
            without_reason(&catalogued.entry.id).as_deref(),
            place_of(assembly, catalogued),
        ),
    });
    let (requested, rest): (Vec<_>, Vec<_>) =
        catalogued.partition(|draft: &CandidateDraft<'_>| !draft.reasons.is_empty());
    let mut drafts: Vec<CandidateDraft<'_>> = loaded.chain(requested).collect();
    let mut known: BTreeSet<&ContextId> =
        drafts.iter().chain(&rest).map(|draft| draft.id).collect();
    let gone = assembly.bundle.excluded.iter().filter(|gone| !known.contains(&gone.id));
    let gone = excluded(gone, trace_of);
    known.extend(gone.iter().map(|draft| draft.id));
    drafts.extend(gone);
    drafts.extend(of_reader(index.subject, &known));
    drafts.extend(rest);
    drafts
}

fn of_reader<'a>(
    subject: ExplainInput<'a>,
    known: &BTreeSet<&ContextId>,
) -> Vec<CandidateDraft<'a>> {
    let Assembly { catalog, job, known: has, .. } = subject.assembly;
    let draft = |id: &'a ContextId, reasons: &'a [Reason], why: &str| CandidateDraft {
        id,
        state: State::Excluded,
        reasons,
        trace: None,
        verdict: format!("left out: {why}"),
    };
    let has = has.iter().map(|one| {
        let is_loaded = job.reader.loads(&catalog.contexts[&one.id], subject.sources());
        let why = if is_loaded { "the client loads it itself" } else { "the conversation has it" };
        draft(&one.id, &one.reasons, why)
    });
    let others = catalog.contexts.values().filter(|context| !known.contains(&context.id));
    let others = others.filter(|context| job.reader.omits(context, subject.sources()));
    has.chain(others.map(|context| draft(&context.id, &[], "the client has its own instructions")))
        .collect()
}

fn excluded<'a>(
    gone: impl Iterator<Item = &'a Excluded>,
    trace_of: impl Fn(&ContextId) -> Option<&'a PackingTrace>,
) -> Vec<CandidateDraft<'a>> {
    let mut drafts: Vec<(&Excluded, CandidateDraft<'a>)> = Vec::new();
    for excluded in gone {
        let trace = trace_of(&excluded.id);
        let draft = CandidateDraft {
            id: &excluded.id,
            state: State::Excluded,
            reasons: trace.map_or(&[], |trace| &trace.reasons),
            trace,
            verdict: format!("left out: {}", why_excluded(excluded)),
        };
        match drafts.last_mut() {
            Some((last, kept)) if last.id == excluded.id => {
                if last.path.is_some() && excluded.path.is_none() {
                    (*last, *kept) = (excluded, draft);
                }
            }
            _ => drafts.push((excluded, draft)),
        }
    }
    drafts.into_iter().map(|(_, draft)| draft).collect()
}

fn catalogued_verdict(
    catalogued: &Catalogued,
    trace: Option<&PackingTrace>,
    withheld: Option<&String>,
    without_reason: Option<&str>,
    place: &str,
) -> String {
    let is_closed = |trace: &&PackingTrace| !trace.offers.iter().any(|offer| offer.allowed);
    let share = trace.filter(is_closed).and_then(|trace| trace.max_tokens);
    let comes_last = catalogued.reasons.iter().all(|reason| reason.is_guess);
    let why = match (catalogued.crowded_out, catalogued.reasons.is_empty(), withheld) {
        (true, false, _) if comes_last => &format!("not loaded: {COMES_LAST}"),
        (true, ..) => match share.map(in_tokens) {
            Some(share) => {
                &format!("not loaded: longer than the {share} that its relevance allows")
            }
            None => "not loaded: does not fit in the budget",
        },
        (false, true, Some(by)) => &format!("not loaded: {by}"),
        (false, true, None) => {
            without_reason.unwrap_or("not loaded: no keyword, file or error matched")
        }
        (false, false, _) => "suggested: resembles the request",
    };
    format!("{why}; {place}")
}

pub(crate) fn in_tokens(count: usize) -> String {
    format!("{} token{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn place_of(assembly: &Assembly, catalogued: &Catalogued) -> &'static str {
    let mut blocks = assembly.bundle.blocks.iter();
    if catalogued.named {
        LISTED
    } else if blocks.any(|block| block.kind == BundleBlockKind::Catalog) {
        COUNTED
    } else {
        NO_CATALOG
    }
}

fn loaded_verdict(level: Level, saved: usize) -> String {
    let what = match level {
        Level::Detailed => return "included in full".to_owned(),
        Level::Truncated => "cut to its beginning",
        Level::Focused => "shortened to matching parts",
        Level::Summary => "shortened to a summary",
        Level::Essence => "shortened to its essence",
        Level::Catalog | Level::Dropped => "named",
    };
    if saved == 0 { what.to_owned() } else { format!("{what} (−{} tokens)", grouped(saved)) }
}

fn candidate_data(known: &AssemblyIndex<'_>, draft: CandidateDraft<'_>) -> Option<CandidateData> {
    let subject = known.subject;
    let context = subject.assembly.catalog.contexts.get(draft.id);
    let documents = known.documents(draft.id);
    let front = context.map(|context| &context.front);
    let front = front.or_else(|| documents.last().map(|document| &document.front))?;
    let named = NamedContext { id: draft.id, context, front };
    let full = draft.trace.map(|trace| trace.full_tokens);
    let taken = draft.trace.and_then(|trace| trace.offers.iter().find(|offer| offer.taken));
    let is_named = draft.state == State::Catalogued;
    Some(CandidateData {
        id: draft.id.clone(),
        category: draft.id.category,
        state: draft.state,
        level: match taken {
            _ if is_named => Level::Catalog,
            Some(form) => form.level,
            None => Level::Dropped,
        },
        verdict: draft.verdict,
        tokens: taken.map_or(0, |form| form.tokens),
        full_tokens: full.or_else(|| context.map(|context| tokens::estimate(context.body.bytes()))),
        estimated: full.is_none(),
        layer: context.map(|it| it.top).or_else(|| documents.last().map(|it| it.kind)),
        reasons: draft.reasons.to_vec(),
        sources: match context {
            Some(context) => sources_of(context, subject.sources()),
            None => documents.iter().map(|document| source(subject, document)).collect(),
        },
        left_out: known.excluded(draft.id).iter().copied().cloned().collect(),
        selectors: facts::selectors(known, named),
        settings: facts::settings(subject, named),
        relevance: subject.assembly.bundle.relevance.get(draft.id).copied(),
        least_relevance: context.filter(|_| is_named).and_then(|it| least_relevance(known, it)),
        packing: draft.trace.cloned(),
    })
}

fn least_relevance(index: &AssemblyIndex<'_>, context: &Context) -> Option<f64> {
    let assembly = index.subject.assembly;
    let can_load = load_of(context) != Load::Never
        && context.id.role.is_none()
        && assembly.bundle.relevance.contains_key(&context.id);
    assembly.declared.least_relevance.filter(|_| can_load)
}

pub(crate) fn score(figure: f64) -> String {
    format!("{}", (figure * 1000.0).round() / 1000.0)
}

fn source(subject: ExplainInput<'_>, document: &Document) -> SourceData {
    SourceData {
        path: subject.sources().path(document.file).to_string(),
        layer: document.kind,
        strategy: document.front.fields.strategy.as_ref().map(|strategy| strategy.value),
    }
}
