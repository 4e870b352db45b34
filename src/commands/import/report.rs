//! Groups long lists.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;

use super::data::{FileData, ImportState};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::escape::Visible;
use faber_core::source::SourceMap;
use faber_output::emit;
use faber_output::text::counted;
use faber_session::settings::Verbosity;
use faber_tools::exchange::gather::SkippedFiles;

const LISTED: usize = 12;

/// Maximum in a suggested command.
const FOLDERS: usize = 3;

const DIFF_LINES: usize = 16;

pub(super) fn files(rows: &[FileData], all: bool) -> String {
    let changed = rows.iter().filter_map(|row| Some((word(row.state)?, &*row.path)));
    let changed: Vec<(&str, &str)> = changed.collect();
    if all || changed.len() <= LISTED {
        return lines(changed.iter().map(|(word, path)| format!("{word:<7} {}", Visible(path))));
    }
    let mut folders: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (word, path) in changed {
        *folders.entry((top(path), word)).or_default() += 1;
    }
    let line = |((folder, word), count): (&(&str, &str), &usize)| {
        format!("{word:<7} {}: {}", Visible(folder), counted(*count, "file"))
    };
    lines(folders.iter().map(line))
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

fn word(state: ImportState) -> Option<&'static str> {
    Some(match state {
        ImportState::Created => "create",
        ImportState::InPlace => "use",
        ImportState::Updated => "change",
        ImportState::Removed => "remove",
        ImportState::Gone => "gone",
        ImportState::Unchanged
        | ImportState::Edited
        | ImportState::Deleted
        | ImportState::Kept
        | ImportState::Refused
        | ImportState::Unwritten => {
            return None;
        }
    })
}

fn top(path: &str) -> &str {
    let mut ends = path.match_indices('/').map(|(at, _)| at);
    let contexts = path.find("contexts/").map_or(0, |at| at + "contexts/".len());
    let end = ends.find(|end| *end > contexts).or_else(|| path.find('/'));
    end.map_or(path, |end| &path[..end])
}

pub(super) fn findings(found: &[&Diagnostic], sources: &SourceMap, all: bool) -> String {
    if all || found.len() <= LISTED {
        return lines(found.iter().map(|found| emit::concise(found, sources)));
    }
    emit::grouped(found, sources)
}

pub(super) fn help(found: &[&Diagnostic]) -> String {
    let errors = found.iter().filter(|found| found.severity() == Severity::Error);
    let help: BTreeSet<&str> = errors.filter_map(|found| found.help.as_deref()).collect();
    lines(help.into_iter().map(|help| format!("help: {help}")))
}

pub(super) fn diffs(diffs: &[String], all: bool) -> String {
    let whole = diffs.concat();
    let lines = whole.lines().count();
    if all || lines <= DIFF_LINES {
        return whole;
    }
    let shown: String = whole.split_inclusive('\n').take(DIFF_LINES).collect();
    format!(
        "{shown}… {} of the differences; `-v` shows all\n",
        counted(lines - DIFF_LINES, "more line")
    )
}

pub(super) fn summary(rows: &[FileData], found: &[Diagnostic], dry_run: bool) -> String {
    let count = |state: ImportState| {
        rows.iter().filter(|row| row.source.is_some() && row.state == state).count()
    };
    let verb = if dry_run { "would be imported" } else { "imported" };
    let mut parts = match count(ImportState::InPlace) {
        0 => vec![format!("{} {verb}", counted(count(ImportState::Created), "file"))],
        named => vec![format!("{} used in place", counted(named, "file"))],
    };
    for (state, words) in [
        (ImportState::Updated, if dry_run { "would be updated" } else { "updated" }),
        (ImportState::Unchanged, "unchanged"),
        (ImportState::Edited, "edited here"),
        (ImportState::Deleted, "removed here"),
        (ImportState::Kept, "kept"),
        (ImportState::Refused, "not overwritten"),
        (ImportState::Unwritten, "not written"),
        (ImportState::Removed, if dry_run { "would be removed" } else { "removed" }),
        (ImportState::Gone, "gone from the source; `--prune` removes what is gone"),
    ] {
        match count(state) {
            0 => {}
            many => parts.push(format!("{many} {words}")),
        }
    }
    let lost = found.iter().filter(|it| it.severity() == Severity::Warning).count();
    if lost > 0 {
        parts.push(counted(lost, "warning"));
    }
    parts.join(", ") + "\n"
}

