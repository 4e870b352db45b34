use std::fmt::Write;

use crate::explain::data::{CandidateData, State};
use crate::explain::{bar, candidates};
use faber_core::assemble::Assembly;
use faber_core::layer::LayerKind;
use faber_core::packs;
use faber_core::select::reason::{Reason, ReasonKind};
use faber_output::report;
use faber_output::table::{Column, DisplayOptions, fitting, fold, folded, grouped, plain};

const MATCHES: usize = 2;

pub fn human(assembly: &Assembly, candidates: &[CandidateData], look: DisplayOptions) -> String {
    let mut out = header(assembly, look);
    let headline = bar::headline(&assembly.bundle.figures);
    let _ = write!(out, "\n{}", folded(&headline, Some(look.width)));
    out.push_str(&bar::bar(&assembly.bundle.figures, look));
    let only_named = |c: &&CandidateData| c.state == State::Catalogued && c.reasons.is_empty();
    let rows = candidates.iter().filter(|c| !only_named(c));
    let rows: Vec<Vec<String>> = rows.map(|c| row(c, look.everything)).collect();
    let figures = &assembly.bundle.figures;
    if let Some(history) = &figures.history {
        let _ = writeln!(out, "\nconversation: {}", report::past(history, false));
    }
    for step in &figures.recovery {
        let _ = writeln!(out, "  {}: {}", step.step.name(), step.detail);
    }
    let columns = [
        Column::new("context"),
        Column::new("layer"),
        Column::text("why"),
        Column::figures("tokens"),
        Column::text("level"),
    ];
    let table = match &rows[..] {
        [] => "no contexts selected\n".to_owned(),
        rows => fitting(&columns, rows, look.width),
    };
    let _ = write!(out, "\n{table}");
    let named: Vec<&CandidateData> = candidates.iter().filter(only_named).collect();
    if !named.is_empty() && look.everything {
        let _ = write!(out, "\n{} not loaded:\n{}", grouped(named.len()), not_loaded(&named, look));
    } else if !named.is_empty() {
        let short = format!("{}; `-v` lists them", not_loaded_in_short(&named));
        let _ = write!(out, "\n{}", folded(&short, Some(look.width)));
    }
    out.replace('\u{a0}', " ")
}

fn not_loaded_in_short(named: &[&CandidateData]) -> String {
    let count = |end: &str| named.iter().filter(|c| c.verdict.ends_with(end)).count();
    let has_catalog = count(candidates::NO_CATALOG) == 0;
    report::not_loaded(named.len(), count(candidates::LISTED), has_catalog)
}

fn not_loaded(named: &[&CandidateData], look: DisplayOptions) -> String {
    let figure = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), candidates::score);
    let row = |candidate: &&CandidateData| {
        vec![
            candidate.id.to_string(),
            tokens(candidate),
            figure(candidate.relevance),
            figure(candidate.least_relevance),
            if candidate.verdict.ends_with(candidates::LISTED) { "yes" } else { "no" }.to_owned(),
        ]
    };
    let columns = [
        Column::new("context"),
        Column::figures("tokens"),
        Column::figures("relevance"),
        Column::figures("threshold"),
        Column::new("in the catalog"),
    ];
    let mut named = named.to_vec();
    let relevance = |candidate: &CandidateData| candidate.relevance.unwrap_or(-1.0);
    named.sort_by(|a, b| relevance(b).total_cmp(&relevance(a)));
    let rows: Vec<Vec<String>> = named.iter().map(row).collect();
    let table = fitting(&columns, &rows, look.width.saturating_sub(2));
    table.lines().flat_map(|line| ["  ", line, "\n"]).collect()
}

