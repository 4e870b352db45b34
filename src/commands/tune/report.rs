//! Proposals as text.

use std::fmt::Write;

use super::TuneData;
use crate::commands::stats::report::WRITERS;
use faber_lint::testing::replay::{ReplayData, ReplayFigures};
use faber_output::table::{Column, DisplayOptions, grouped, plain, table};
use faber_output::text::counted;
use faber_tools::tune::MIN_TEXTS;
use faber_tools::tune::edit::shown;
use faber_tools::tune::proposal::{Proposal, ProposalKind};

const CHANGES: usize = 10;

pub(super) fn human(data: &TuneData, look: DisplayOptions) -> String {
    let requests = counted(data.requests, "request");
    let since = data.since.get(..16).unwrap_or(&data.since).replace('T', " ");
    let followed = grouped(data.followed);
    let mut out = format!("{requests} since {since} UTC, {followed} with further calls\n");
    let mut kind = None;
    for proposal in &data.proposals {
        if kind.replace(proposal.kind) != Some(proposal.kind) {
            let _ = writeln!(out, "\n{}", heading(proposal.kind));
        }
        out.push_str(&entry(proposal));
    }
    let out = plain(&out);
    if data.replay.requests == 0 {
        return out;
    }
    format!("{out}\n{}", replay(&data.replay, !data.files.is_empty(), look))
}

fn heading(kind: ProposalKind) -> &'static str {
    match kind {
        ProposalKind::Keyword => "keywords",
        ProposalKind::Always => "load always",
        ProposalKind::OnDemand => "load on demand",
        ProposalKind::Related => "load with another context",
        ProposalKind::Summary => "do not shorten",
        ProposalKind::Unused => "no longer offer",
        ProposalKind::Missing => "missing knowledge",
        ProposalKind::Budget => "budget",
    }
}

fn entry(proposal: &Proposal) -> String {
    let mut out = String::new();
    let what = proposal.context.as_deref().unwrap_or(&proposal.value);
    let _ = match (&proposal.edit, proposal.kind) {
        (_, ProposalKind::Missing) => writeln!(out, "  - [ ] {what}"),
        (Some(edit), _) => {
            let context = proposal.context.as_deref().unwrap_or("configuration");
            writeln!(out, "  {context}  {}", shown(edit))
        }
        (None, _) => writeln!(out, "  {what}"),
    };
    let _ = writeln!(out, "    {}", reason(proposal));
    if let Some(example) = proposal.examples.first() {
        let _ = writeln!(out, "    such as \"{example}\"");
    }
    if let Some(why) = proposal.not_applicable {
        let path = proposal.path.as_ref().map_or("", |path| path.as_str());
        let _ = writeln!(out, "    not applied: {why}: {path}");
    }
    out
}

fn reason(proposal: &Proposal) -> String {
    let Proposal { reason, count, of, at_least, .. } = proposal;
    let share =
        at_least.map(|share| format!(" (95 % confidence: at least {:.0} %)", share * 100.0));
    format!("{reason}: {} of {}{}", grouped(*count), grouped(*of), share.unwrap_or_default())
}

fn replay(data: &ReplayData, has_changes: bool, look: DisplayOptions) -> String {
    let columns = [Column::new(""), Column::figures("now"), Column::figures("with changes")];
    let shown = if has_changes { 3 } else { 2 };
    let row = |name: &str, figure: fn(&ReplayFigures) -> String| {
        let mut cells = vec![name.to_owned(), figure(&data.before), figure(&data.after)];
        cells.truncate(shown);
        cells
    };
    let mut rows = vec![
        row("tokens", |it| grouped(it.tokens)),
        row("contexts", |it| grouped(it.contexts)),
        row("shortened", |it| grouped(it.shortened)),
        row("contexts looked up later", |it| grouped(it.needed)),
        row("of these, now in the bundle", |it| grouped(it.needed_and_given)),
    ];
    if data.before.failed + data.after.failed > 0 {
        rows.push(row("cannot be assembled", |it| grouped(it.failed)));
    }
    let mut calls = counted(data.calls, "request");
    if data.calls < data.logged_calls {
        calls = format!("{} of {}", grouped(data.calls), counted(data.logged_calls, "request"));
    }
    if data.requests < data.calls {
        let _ = write!(calls, ", {} of them different", grouped(data.requests));
    }
    let table = table(&columns[..shown], &rows, 0, look.width);
    let mut out = format!("replay of {}\n{table}", plain(&calls));
    if !data.changes.is_empty() {
        out.push('\n');
    }
    for change in data.changes.iter().take(CHANGES) {
        let added = change.added.iter().map(|id| format!("+{id}"));
        let removed = change.removed.iter().map(|id| format!("-{id}"));
        let ids: Vec<String> = added.chain(removed).collect();
        let line = format!("  \"{}\" ({})  {}", change.request, change.calls, ids.join(" "));
        let _ = writeln!(out, "{}", plain(&line));
    }
    if let Some(more @ 1..) = data.changes.len().checked_sub(CHANGES) {
        let _ = writeln!(out, "  and {more} more");
    }
    out
}

pub(super) fn patch(data: &TuneData) -> String {
    let mut out = String::new();
    for proposal in &data.proposals {
        let context = proposal.context.as_deref().unwrap_or_default();
        let words = [proposal.kind.name(), context, &proposal.value];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let line = format!("{}: {}", words.join(" "), reason(proposal));
        let _ = writeln!(out, "# {}", plain(&line.replace(['\n', '\u{a0}'], " ")));
    }
    for file in &data.files {
        out.push_str(&file.unified);
    }
    out
}

pub(super) fn summary(data: &TuneData, applies: bool) -> String {
    let files = counted(data.files.len(), "file");
    let failed = data.replay.before.failed.max(data.replay.after.failed);
    let failed = match failed {
        0 => String::new(),
        failed => format!(
            "{} cannot be assembled; `faber validate` shows why\n",
            counted(failed, "logged request")
        ),
    };
    let left_out = match data.left_out {
        0 => String::new(),
        older => {
            format!("{} left out; `--since` chooses a period\n", counted(older, "older request"))
        }
    };
    left_out + &failed + &next(data, applies, &files)
}

fn next(data: &TuneData, applies: bool, files: &str) -> String {
    match (data.proposals.is_empty(), data.files.is_empty()) {
        (true, _) => match data.requests {
            0 => format!("no proposals: no requests in the audit log\n{WRITERS}"),
            few if few < MIN_TEXTS => {
                let requests = counted(few, "request");
                format!("no proposals: {requests} in the audit log; at least {MIN_TEXTS} needed\n")
            }
            _ => "no proposals: nothing to improve\n".to_owned(),
        },
        (false, true) => String::new(),
        (false, false) if applies => {
            let paths = data.written.iter().map(|path| format!("wrote {}\n", plain(path)));
            paths.collect()
        }
        (false, false) => format!("`--apply` changes {files}\n"),
    }
}
