use std::collections::BTreeSet;
use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

use crate::validate::check::ViewInput;
use crate::validate::rot::paths;
use faber_core::category::Category;
use faber_core::diagnostic::{Diagnostic, thinned};
use faber_core::parse::references::scan::FoundReference;
use faber_core::parse::references::{self, Reference, is_markdown};
use faber_core::resolve::index::{Resolution, candidates, companions};
use faber_core::source::{FileId, Span, Spanned};
use faber_core::suggest::SuggestionBudget;
use faber_core::workspace::survey::FileKind;
use faber_core::world::Kind;
use faber_session::discover::repository::Repository;

const NEAR: usize = 120;

const POINTERS: [&str; 6] = ["consult", "follow", "load", "read", "refer", "see"];

/// Other checks report references in rules, fields and includes.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let (survey, sources) = (input.whole.survey, input.whole.sources);
    let (mut guesses, mut guesses_of_names) = <(SuggestionBudget, SuggestionBudget)>::default();
    let mut dangling = |reference: &FoundReference| {
        let (value, span) = (reference.text.clone(), reference.span);
        let spanned = Spanned { value, span };
        input.catalog.missing(&spanned, sources, &mut guesses, || namesake(input, reference))
    };
    let prompt = &input.read.prompt;
    let loads = prompt.loads.iter().map(|load| (&load.target, load.optional));
    let targets = loads.chain(prompt.rules.iter().map(|rule| (&rule.target, rule.optional)));
    let loaded: BTreeSet<Span> =
        targets.filter(|(_, optional)| !optional).map(|(target, _)| target.span).collect();
    for entry in survey.instructions(sources, input.lineage) {
        let missing = entry.references.iter();
        let missing = missing.filter(|it| !loaded.contains(&it.span) && is_missing(input, it));
        thinned(found, missing.map(&mut dangling));
    }
    let shown: BTreeSet<FileId> = input.documents.iter().map(|document| document.file).collect();
    let contexts = survey.files.iter().filter(|entry| entry.kind == FileKind::Context);
    for entry in contexts.filter(|entry| shown.contains(&entry.file)) {
        let text = &sources.get(entry.file).text;
        let missing = entry.references.iter().filter(|reference| {
            let certainty = certainty(reference, text);
            let mut is_similar =
                || input.catalog.suggest(&reference.text, sources, &mut guesses_of_names).is_some();
            certainty != Certainty::None
                && is_missing(input, reference)
                && !is_elsewhere(input, &reference.text)
                && (certainty == Certainty::Certain || is_similar())
        });
        thinned(found, missing.map(|it| dangling(it).exceptional()));
    }
}

fn is_missing(input: &ViewInput<'_>, reference: &FoundReference) -> bool {
    let sources = input.whole.sources;
    let from = input.expander.from(reference.span.file);
    let missing = input.catalog.index.resolve(&reference.text, from) == Resolution::Missing;
    if reference.optional || !missing {
        return false;
    }
    let (parsed, _) = references::parse(&reference.text);
    let (root, homes) = (input.expander.role_root, input.expander.role_homes);
    let paths = candidates(&parsed, from, root, homes).unwrap_or_default();
    let is_there = |path: &Utf8PathBuf| {
        sources.find(path).is_some() || input.whole.survey.present.contains(path)
    };
    let path = sources.path(reference.span.file);
    let original = sources.original_path(reference.span.file);
    let mut companions = companions(path, original, &reference.text);
    !paths.iter().any(is_there) && !companions.any(|path| is_there(&path))
}

fn namesake(input: &ViewInput<'_>, reference: &FoundReference) -> Option<String> {
    let repository = input.whole.repository.filter(|_| references::is_file(&reference.text))?;
    let original = input.whole.sources.original_path(reference.span.file);
    let skill = paths::skill_folder(&repository.workspace().join(original))?;
    let path = reference.text.split('#').next()?;
    let name = Utf8Path::new(path).file_name()?;
    let found = paths::namesake(repository, Some(&skill), name)?;
    let is_there = || {
        [&skill.join(&found), Utf8Path::new(&found)]
            .iter()
            .any(|it| repository.kind(it) != Kind::Missing)
    };
    (found != path && is_there()).then_some(found)
}

fn is_elsewhere(input: &ViewInput<'_>, text: &str) -> bool {
    let is_tracked = |name| {
        let is_there = |it: &Repository| {
            it.tracked().named(name).any(|path| it.kind(path.into()) != Kind::Missing)
        };
        input.whole.repository.is_some_and(is_there)
    };
    matches!(references::parse(text).0, Reference::Name { name } if is_tracked(name))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    None,
    IfSimilar,
    Certain,
}

/// Other paths in backticks may be files to create, or alternatives.
fn certainty(reference: &FoundReference, text: &str) -> Certainty {
    let Range { start, end } = reference.span.range();
    let before = &text[..start];
    let line = before.char_indices().rev().take(NEAR).take_while(|(_, c)| *c != '\n');
    let before = &before[line.last().map_or(before.len(), |(at, _)| at)..];
    let is_link = before.ends_with("](") || before.ends_with("](<");
    let is_asked_for = || {
        let mut words = before.split(|c: char| !c.is_alphanumeric());
        words.any(|word| POINTERS.iter().any(|it| it.eq_ignore_ascii_case(word)))
    };
    let is_meant = match references::parse(&reference.text).0 {
        Reference::Name { name } if Category::from_prefix(name).is_none() => false,
        Reference::Name { name } if !is_markdown(name) => false,
        Reference::Relative { path } if !is_markdown(path) => false,
        _ if references::is_file(&reference.text) => is_link || is_asked_for(),
        Reference::Id { .. } | Reference::Name { .. } => {
            let after = text[end..].trim_start_matches([' ', '\t']);
            let is_cell = before.trim_end().ends_with(['|', ',', ';'])
                && (after.is_empty() || after.starts_with(['|', ',', ';', '\r', '\n']));
            let is_meant = is_link || is_cell || is_asked_for();
            if !is_meant && before.ends_with('`') {
                return Certainty::IfSimilar;
            }
            is_meant
        }
        _ => true,
    };
    if is_meant { Certainty::Certain } else { Certainty::None }
}