pub fn header(assembly: &Assembly, look: DisplayOptions) -> String {
    let figures = &assembly.bundle.figures;
    let platform = assembly.pack.platform.as_ref();
    let platform =
        platform.map(|platform| format!(" on {} ({})", platform.name, platform.chosen_by));
    let role = format!("{}{}", assembly.role, platform.unwrap_or_default());
    let groups = &figures.principal.groups;
    let groups =
        if groups.is_empty() { String::new() } else { format!(" in {}", groups.join(", ")) };
    let user = figures.principal.user.as_ref();
    let user = user.map(|user| format!("for {user}{groups}, ")).unwrap_or_default();
    let counted = match &figures.model {
        Some(model) if figures.estimated => {
            format!("{model}: {} plus {} %, estimated", figures.encoding, figures.margin)
        }
        Some(model) if figures.reconstructed => {
            format!("{model}: {}, reconstructed", figures.encoding)
        }
        Some(model) => format!("{model}: {}", figures.encoding),
        None => figures.encoding.to_owned(),
    };
    let when = format!("{}, {user}{counted}", figures.reference_date);
    let lines = fold(&role, look.width).into_iter().chain(fold(&when, look.width));
    lines.map(|line| plain(&line) + "\n").collect()
}

fn tokens(candidate: &CandidateData) -> String {
    let full = candidate.full_tokens.map(grouped);
    let about = if candidate.estimated { "~" } else { "" };
    let tokens = match (candidate.state, full) {
        (State::Selected, Some(full)) if candidate.full_tokens == Some(candidate.tokens) => full,
        (State::Selected, Some(full)) => format!("{} / {full}", grouped(candidate.tokens)),
        (_, Some(full)) => format!("{} / {about}{full}", grouped(candidate.tokens)),
        (_, None) => "0".to_owned(),
    };
    tokens.replace(' ', "\u{a0}")
}

fn row(candidate: &CandidateData, has_places: bool) -> Vec<String> {
    vec![
        candidate.id.to_string(),
        layer(candidate),
        why(&candidate.reasons, has_places),
        tokens(candidate),
        level(candidate),
    ]
}

fn level(candidate: &CandidateData) -> String {
    let (name, verdict) = (candidate.level.name(), &*candidate.verdict);
    match candidate.state {
        State::Selected => match verdict.split_once(", then ") {
            Some((_, then)) => format!("{name}, {then}"),
            None => name.to_owned(),
        },
        State::Catalogued => match verdict.strip_suffix(candidates::LISTED) {
            Some(why) => {
                let why = why.trim_start_matches("not loaded: ").trim_end_matches("; ");
                format!("{name}: {why}")
            }
            None => verdict.to_owned(),
        },
        State::Excluded => verdict.to_owned(),
    }
}

fn layer(candidate: &CandidateData) -> String {
    let name = candidate.layer.map_or("", LayerKind::name);
    let pack =
        candidate.sources.last().and_then(|source| packs::of_path(source.path.as_str().into()));
    pack.map_or_else(|| name.to_owned(), |pack| format!("{name} of {pack}"))
}

fn why(reasons: &[Reason], has_places: bool) -> String {
    let kinds = reasons.chunk_by(|a, b| a.kind == b.kind).map(|alike| {
        let shown = |reason: &Reason| if has_places { place(reason) } else { word(reason) };
        let mut matches: Vec<String> = alike.iter().filter_map(shown).collect();
        matches.dedup();
        let more = matches.len().saturating_sub(MATCHES);
        matches.truncate(MATCHES);
        if more > 0 {
            matches.push(format!("{more}\u{a0}more"));
        }
        let kind = match alike[0].kind {
            ReasonKind::Prompt => "role prompt",
            kind => kind.name(),
        };
        format!("{kind} {}", matches.join(", ")).trim_end().to_owned()
    });
    kinds.collect::<Vec<_>>().join("; ")
}

fn word(reason: &Reason) -> Option<String> {
    let keyword = &reason.matched.as_ref()?.keyword;
    Some(format!("\"{}\"", keyword.trim_matches('"').replace(' ', "\u{a0}")))
}

/// `"security" 7–15`, in bytes.
pub fn place(reason: &Reason) -> Option<String> {
    let (word, matched) = (word(reason)?, reason.matched.as_ref()?);
    let range = format!("{}–{}", matched.start, matched.end);
    let text = if reason.detail.ends_with("in the error text") {
        "\u{a0}of\u{a0}the\u{a0}error"
    } else {
        ""
    };
    Some(format!("{word}\u{a0}{range}{text}"))
}
