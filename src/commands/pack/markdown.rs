//! What a change of packs changes, as text for people and for pull requests.

use std::fmt::Write;

use super::effects::{ChangeKind, ContextChange, NewFinding, PackChange, PackUpdateData};
use faber_core::render::style::fence_around;
use faber_output::text::counted;

/// Lines of a difference in the text for people.
const SHOWN: usize = 40;
/// Lines of all differences in the text for a pull request, whose length hosts limit.
const MOST: usize = 800;

/// As text for people.
pub(super) fn human(data: &PackUpdateData) -> String {
    let mut out = String::new();
    for pack in &data.packs {
        let _ = writeln!(out, "{}: {}", pack.name, steps(pack));
    }
    for context in &data.contexts {
        let _ = writeln!(out, "\n{}", head(context));
        if context.kind == ChangeKind::Changed {
            let lines: Vec<&str> = context.unified.lines().collect();
            for line in lines.iter().take(SHOWN) {
                let _ = writeln!(out, "  {line}");
            }
            if lines.len() > SHOWN {
                let _ = writeln!(
                    out,
                    "  … {} more; `--format json` has all",
                    counted(lines.len() - SHOWN, "line")
                );
            }
        }
    }
    section(&mut out, "\ntests that end otherwise:", &tests(data));
    section(&mut out, "\nrequests of the audit log that select other contexts:", &requests(data));
    section(&mut out, "\nnew findings:", &data.findings.iter().map(finding).collect::<Vec<_>>());
    if out.is_empty() {
        return "nothing changes\n".to_owned();
    }
    // A folder is not locked.
    out.push_str(match (data.written, data.packs.is_empty()) {
        (false, _) => "\nnothing is written\n",
        (true, true) => "\n.faber/config.yml is written\n",
        (true, false) => "\nfaber.lock is written\n",
    });
    out
}

fn section(out: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = writeln!(out, "{title}");
        for line in lines {
            let _ = writeln!(out, "  {line}");
        }
    }
}

/// As the text of a pull request.
pub(super) fn markdown(data: &PackUpdateData) -> String {
    let mut out = String::from("## Packs\n\n");
    if data.packs.is_empty() {
        out.push_str("No pack changes.\n");
    } else {
        out.push_str("| Pack | From | To | Files |\n|---|---|---|---|\n");
    }
    for pack in &data.packs {
        let version = |version: &Option<String>| version.as_deref().map_or("–".to_owned(), code);
        let (before, after) = (version(&pack.before), version(&pack.after));
        let _ = writeln!(out, "| {} | {before} | {after} | {} |", code(&pack.name), files(pack));
    }
    if !data.contexts.is_empty() {
        out.push_str("\n## Contexts\n");
    }
    let mut left = MOST;
    for context in &data.contexts {
        let _ = writeln!(out, "\n- {}", head(context));
        let count = context.unified.lines().count();
        if context.kind != ChangeKind::Changed {
            continue;
        }
        if count > left {
            let _ = writeln!(out, "  ({} of differences left out)", counted(count, "line"));
            continue;
        }
        left -= count;
        let fence = fence_around(&context.unified);
        let _ = writeln!(
            out,
            "\n  <details><summary>Difference</summary>\n\n{fence}diff\n{}{fence}\n\n  </details>",
            context.unified
        );
    }
    let findings: Vec<String> = data.findings.iter().map(finding).collect();
    for (title, lines) in [
        ("Tests that end otherwise", tests(data)),
        ("Requests that select other contexts", requests(data)),
        ("New findings", findings),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(out, "\n## {title}\n");
            for line in lines {
                let _ = writeln!(out, "- {}", escaped(&line));
            }
        }
    }
    out
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace(['`', '|', '\n'], "'"))
}

/// A text in which nothing is markup.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('<', "&lt;")
        .replace('|', "\\|")
        .replace(['*', '[', ']'], " ")
        .replace('@', "@\u{2060}")
}

fn steps(pack: &PackChange) -> String {
    let steps = match (&pack.before, &pack.after) {
        (None, Some(after)) => format!("new, {after}"),
        (Some(before), Some(after)) => format!("{before} → {after}"),
        (Some(before), None) => format!("{before}, removed"),
        (None, None) => String::new(),
    };
    format!("{steps}: {}", files(pack))
}

fn files(pack: &PackChange) -> String {
    format!(
        "{} added, {} removed, {} changed",
        counted(pack.added, "file"),
        pack.removed,
        pack.changed
    )
}

fn head(context: &ContextChange) -> String {
    let kind = match context.kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Changed => "changed",
    };
    let roles = match &context.roles[..] {
        [] => String::new(),
        roles => format!(" (roles: {})", roles.join(", ")),
    };
    format!("{kind} {}{roles}", context.id)
}

fn tests(data: &PackUpdateData) -> Vec<String> {
    let line = |test: &super::effects::TestChange| match test.failures.first() {
        Some(first) => format!("{} fails: {first}", test.case),
        None => format!("{} passes", test.case),
    };
    data.tests.iter().map(line).collect()
}

fn requests(data: &PackUpdateData) -> Vec<String> {
    let signed = |ids: &[String], sign: char| {
        ids.iter().map(|id| format!(" {sign}{id}")).collect::<Vec<_>>().concat()
    };
    let line = |change: &faber_lint::testing::suggest::RequestChange| {
        let calls = counted(change.calls, "call");
        format!(
            "{} ({calls}):{}{}",
            change.request,
            signed(&change.added, '+'),
            signed(&change.removed, '-')
        )
    };
    data.requests.iter().map(line).collect()
}

fn finding(finding: &NewFinding) -> String {
    let severity = finding.severity.name();
    let vanished =
        if finding.vanished_section { " (a section that an overlay changes is gone)" } else { "" };
    format!("{severity}[{}] {}: {}{vanished}", finding.rule, finding.place, finding.message)
}