pub(super) fn left_out(left: &SkippedFiles, again: bool, verbosity: Verbosity) -> String {
    let SkippedFiles { others, unread, workflows, of_plugins, translations, resources, skills } =
        left;
    let mut lines = Vec::new();
    if *translations > 0 {
        let count = counted(*translations, "translation");
        lines.push(format!("{count} left out; `--translations` imports them too\n"));
    }
    if again {
        return lines.concat();
    }
    if verbosity == Verbosity::Verbose {
        let all = workflows.iter().map(|path| ("ci", path));
        let others = others.iter().chain(unread.iter().map(|(_, path)| path));
        let all = all.chain(resources.iter().map(|path| ("skill", path)));
        let all = all.chain(of_plugins.iter().map(|path| ("plugin", path)));
        let all = all.chain(others.map(|path| ("other", path)));
        lines.extend(all.map(|(word, path)| format!("{word:<7} {}\n", Visible(path.as_str()))));
    }
    lines.extend((!resources.is_empty()).then(|| of_skills(resources.len(), skills)));
    for (paths, what, rest) in [
        (workflows, "workflow", "of CI left out (`on` in front matter)"),
        (of_plugins, "file", "of plugins left out (READMEs and `evals`)"),
        (others, "other Markdown file", "left out; `faber import markdown PATH` imports documents"),
    ] {
        if !paths.is_empty() {
            lines.push(format!("{} {rest}\n", counted(paths.len(), what)));
        }
    }
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for (end, _) in unread {
        *ends.entry(end).or_default() += 1;
    }
    lines.extend(ends.into_iter().map(|(end, count)| {
        let count = counted(count, &format!("`{end}` file"));
        format!("{count} left out; documents end in `.md`, `.mdx` or `.markdown`\n")
    }));
    lines.concat()
}

fn of_skills(count: usize, folders: &BTreeSet<Utf8PathBuf>) -> String {
    let verb = if count == 1 { "does" } else { "do" };
    let named: Vec<String> =
        folders.iter().take(FOLDERS).map(|path| Visible(path.as_str()).to_string()).collect();
    let (paths, more) = match folders.len() {
        0..=FOLDERS => (named.join(" "), String::new()),
        _ => ("PATH".to_owned(), format!(", such as of `{}`; `-v` lists all", named[0])),
    };
    let count = counted(count, "Markdown file");
    format!(
        "{count} in directories of skills {verb} not load; `faber import markdown {paths}` makes contexts{more}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(paths: &[&str]) -> Vec<FileData> {
        let row = |path: &&str| FileData {
            path: (*path).to_owned(),
            id: None,
            source: None,
            state: ImportState::Created,
        };
        paths.iter().map(row).collect()
    }

    #[test]
    fn many_files_are_counted_by_folder() {
        let few = rows(&["contexts/standards/a.md", "x.md"]);
        assert_eq!(files(&few, false), "create  contexts/standards/a.md\ncreate  x.md\n");
        let names: Vec<String> =
            (0..40).map(|at| format!("contexts/playbooks/resources/{at}/x.md")).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.push(".faber/overlays/teams/web/contexts/standards/a.md");
        let many = rows(&names);
        let expected = "create  .faber/overlays/teams/web/contexts/standards: 1 file\n\
            create  contexts/playbooks: 40 files\n";
        assert_eq!(files(&many, false), expected);
        assert_eq!(files(&many, true).lines().count(), 41);
    }
}
