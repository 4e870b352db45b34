use std::collections::BTreeSet;
use std::ops::Range;

use camino::Utf8PathBuf;

use crate::validate::check::ViewInput;
use faber_core::category::Category;
use faber_core::diagnostic::{Diagnostic, thinned};
use faber_core::parse::references::scan::FoundReference;
use faber_core::parse::references::{self, Reference, is_markdown};
use faber_core::resolve::index::{Resolution, candidates, companions};
use faber_core::source::{FileId, Spanned};
use faber_core::suggest::SuggestionBudget;
use faber_core::workspace::survey::FileKind;

/// Characters before a path that are searched for `POINTERS`.
const NEAR: usize = 120;

const POINTERS: [&str; 6] = ["consult", "follow", "load", "read", "refer", "see"];

/// References in rules, `extends`, `custom_contexts` and includes are reported elsewhere.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let (survey, mut guesses) = (input.whole.survey, SuggestionBudget::default());
    for entry in survey.instructions(input.whole.sources, input.lineage) {
        let references = entry.references.iter();
        thinned(found, references.filter_map(|it| dangling(input, it, &mut guesses)));
    }
    let shown: BTreeSet<FileId> = input.documents.iter().map(|document| document.file).collect();
    let contexts = survey.files.iter().filter(|entry| entry.kind == FileKind::Context);
    for entry in contexts.filter(|entry| shown.contains(&entry.file)) {
        // Contexts also name files of other projects.
        let text = &input.whole.sources.get(entry.file).text;
        let certain = entry.references.iter().filter(|reference| is_certain(reference, text));
        let dangling = certain.filter_map(|it| dangling(input, it, &mut guesses));
        thinned(found, dangling.map(Diagnostic::exceptional));
    }
}

fn dangling(
    input: &ViewInput<'_>,
    reference: &FoundReference,
    guesses: &mut SuggestionBudget,
) -> Option<Diagnostic> {
    let sources = input.whole.sources;
    let from = input.expander.from(sources.path(reference.span.file));
    let missing = input.catalog.index.resolve(&reference.text, from) == Resolution::Missing;
    if reference.optional || !missing {
        return None;
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
    if paths.iter().any(is_there) || companions.any(|path| is_there(&path)) {
        return None;
    }
    let value = reference.text.clone();
    let span = reference.span;
    Some(input.catalog.dangling(&Spanned { value, span }, sources, guesses))
}

/// Whether the reference must exist: a link, or a path after "see". Other paths in backticks may be files to
/// create, and words with a slash between them alternatives, such as "pattern/example".
fn is_certain(reference: &FoundReference, text: &str) -> bool {
    let Range { start, end } = reference.span.range();
    let before = &text[..start];
    let line = before.char_indices().rev().take(NEAR).take_while(|(_, c)| *c != '\n');
    let before = &before[line.last().map_or(before.len(), |(at, _)| at)..];
    let is_link = before.ends_with("](") || before.ends_with("](<");
    let is_asked_for = || {
        let mut words = before.split(|c: char| !c.is_alphanumeric());
        words.any(|word| POINTERS.iter().any(|it| it.eq_ignore_ascii_case(word)))
    };
    match references::parse(&reference.text).0 {
        Reference::Name { name } => Category::from_prefix(name).is_some() && is_markdown(name),
        Reference::Relative { path } if !is_markdown(path) => false,
        _ if references::is_file(&reference.text) => is_link || is_asked_for(),
        Reference::Id { .. } => {
            let after = text[end..].trim_start_matches([' ', '\t']);
            let is_cell = before.trim_end().ends_with(['|', ',', ';'])
                && (after.is_empty() || after.starts_with(['|', ',', ';', '\r', '\n']));
            is_link || before.ends_with('`') || is_cell || is_asked_for()
        }
        _ => true,
    }
}
