use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::explain::data::{
    CandidateData, Change, ChangeData, PlatformData, RunData, SideData, State, WhatIfData,
};
use crate::explain::{ExplainInput, candidates, platform};
use faber_core::assemble::Assembly;
use faber_core::context_id::ContextId;
use faber_output::table::{Column, DisplayOptions, fitting, grouped};
use faber_output::text::counted;

pub fn compare(
    before: ExplainInput<'_>,
    after: ExplainInput<'_>,
    asked: Vec<String>,
) -> WhatIfData {
    let (old, new) = (candidates::all(before), candidates::all(after));
    let mut seen = BTreeSet::new();
    let ids = old.iter().chain(&new).map(|candidate| &candidate.id);
    let order: Vec<&ContextId> = ids.filter(|id| seen.insert(*id)).collect();
    let (old, new) = (by_id(&old), by_id(&new));
    let changes: Vec<ChangeData> = order
        .iter()
        .filter_map(|&id| change(id, old.get(id).copied(), new.get(id).copied()))
        .collect();
    WhatIfData {
        asked,
        before: run(before.assembly),
        after: run(after.assembly),
        unchanged: order.len() - changes.len(),
        changes,
    }
}

fn by_id(candidates: &[CandidateData]) -> BTreeMap<&ContextId, &CandidateData> {
    candidates.iter().map(|candidate| (&candidate.id, candidate)).collect()
}

fn run(assembly: &Assembly) -> RunData {
    RunData {
        platform: platform(assembly).map(|PlatformData { name, .. }| name),
        total_used: assembly.bundle.figures.summary.total_used,
        limit: assembly.bundle.figures.summary.limit,
        utility: assembly.bundle.figures.utility,
        listed: assembly.bundle.catalogued.iter().filter(|one| one.named).count(),
        reference_date: assembly.bundle.figures.reference_date.clone(),
        digest: assembly.bundle.figures.digest.clone(),
    }
}

fn change(
    id: &ContextId,
    before: Option<&CandidateData>,
    after: Option<&CandidateData>,
) -> Option<ChangeData> {
    let is_in = |side: Option<&CandidateData>| side.is_some_and(|c| c.state == State::Selected);
    let change = match (is_in(before), is_in(after)) {
        (false, true) => Change::Comes,
        (true, false) => Change::Goes,
        _ if before.map(fate) == after.map(fate) => return None,
        _ => Change::Changes,
    };
    Some(ChangeData { id: id.clone(), change, before: before.map(side), after: after.map(side) })
}

fn fate(candidate: &CandidateData) -> impl PartialEq + use<> {
    (candidate.state, candidate.level, candidate.tokens, candidate.packing.is_some())
}

fn side(candidate: &CandidateData) -> SideData {
    SideData {
        state: candidate.state,
        level: candidate.level,
        tokens: candidate.tokens,
        verdict: candidate.verdict.clone(),
    }
}

pub fn human(data: &WhatIfData, look: DisplayOptions) -> String {
    let figures = |name: &str, run: &RunData| {
        vec![
            name.to_owned(),
            format!("{} of {}", grouped(run.total_used), grouped(run.limit)).replace(' ', "\u{a0}"),
            run.utility.to_string(),
            run.platform.clone().unwrap_or_else(|| "none".to_owned()),
            run.reference_date.clone(),
        ]
    };
    let columns = [
        Column::new("run"),
        Column::figures("tokens"),
        Column::figures("worth"),
        Column::new("platform"),
        Column::new("date"),
    ];
    let rows = [figures("now", &data.before), figures("what if", &data.after)];
    let mut out = format!("What if {}?\n\n", data.asked.join(", "));
    out.push_str(&fitting(&columns, &rows, look.width));
    let rows: Vec<Vec<String>> = data.changes.iter().map(row).collect();
    if !rows.is_empty() {
        let columns = [
            Column::new("change"),
            Column::new("context"),
            Column::text("now"),
            Column::text("then"),
            Column::figures("tokens"),
        ];
        let _ = write!(out, "\n{}", fitting(&columns, &rows, look.width));
    }
    let what = if data.changes.is_empty() { "context" } else { "other" };
    let catalog = match (data.before.listed, data.after.listed) {
        (before, after) if before == after => String::new(),
        (before, after) => format!("; the catalog lists {after} instead of {before}"),
    };
    let _ = writeln!(out, "\n{} unchanged{catalog}", counted(data.unchanged, what));
    out
}

fn row(change: &ChangeData) -> Vec<String> {
    let word = match change.change {
        Change::Comes => "added",
        Change::Goes => "removed",
        Change::Changes => "changed",
    };
    let verdict = |side: &Option<SideData>| {
        side.as_ref().map_or_else(|| "does not exist".to_owned(), |side| side.verdict.clone())
    };
    let tokens = |side: &Option<SideData>| grouped(side.as_ref().map_or(0, |side| side.tokens));
    vec![
        word.to_owned(),
        change.id.to_string(),
        verdict(&change.before),
        verdict(&change.after),
        format!("{}\u{a0}→\u{a0}{}", tokens(&change.before), tokens(&change.after)),
    ]
}
