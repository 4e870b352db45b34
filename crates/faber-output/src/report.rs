//! The text report of an assembly.

use std::fmt::Write;

use faber_core::assemble::Assembly;
use faber_core::assemble::bundle::{Bundle, Catalogued, Loaded};
use faber_core::assemble::figures::{Figures, HistoryFigures, Recovery};
use faber_core::budget::level::Level;
use faber_core::context_id::ContextId;
use faber_core::render::block::BundleBlockKind;
use faber_core::resolve::catalog::Excluded;
use faber_core::resolve::view::Why;
use faber_core::select::reason::Reason;

use crate::table::figure;

pub fn human(assembly: &Assembly, archives: bool) -> String {
    let mut out = String::new();
    let bundle = &assembly.bundle;
    let figures = &bundle.figures;
    let about = match figures {
        Figures { estimated: true, .. } => " (estimated)",
        Figures { reconstructed: true, .. } => " (reconstructed)",
        _ => "",
    };
    let summary = figures.summary;
    let (used, limit, percent) =
        (figure(summary.total_used), figure(summary.limit), summary.utilization_percent);
    let (encoding, date) = (figures.encoding, &figures.reference_date);
    let _ = writeln!(out, "{used} of {limit} tokens ({percent} %), {encoding}{about}, {date}");
    let context = figures.context;
    let sections = [
        ("role prompt", context.system),
        ("user overlay", context.profile),
        ("contexts", context.location),
        ("related", context.related),
        ("catalog", context.catalog),
    ];
    for (name, used) in sections.into_iter().filter(|(_, used)| *used > 0) {
        let _ = writeln!(out, "  {name:<12} {:>7}", figure(used));
    }
    if let Some(history) = &figures.history {
        let (used, what) = (figure(figures.conversation.history), past(history, archives));
        let _ = writeln!(out, "  {:<12} {used:>7}   {what}", "history");
    }
    let material = figures.material.iter().filter(|one| one.tokens < one.full_tokens);
    let material: Vec<String> = material
        .map(|one| format!("{}: {} of {}", one.name, figure(one.tokens), figure(one.full_tokens)))
        .collect();
    let (message, material) = (figure(figures.conversation.message), material.join(", "));
    let _ =
        writeln!(out, "{}", format!("  {:<12} {message:>7}   {material}", "request").trim_end());
    let reserved = figure(usize::try_from(figures.response.reserved).unwrap_or(usize::MAX));
    let _ = writeln!(out, "  {:<12} {reserved:>7}   reserved for the answer", "response");
    if summary.efficiency_saved > 0 {
        let saved = figure(summary.efficiency_saved);
        let what = if left_out(bundle).is_empty() {
            "by shortening"
        } else {
            "by shortening and leaving out"
        };
        let _ = writeln!(out, "  {:<12} {saved:>7}   {what}", "saved");
    }
    recovered(&mut out, figures);
    loaded(&mut out, &bundle.loaded);
    others(&mut out, bundle);
    for summarized in &figures.summarized {
        let _ = writeln!(out, "  {}   summarized by your command", summarized.id);
    }
    for need in &assembly.bundle.needs {
        let _ = writeln!(out, "\n{}", faber_core::assemble::needs::line(need));
    }
    let (prefix, digest) = (figure(figures.stable_prefix_tokens), &figures.digest);
    let _ = writeln!(out, "\nstable prefix {prefix} tokens\n{digest}");
    out
}

fn others(out: &mut String, bundle: &Bundle) {
    let left_out = left_out(bundle);
    if !left_out.is_empty() {
        let _ = writeln!(out, "\n{} left out: no room", left_out.len());
    }
    let wide = width(left_out.iter().map(|(id, _)| id.to_string()));
    for (id, why) in left_out {
        let _ = writeln!(out, "  {:<wide$}   {why}", id.to_string());
    }
    let is_suggested = |it: &&Catalogued| !it.crowded_out && !it.reasons.is_empty();
    let suggested: Vec<&Catalogued> = bundle.catalogued.iter().filter(is_suggested).collect();
    if !suggested.is_empty() {
        let _ = writeln!(out, "\n{} relevant, but not loaded", suggested.len());
    }
    let width = width(suggested.iter().map(|one| one.entry.id.to_string()));
    for one in suggested {
        let (id, because) = (one.entry.id.to_string(), because(&one.reasons));
        let _ = writeln!(out, "  {id:<width$}   {because}");
    }
    let others = bundle.catalogued.iter().filter(|one| one.reasons.is_empty());
    let (all, named) =
        others.fold((0, 0), |(all, named), it| (all + 1, named + usize::from(it.named)));
    let has_catalog = bundle.blocks.iter().any(|block| block.kind == BundleBlockKind::Catalog);
    let excluded = bundle.excluded.iter().filter(|excluded| excluded.why != Why::OverBudget);
    let _ = writeln!(out, "\n{}", not_loaded(all, named, has_catalog));
    let _ = writeln!(out, "{} excluded", excluded.clone().count());
    for excluded in excluded {
        let path = excluded.path.as_ref().map(|path| format!(" ({path})")).unwrap_or_default();
        let _ = writeln!(out, "  {}{path}   {}", excluded.id, why_excluded(excluded));
    }
}

