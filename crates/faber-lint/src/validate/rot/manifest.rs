use std::cell::OnceCell;
use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::about::SubjectCounts;
use faber_core::diagnostic::Diagnostic;
use faber_core::file_text::FileText;
use faber_core::rule::Rule;
use faber_core::source::Span;
use faber_core::suggest::SuggestionBudget;
use faber_core::world::Kind;
use faber_session::discover::repository::Repository;

pub(super) enum Judgement {
    Unknown,
    Present,
    Absent(Absent),
}

pub(super) struct Absent {
    pub rule: &'static Rule,
    pub span: Span,
    pub name: String,
    pub message: String,
    pub help: String,
    pub files: &'static [&'static str],
    pub defines: fn(&str) -> Option<&str>,
}

/// Certain if a commit removed the target: then it existed.
pub(super) fn findings(
    repository: &Repository,
    absent: Vec<Absent>,
    subjects: &mut SubjectCounts,
) -> Vec<Diagnostic> {
    let kinds: BTreeSet<&str> = absent.iter().map(|one| one.files[0]).collect();
    let removed: Vec<_> = kinds
        .iter()
        .map(|kind| {
            let of_kind: Vec<&Absent> = absent.iter().filter(|one| one.files[0] == *kind).collect();
            let wanted: BTreeSet<&str> = of_kind.iter().map(|one| one.name.as_str()).collect();
            let files = of_kind[0].files.iter().flat_map(|name| repository.tracked().named(name));
            let files: Vec<&str> = files.take(MAX_FILES_OF_KIND).collect();
            let defines = of_kind[0].defines;
            let by_line =
                |line: &str| defines(line).filter(|name| wanted.contains(name)).map(str::to_owned);
            (*kind, repository.removed_lines(&files, &by_line))
        })
        .collect();
    let mut finding = |one: Absent| {
        let of_kind = removed.iter().find(|(kind, _)| *kind == one.files[0]);
        let Some(removal) = of_kind.and_then(|(_, removed)| removed.get(&one.name)) else {
            subjects.absent(one.span.file);
            return one.rule.at(one.span, one.message).help(one.help);
        };
        subjects.present(one.span.file);
        let message = format!("{}; {removal}", one.message);
        one.rule.at(one.span, message).exceptional().help(one.help)
    };
    absent.into_iter().map(&mut finding).collect()
}

const MAX_CHECKED_PATHS: usize = 1_000;

/// `K` are the targets of all manifests of one kind.
pub(super) struct TargetCheck<'a, K> {
    pub repository: &'a Repository,
    pub guesses: SuggestionBudget,
    pub left: usize,
    pub known: OnceCell<Option<K>>,
}

impl<'a, K> TargetCheck<'a, K> {
    pub(super) fn new(repository: &'a Repository) -> Self {
        let (guesses, known) = (SuggestionBudget::default(), OnceCell::new());
        Self { repository, guesses, left: MAX_CHECKED_PATHS, known }
    }
}

const MAX_FILES_OF_KIND: usize = 300;

pub(super) fn read(
    repository: &Repository,
    names: &[&str],
) -> Option<Vec<(Utf8PathBuf, FileText)>> {
    if repository.tracked().is_unknown {
        return None;
    }
    let roots = [Utf8Path::new(""), repository.workspace()];
    let at_roots = roots.iter().flat_map(|root| names.iter().map(|name| root.join(name)));
    let mut paths: Vec<Utf8PathBuf> =
        at_roots.filter(|path| repository.kind(path) == Kind::File).collect();
    let tracked = names.iter().flat_map(|name| repository.tracked().named(name));
    paths.extend(tracked.filter(|path| !path.contains("node_modules/")).map(Utf8PathBuf::from));
    paths.sort();
    paths.dedup();
    if paths.len() > MAX_FILES_OF_KIND {
        return None;
    }
    let read = |path: Utf8PathBuf| {
        let text = repository.read(&path)?;
        Some((path.parent().unwrap_or(Utf8Path::new("")).to_owned(), text))
    };
    paths.into_iter().map(read).collect()
}

pub(super) fn toml_values(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut section = "";
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if let Some(head) = line.strip_prefix('[') {
            let end = head.find(']').unwrap_or(head.len());
            section = head[..end].trim_start_matches('[').trim();
            return None;
        }
        let (key, value) = line.split_once('=')?;
        let value = value.trim();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let value = &value[1..];
        Some((section, key.trim().trim_matches('"'), &value[..value.find(quote)?]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_toml_are_read_with_their_sections() {
        let text = "name = 'a'\n[package]\nname = \"b\" # c\nedition.workspace = true\n[[bin]]\nname = \"d\"\n";
        let values: Vec<_> = toml_values(text).collect();
        assert_eq!(values, [("", "name", "a"), ("package", "name", "b"), ("bin", "name", "d")]);
    }
}
