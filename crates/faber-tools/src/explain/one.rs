use std::fmt::Write;

use crate::explain::candidates::{in_tokens, score};
use crate::explain::data::{CandidateData, State, TermData};
use crate::explain::overview::place;
use faber_core::assemble::figures::{OfferTrace, PackingTrace};
use faber_core::budget::level::Level;
use faber_core::category::Load;
use faber_core::resolve::catalog::Excluded;
use faber_core::resolve::view::Why;
use faber_core::select::reason::{Reason, ReasonKind};
use faber_output::report::why_excluded;
use faber_output::table::{Column, DisplayOptions, fitting, folded, grouped, plain};

struct ReportPart {
    title: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl ReportPart {
    fn table(&self, indent: usize, look: DisplayOptions) -> String {
        let table = fitting(&self.columns, &self.rows, look.width.saturating_sub(indent));
        let indent = " ".repeat(indent);
        table.lines().flat_map(|line| [&*indent, line, "\n"]).collect()
    }
}

pub fn brief(candidate: &CandidateData, look: DisplayOptions) -> String {
    let mut out = plain(&format!("{}: {}\n", candidate.id, candidate.verdict));
    let parts = if candidate.reasons.is_empty() {
        vec![left_out(candidate), selectors(candidate)]
    } else {
        vec![reasons(candidate)]
    };
    for part in parts.iter().filter(|part| !part.rows.is_empty()) {
        let _ = write!(out, "  {}\n{}", part.title, part.table(4, look));
    }
    out.replace('\u{a0}', " ")
}

pub fn human(candidate: &CandidateData, free: usize, look: DisplayOptions) -> String {
    let mut out = plain(&format!("{}: {}\n", candidate.id, candidate.verdict));
    let about = if candidate.estimated { "about " } else { "" };
    if let Some(full) = candidate.full_tokens {
        let used = match candidate.tokens {
            0 => String::new(),
            used => format!("{} of ", grouped(used)),
        };
        let unit = if full == 1 { "token" } else { "tokens" };
        let _ = writeln!(out, "{used}{about}{} {unit}", grouped(full));
    }
    out.push_str(&resemblance(candidate));
    let parts = [
        reasons(candidate),
        layers(candidate),
        left_out(candidate),
        selectors(candidate),
        settings(candidate),
    ];
    for part in parts.into_iter().chain(candidate.packing.as_ref().map(offers)) {
        if !part.rows.is_empty() {
            let _ = write!(out, "\n{}\n{}", part.title, part.table(2, look));
        }
    }
    if let Some(packing) = &candidate.packing {
        out.push_str(&folded(&sum(candidate, packing, free), Some(look.width)));
    }
    out.replace('\u{a0}', " ")
}

fn resemblance(candidate: &CandidateData) -> String {
    let Some(relevance) = candidate.relevance else { return String::new() };
    let own = format!("relevance to the request {}", score(relevance));
    let least = candidate.least_relevance.filter(|least| relevance < *least).map(score);
    let missed = least.map(|least| format!(", below the threshold of {least}"));
    format!("{own}{}\n", missed.unwrap_or_default())
}

fn reasons(candidate: &CandidateData) -> ReportPart {
    let row = |reason: &Reason| {
        let declared = reason.matched.as_ref().map(|m| format!("declared at {}", m.declared_at));
        let matched = place(reason).unwrap_or_default();
        vec![
            reason.kind.name().to_owned(),
            reason.detail.clone(),
            matched,
            declared.unwrap_or_default(),
        ]
    };
    let columns = vec![Column::new(""), Column::text(""), Column::text(""), Column::text("")];
    ReportPart { title: "Reasons", columns, rows: candidate.reasons.iter().map(row).collect() }
}

fn layers(candidate: &CandidateData) -> ReportPart {
    let row = |source: &faber_output::json::SourceData| {
        let strategy = source.strategy.map(faber_core::strategy::Strategy::name);
        vec![
            source.layer.name().to_owned(),
            source.path.clone(),
            strategy.unwrap_or_default().to_owned(),
        ]
    };
    let columns = vec![Column::new(""), Column::text(""), Column::new("")];
    let rows = candidate.sources.iter().map(row).collect();
    ReportPart { title: "Layers, lowest first", columns, rows }
}

fn left_out(candidate: &CandidateData) -> ReportPart {
    let row = |excluded: &Excluded| {
        vec![
            excluded.path.as_ref().map_or("all of it", |path| path.as_str()).to_owned(),
            why_excluded(excluded),
        ]
    };
    let columns = vec![Column::text(""), Column::text("")];
    ReportPart { title: "Left out", columns, rows: candidate.left_out.iter().map(row).collect() }
}

fn selectors(candidate: &CandidateData) -> ReportPart {
    let selectors = &candidate.selectors;
    let mut rows = Vec::new();
    let columns = vec![Column::text(""), Column::text(""), Column::new("")];
    let title = "Loads on";
    let is_barred = |gone: &Excluded| !matches!(gone.why, Why::Without | Why::LoadNever);
    if candidate.state == State::Excluded && candidate.left_out.iter().any(is_barred) {
        return ReportPart { title, columns, rows };
    }
    let load = match selectors.load {
        Load::Always => Some("every request".to_owned()),
        Load::Never => Some("nothing but `--with`".to_owned()),
        Load::Platform => Some(match &selectors.platform {
            Some(platform) => format!("the platform {platform}"),
            None => "its platform".to_owned(),
        }),
        _ => None,
    };
    let row = |what: String| vec![what, String::new(), String::new()];
    rows.extend(load.map(row));
    if selectors.load != Load::Never {
        let place =
            |place: &String| vec!["`Load` in the prompt".to_owned(), place.clone(), String::new()];
        rows.extend(selectors.prompt.iter().map(place));
        let term = |what: &str, terms: &[TermData]| {
            let row = |term: &TermData| {
                let name = format!("{what} `{}`", term.term);
                vec![name, term.declared_at.clone(), matched(candidate, term).to_owned()]
            };
            terms.iter().map(row).collect::<Vec<_>>()
        };
        rows.extend(term("keyword", &selectors.keywords));
        rows.extend(term("error", &selectors.errors));
        rows.extend(term("files like", &selectors.globs));
        let related = selectors.related_to.iter();
        rows.extend(related.map(|id| row(format!("{id}, which is related"))));
    }
    let resembles = candidate.reasons.iter().any(|reason| reason.kind == ReasonKind::Semantic);
    if resembles || candidate.least_relevance.is_some() {
        rows.push(row("a request that resembles it".to_owned()));
    }
    if rows.is_empty() {
        rows.push(row("`--with`, a task or flow, or `custom_contexts`".to_owned()));
    }
    ReportPart { title, columns, rows }
}

fn matched(candidate: &CandidateData, term: &TermData) -> &'static str {
    let glob = format!(" matches `{}`", term.term.trim());
    let is_of = |reason: &Reason| match &reason.matched {
        Some(it) => it.keyword == term.term && it.declared_at == term.declared_at,
        None => reason.kind == ReasonKind::Files && reason.detail.ends_with(&glob),
    };
    if candidate.reasons.iter().any(is_of) { "matched" } else { "" }
}