fn width(ids: impl Iterator<Item = String>) -> usize {
    ids.map(|id| id.chars().count()).max().unwrap_or(0)
}

/// As `expired (valid_to 2025-12-31)` or `superseded by standard/tone`.
pub fn why_excluded(excluded: &Excluded) -> String {
    let detail = &excluded.detail;
    let word = match excluded.why {
        Why::Expired => "expired",
        Why::NotYetValid => "not yet valid",
        Why::Invalid => "invalid",
        Why::When => "its condition is not met",
        Why::Overridden => "overridden",
        Why::Superseded => "superseded",
        Why::Without | Why::Status | Why::LoadNever | Why::OverBudget | Why::Insecure => {
            return detail.clone();
        }
    };
    if detail.starts_with("by ") {
        format!("{word} {detail}")
    } else {
        format!("{word} ({detail})")
    }
}

fn left_out(bundle: &Bundle) -> Vec<(&ContextId, String)> {
    let crowded_out = bundle.catalogued.iter().filter(|one| one.crowded_out);
    let named = crowded_out.map(|one| (&one.entry.id, because(&one.reasons)));
    let excluded = bundle.excluded.iter().filter(|excluded| excluded.why == Why::OverBudget);
    named.chain(excluded.map(|excluded| (&excluded.id, excluded.detail.clone()))).collect()
}

/// `all` contexts without a reason, `named` of them in the catalog.
pub fn not_loaded(all: usize, named: usize, has_catalog: bool) -> String {
    let count = figure(all);
    match named {
        _ if all == 0 => "0 not loaded".to_owned(),
        _ if !has_catalog => format!("{count} not loaded, and the bundle has no catalog"),
        0 => format!("{count} not loaded; the catalog has no room to list them"),
        named if named == all => format!("{count} not loaded, listed in the catalog"),
        named => format!("{count} not loaded, {} of them listed in the catalog", figure(named)),
    }
}

pub fn past(history: &HistoryFigures, archives: bool) -> String {
    let mut text = format!("{} of {} messages in full", history.whole, history.messages);
    if history.whole < history.messages {
        let HistoryFigures { shortened, left_out, full_tokens, .. } = history;
        let tokens = figure(*full_tokens);
        let _ = write!(text, ", {shortened} shortened, {left_out} left out, of {tokens} tokens");
    }
    match history.archivable {
        0 => {}
        count if archives => {
            let _ = write!(text, ", {count} archived");
        }
        count => {
            let _ = write!(text, ", `--archive` would archive {count}");
        }
    }
    text
}

fn recovered(out: &mut String, figures: &Figures) {
    let triggers = figures.history.iter().flat_map(|history| &history.triggers);
    let triggers: Vec<&str> = triggers.map(|trigger| trigger.name()).collect();
    if !triggers.is_empty() {
        let _ =
            writeln!(out, "\ntriggers reached by the size of the input: {}", triggers.join(", "));
    }
    if !figures.recovery.is_empty() {
        let _ = writeln!(out, "\nto make the conversation fit");
    }
    for Recovery { step, detail, tokens_saved } in &figures.recovery {
        let saved = figure(*tokens_saved);
        let _ = writeln!(out, "  {:<9} {saved:>7}   saved: {detail}", step.name());
    }
}

fn loaded(out: &mut String, loaded: &[Loaded]) {
    let width = width(loaded.iter().map(|it| it.id.to_string()));
    let _ = writeln!(out, "\n{} selected", loaded.len());
    for loaded in loaded {
        let level = loaded.level.name();
        let saved = match loaded.level {
            Level::Detailed => String::new(),
            _ => format!(" of {}", figure(loaded.full_tokens)),
        };
        let (id, tokens) = (loaded.id.to_string(), figure(loaded.tokens));
        let because = because(&loaded.reasons);
        let _ = writeln!(out, "  {level:<9} {id:<width$} {tokens:>7}{saved}   {because}");
    }
}

fn because(reasons: &[Reason]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for reason in reasons {
        let text = format!("{}: {}", reason.kind.name(), reason.detail);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let more = texts.len().saturating_sub(3);
    texts.truncate(3);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", texts.join("; "))
}
