//! The text report of an assembly.

use std::fmt::Write;

use faber_core::assemble::Assembly;
use faber_core::assemble::bundle::Loaded;
use faber_core::assemble::figures::{Figures, HistoryFigures, Recovery};
use faber_core::budget::level::Level;
use faber_core::select::reason::Reason;

use crate::table::figure;

pub fn human(assembly: &Assembly, archives: bool) -> String {
    let mut out = String::new();
    let figures = &assembly.bundle.figures;
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
        ("system", context.system, figures.sections.system),
        ("profile", context.profile, figures.sections.profile),
        ("location", context.location, figures.sections.location),
        ("related", context.related, figures.sections.related),
        ("catalog", context.catalog, figures.sections.catalog),
    ];
    for (name, used, share) in sections {
        let (used, share) = (figure(used), number(share));
        let _ = writeln!(out, "  {name:<9} {used:>7}   share {share}");
    }
    if let Some(history) = &figures.history {
        let (used, what) = (figure(figures.conversation.history), past(history, archives));
        let _ = writeln!(out, "  {:<9} {used:>7}   {what}", "history");
    }
    let material = figures.material.iter().filter(|one| one.tokens < one.full_tokens);
    let material: Vec<String> = material
        .map(|one| format!("{}: {} of {}", one.name, figure(one.tokens), figure(one.full_tokens)))
        .collect();
    let (message, material) = (figure(figures.conversation.message), material.join(", "));
    let _ = writeln!(out, "{}", format!("  {:<9} {message:>7}   {material}", "message").trim_end());
    let reserved = number(figures.response.reserved);
    let _ = writeln!(out, "  {:<9} {reserved:>7}   reserved for the answer", "response");
    if summary.efficiency_saved > 0 {
        let saved = figure(summary.efficiency_saved);
        let _ = writeln!(out, "  {:<9} {saved:>7}   by shortening", "saved");
    }
    recovered(&mut out, figures);
    loaded(&mut out, &assembly.bundle.loaded);
    for catalogued in assembly.bundle.catalogued.iter().filter(|it| !it.reasons.is_empty()) {
        let what = if catalogued.crowded_out { "did not fit" } else { "suggested" };
        let (id, because) = (&catalogued.entry.id, because(&catalogued.reasons));
        let _ = writeln!(out, "  catalog   {id}   {what}: {because}");
    }
    let only_named = assembly.bundle.catalogued.iter().filter(|c| !c.crowded_out).count();
    let _ = writeln!(out, "\n{only_named} catalogued, {} excluded", assembly.bundle.excluded.len());
    for excluded in &assembly.bundle.excluded {
        let path = excluded.path.as_ref().map(|path| format!(" ({path})")).unwrap_or_default();
        let _ = writeln!(out, "  {}{path}   {}", excluded.id, excluded.detail);
    }
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

fn number(tokens: u64) -> String {
    figure(usize::try_from(tokens).unwrap_or(usize::MAX))
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
        let _ = writeln!(out, "\nthe size of the input makes faber {}", triggers.join(", "));
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
    let width = loaded.iter().map(|it| it.id.to_string().chars().count()).max().unwrap_or(0);
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

/// Each kind once, with its first details.
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
