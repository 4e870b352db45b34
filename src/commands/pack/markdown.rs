//! Effects of changed packs as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use camino::Utf8PathBuf;

use super::effects::{
    AlwaysChange, ChangeKind, FileChange, NewFinding, PackChange, PackUpdateData, ServerChange,
};
use faber_core::render::style::fence_around;
use faber_output::table::grouped;
use faber_output::text::counted;

const UNKNOWN: &str = "effects unknown, because";
const SHOWN: usize = 40;
const EACH: usize = 12;
const FIRST: usize = 3;
/// Of all differences in a pull request, which hosts limit.
const MAX_DIFF_LINES: usize = 800;

pub(super) fn human(data: &PackUpdateData, written: &[Utf8PathBuf]) -> String {
    let mut out = String::new();
    for pack in &data.packs {
        let _ = writeln!(out, "{}: {}", pack.name, steps(pack));
        if let Some(moved) = &pack.moved {
            let _ = writeln!(out, "  warning: {moved}");
        }
    }
    if let Some(why) = &data.unknown {
        let _ = writeln!(out, "\n{UNKNOWN} {why}");
    }
    for (title, names) in listed(data) {
        section(&mut out, &format!("\n{title}"), &names);
    }
    let is_update = data.packs.iter().any(|pack| pack.before.is_some());
    for (head, unified) in differences(data, is_update) {
        let _ = writeln!(out, "\n{head}");
        let lines: Vec<&str> = unified.lines().collect();
        for line in lines.iter().take(SHOWN) {
            let _ = writeln!(out, "  {line}");
        }
        if lines.len() > SHOWN {
            let more = counted(lines.len() - SHOWN, "line");
            let _ = writeln!(out, "  … {more} more; `--format json` has all");
        }
    }
    section(&mut out, "\nMCP servers:", &servers(data));
    if let Some(always) = always(data).filter(|_| is_update || written.is_empty()) {
        let _ = writeln!(out, "\n{always}");
    }
    section(&mut out, "\ntests with different results:", &tests(data));
    section(&mut out, "\nlogged requests that select different contexts:", &requests(data));
    section(&mut out, "\nnew findings:", &findings(data));
    let said = match written {
        [] if out.is_empty() => return "no changes\n".to_owned(),
        [] => "nothing is written".to_owned(),
        written => {
            let paths: Vec<&str> = written.iter().map(|path| path.as_str()).collect();
            let separator = if paths.len() > 2 { ", " } else { " and " };
            format!("wrote {}", paths.join(separator))
        }
    };
    let gap = if out.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{gap}{said}");
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
    for pack in &data.packs {
        if let Some(moved) = &pack.moved {
            let _ = writeln!(out, "\nWarning: {}: {}", code(&pack.name), escaped(moved));
        }
    }
    if let Some(why) = &data.unknown {
        let _ = writeln!(out, "\n{UNKNOWN} {}", escaped(why));
    }
    if !data.contexts.is_empty() || !data.files.is_empty() {
        out.push_str("\n## Contexts and other files\n");
    }
    for (title, names) in listed(data) {
        let _ = writeln!(out, "\n- {title}");
        for name in names {
            let _ = writeln!(out, "  - {name}");
        }
    }
    let mut left = MAX_DIFF_LINES;
    for (head, unified) in differences(data, true) {
        let _ = writeln!(out, "\n- {head}");
        let count = unified.lines().count();
        if count > left {
            let _ = writeln!(out, "  ({} of differences omitted)", counted(count, "line"));
            continue;
        }
        left -= count;
        let fence = fence_around(unified);
        let _ = writeln!(out, "\n  <details><summary>Difference</summary>\n\n  {fence}diff");
        for line in unified.lines() {
            let _ = writeln!(out, "  {line}");
        }
        let _ = writeln!(out, "  {fence}\n\n  </details>");
    }
    if let Some(always) = always(data) {
        let _ = writeln!(out, "\n{always}");
    }
    for (title, lines) in [
        ("MCP servers", servers(data)),
        ("Tests with different results", tests(data)),
        ("Requests that select different contexts", requests(data)),
        ("New findings", findings(data)),
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

/// Outside of code spans, nothing is markup, and what follows `@` is code: it would notify people.
fn escaped(text: &str) -> String {
    // Spans are delimited by single backticks.
    let mut text = text.replace('\n', " ");
    while text.contains("``") {
        text = text.replace("``", "'");
    }
    let parts: Vec<&str> = text.split('`').collect();
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        match at % 2 {
            0 => out.push_str(&plain(part)),
            _ if at + 1 < parts.len() => {
                let _ = write!(out, "`{part}`");
            }
            _ => out = format!("{out}'{}", plain(part)),
        }
    }
    out
}

fn plain(text: &str) -> String {
    let word = |word: &str| {
        let (before, mention) = word.split_at(word.find('@').unwrap_or(word.len()));
        let mut out = String::new();
        for c in before.chars() {
            match c {
                '<' => out.push_str("&lt;"),
                '&' => out.push_str("&amp;"),
                '\\' | '*' | '[' | ']' | '|' => out.extend(['\\', c]),
                c => out.push(c),
            }
        }
        if mention.is_empty() { out } else { format!("{out}`{mention}`") }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
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

fn differences(data: &PackUpdateData, with_added: bool) -> Vec<(String, &str)> {
    let contexts = data.contexts.iter().filter(|it| match it.kind {
        ChangeKind::Changed => true,
        ChangeKind::Added => with_added && !it.unified.is_empty(),
        ChangeKind::Removed => false,
    });
    let contexts = contexts
        .map(|it| (format!("{} {}{}", it.kind.name(), it.id, of_roles(&it.roles)), &it.unified));
    let files = data.files.iter().filter(|it| is_shown(it));
    let files = files.map(|it| (format!("{} {}", it.kind.name(), it.file), &it.unified));
    contexts.chain(files).map(|(head, unified)| (head, unified.as_str())).collect()
}

fn is_shown(file: &FileChange) -> bool {
    file.kind == ChangeKind::Changed || file.file.ends_with("/config.yml")
}

fn servers(data: &PackUpdateData) -> Vec<String> {
    let line = |it: &ServerChange| format!("{} {} of {}", it.kind.name(), it.server, it.pack);
    data.servers.iter().map(line).collect()
}

fn always(data: &PackUpdateData) -> Option<String> {
    let most = data.always.iter().max_by_key(|it| it.after.abs_diff(it.before))?;
    let is_same = |it: &&AlwaysChange| (it.before, it.after) == (most.before, most.after);
    let (same, others): (Vec<_>, Vec<_>) = data.always.iter().partition(is_same);
    let roles: Vec<&str> = same.iter().filter_map(|it| it.role.as_deref()).collect();
    let others = match others.len() {
        0 => String::new(),
        count => format!("; {} with a smaller change", counted(count, "other role")),
    };
    let roles = match &roles[..] {
        [] => String::new(),
        [role] => format!(" (role: {role}{others})"),
        roles => format!(" (roles: {}{others})", roles.join(", ")),
    };
    let [before, after] = [most.before, most.after].map(grouped);
    Some(format!("always loaded: {before} → {after} tokens{roles}"))
}

fn of_roles(roles: &[String]) -> String {
    match roles {
        [] => String::new(),
        roles => format!(" (roles: {})", roles.join(", ")),
    }
}

fn listed(data: &PackUpdateData) -> Vec<(String, Vec<String>)> {
    type ChangeKey<'a> = (ChangeKind, &'a [&'static str], &'a [String]);
    let mut groups: BTreeMap<ChangeKey<'_>, Vec<&str>> = BTreeMap::new();
    for context in data.contexts.iter().filter(|it| it.kind != ChangeKind::Changed) {
        let key = (context.kind, &context.flags[..], &context.roles[..]);
        groups.entry(key).or_default().push(&context.id);
    }
    let group = |((kind, flags, roles), ids): (ChangeKey<'_>, Vec<&str>)| {
        let count = counted(ids.len(), "context");
        let what = [&[&*count], flags].concat().join(", ");
        let title = format!("{} {what}{}:", kind.name(), of_roles(roles));
        if ids.len() <= EACH {
            return (title, ids.into_iter().map(str::to_owned).collect());
        }
        let mut categories: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for id in ids {
            let (category, name) = id.split_once('/').unwrap_or(("", id));
            categories.entry(category).or_default().push(name);
        }
        let line = |(category, names): (&str, Vec<&str>)| {
            let more = if names.len() > FIRST { ", …" } else { "" };
            let first = names[..names.len().min(FIRST)].join(", ");
            format!("{category}: {} ({first}{more})", names.len())
        };
        (title, categories.into_iter().map(line).collect())
    };
    let files = [ChangeKind::Added, ChangeKind::Removed].map(|kind| {
        let files = data.files.iter().filter(|it| it.kind == kind && !is_shown(it));
        let names: Vec<String> = files.map(|it| it.file.clone()).collect();
        (format!("{} {}:", kind.name(), counted(names.len(), "file")), names)
    });
    let files = files.into_iter().filter(|(_, names)| !names.is_empty());
    groups.into_iter().map(group).chain(files).collect()
}

fn findings(data: &PackUpdateData) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for found in &data.findings {
        let count = counts.entry(found.rule).or_default();
        *count += 1;
        if found.security || *count <= FIRST {
            lines.push(finding(found));
        }
    }
    let is_security: BTreeSet<&str> =
        data.findings.iter().filter(|it| it.security).map(|it| it.rule).collect();
    let more =
        counts.iter().filter(|(rule, count)| **count > FIRST && !is_security.contains(*rule));
    lines.extend(more.map(|(rule, count)| {
        format!("[{rule}] … {} more; `--format json` has all", count - FIRST)
    }));
    lines
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
    let line = match &*finding.line {
        "" => String::new(),
        line => format!(": {}", code(line)),
    };
    let NewFinding { rule, place, message, .. } = finding;
    format!("{severity}[{rule}] {place}: {message}{vanished}{line}")
}

#[cfg(test)]
mod tests {
    use faber_core::diagnostic::Severity;

    use super::super::effects::ContextChange;
    use super::*;

    #[test]
    fn what_is_alike_is_counted_and_security_is_told_in_full() {
        let context = |at: usize| ContextChange {
            id: format!("{}/c{at:02}", if at < 5 { "pattern" } else { "standard" }),
            kind: ChangeKind::Added,
            flags: Vec::new(),
            roles: vec!["dev".to_owned()],
            unified: String::new(),
        };
        let finding = |at: usize, rule: &'static str, security: bool| NewFinding {
            rule,
            severity: if security { Severity::Error } else { Severity::Hint },
            security,
            vanished_section: false,
            place: format!("a.md:{at}"),
            message: "why".to_owned(),
            line: String::new(),
        };
        let mut data = PackUpdateData {
            contexts: (0..EACH).map(context).collect(),
            findings: (1..6).map(|at| finding(at, "secret", true)).collect(),
            ..PackUpdateData::nothing()
        };
        data.findings.extend((1..6).map(|at| finding(at, "unknown-field", false)));
        let said = human(&data, &[]);
        assert!(said.contains("added 12 contexts (roles: dev):\n  pattern/c00\n"), "{said}");
        assert_eq!(said.matches("error[secret]").count(), 5, "{said}");
        assert_eq!(said.matches("hint[unknown-field]").count(), 3, "{said}");
        assert!(said.contains("[unknown-field] … 2 more; `--format json` has all"), "{said}");
        data.contexts.push(context(EACH));
        let pattern = "pattern: 5 (c00, c01, c02, …)";
        assert!(
            human(&data, &[]).contains(&format!("dev):\n  {pattern}\n  standard: 8 (")),
            "{said}"
        );
        assert!(markdown(&data).contains(&format!("  - {pattern}\n")));
    }

    #[test]
    fn roles_with_the_largest_change_are_named() {
        let always = |changes: &[(&str, usize)]| {
            let change = |(role, after): &(&str, usize)| AlwaysChange {
                role: Some((*role).to_owned()),
                before: 1,
                after: *after,
            };
            let always = changes.iter().map(change).collect();
            super::always(&PackUpdateData { always, ..PackUpdateData::nothing() }).unwrap()
        };
        assert_eq!(always(&[("a", 5)]), "always loaded: 1 → 5 tokens (role: a)");
        assert_eq!(always(&[("a", 5), ("b", 5)]), "always loaded: 1 → 5 tokens (roles: a, b)");
        let others = "always loaded: 1 → 5 tokens (role: b; 1 other role with a smaller change)";
        assert_eq!(always(&[("a", 3), ("b", 5)]), others);
    }

    #[test]
    fn differences_are_parts_of_their_list_items() {
        let change = ContextChange {
            id: "standard/a".to_owned(),
            kind: ChangeKind::Added,
            flags: Vec::new(),
            roles: Vec::new(),
            unified: "@@ -0,0 +1,3 @@\n+# A\n+\n+```\n".to_owned(),
        };
        let data = PackUpdateData { contexts: vec![change], ..PackUpdateData::nothing() };
        let text = markdown(&data);
        let item = "- added standard/a\n\n  <details><summary>Difference</summary>\n\n  ````diff\n  \
                    @@ -0,0 +1,3 @@\n  +# A\n  +\n  +```\n  ````\n\n  </details>\n";
        assert!(text.contains(item), "{text}");
        assert!(!human(&data, &[]).contains("+# A"), "only updates show added texts");
    }

    #[test]
    fn text_is_not_markup() {
        for (text, expected) in [
            ("unknown role `@acme:reviewer`", "unknown role `@acme:reviewer`"),
            ("[x](y) *a* <b> R&D a\\b", "\\[x\\](y) \\*a\\* &lt;b> R&amp;D a\\\\b"),
            ("ask @team now", "ask `@team` now"),
            ("`[x]` and `*", "`[x]` and '\\*"),
            ("``a`` `[x]`", "'a' `[x]`"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }
}