fn settings(candidate: &CandidateData) -> ReportPart {
    let rows = candidate.settings.iter().map(|setting| {
        let value = match &setting.value {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Null => "none".to_owned(),
            value => value.to_string(),
        };
        let place = setting.declared_at.clone().unwrap_or_else(|| "by default".to_owned());
        vec![setting.key.to_owned(), value, place]
    });
    let columns = vec![Column::new(""), Column::text(""), Column::text("")];
    ReportPart { title: "Relevant front matter", columns, rows: rows.collect() }
}

fn offers(packing: &PackingTrace) -> ReportPart {
    let row = |offer: &OfferTrace| {
        let remark = match (offer.taken, offer.allowed) {
            (true, _) => "taken",
            (false, true) => "",
            (false, false) => "not allowed",
        };
        let (level, remark) = (offer.level.name().to_owned(), remark.to_owned());
        vec![level, grouped(offer.tokens), score(offer.value), worth(offer.utility), remark]
    };
    let columns = vec![
        Column::new("level"),
        Column::figures("tokens"),
        Column::figures("value"),
        Column::figures("worth"),
        Column::new(""),
    ];
    ReportPart { title: "Packing", columns, rows: packing.offers.iter().map(row).collect() }
}

fn worth(figure: f64) -> String {
    if figure > 0.0 && figure < 0.001 { format!("{figure:.1e}") } else { score(figure) }
}

fn cap(candidate: &CandidateData, packing: &PackingTrace) -> Option<usize> {
    let cap = candidate.settings.iter().find(|setting| setting.key == "max_tokens")?;
    let cap = usize::try_from(cap.value.as_u64()?).ok()?;
    let is_over = candidate.level != Level::Detailed && candidate.full_tokens? > cap;
    let taken = packing.offers.iter().find(|offer| offer.taken)?.tokens;
    let is_longest = packing.offers.iter().all(|offer| offer.tokens <= taken || offer.tokens > cap);
    (is_over && is_longest).then_some(cap)
}

fn sum(candidate: &CandidateData, packing: &PackingTrace, free: usize) -> String {
    let must = if packing.required { ", required" } else { "" };
    let taken = packing.offers.iter().find(|offer| offer.taken);
    let (value, worth) = match taken {
        Some(taken) => (score(taken.value), format!(": worth {}", worth(packing.utility))),
        None => ("of the level".to_owned(), String::new()),
    };
    let mut out = format!(
        "  weight {} × (11 − priority {}) × (0.1 + relevance {})⁸ × value {value} in section {}{must}{worth}\n",
        score(packing.weight),
        packing.priority,
        score(packing.relevance),
        packing.section.name(),
    );
    if candidate.relevance.is_some_and(|own| own < packing.relevance) {
        out.push_str("  Its reasons raise its relevance to this minimum\n");
    }
    if let Some(cap) = cap(candidate, packing).map(grouped) {
        let note = format!(
            "  `max_tokens` in its front matter limits it to {cap} tokens; raise or remove it for more\n"
        );
        return out + &note;
    }
    if packing.offers.first().is_none_or(|offer| offer.taken) {
        return out;
    }
    let is_over = |allowed: &usize| packing.offers.iter().any(|offer| offer.tokens > *allowed);
    let used = taken.map_or(0, |taken| taken.tokens);
    let longer = packing.offers.iter().filter(|offer| offer.allowed && offer.tokens > used);
    let next = longer.map(|offer| offer.tokens).min();
    let left = grouped(free);
    let why = match (packing.max_tokens.filter(is_over), next) {
        (Some(allowed), _) => {
            let allowed = in_tokens(allowed);
            format!("It only resembles the request: at this relevance it may take {allowed}")
        }
        (None, None) => return out,
        (None, Some(next)) if next - used <= free => {
            format!("Other contexts are worth more; {left} tokens are free")
        }
        (None, Some(next)) if used == 0 => {
            format!("Its shortest form has {} tokens, {left} are free", grouped(next))
        }
        (None, Some(next)) => {
            let (next, more) = (grouped(next), grouped(next - used));
            format!(
                "The next longer form has {next} tokens, {more} more than this; {left} are free"
            )
        }
    };
    let _ = writeln!(out, "  {why}");
    out + "  For more of it: a larger `--budget`, `--with ID`, or `priority: 1` or `required: true` in its front matter\n"
}
