use std::collections::BTreeSet;

use lsp_types::{Location, ReferenceParams};
use memchr::memmem;
use rayon::prelude::*;

use crate::lsp::ask::LspRequest;
use crate::lsp::mentions::{self, IdMention, MentionTarget};
use faber_core::source::FileId;
use faber_core::workspace::survey::FileEntry;

pub fn answer(ask: &LspRequest<'_>, params: &ReferenceParams) -> Option<Vec<Location>> {
    let entry = ask.analysis.entry(ask.path)?;
    let offset = ask.places(entry.file).offset(params.text_document_position.position);
    let named = mentions::at(ask.analysis, entry, offset);
    let target = match named {
        Some(mention) => mentions::target(ask.analysis, &mention)?,
        None => of_document(ask, entry),
    };
    let files = target.files();
    let words = words(ask, &files);
    let entries = ask.analysis.linter.survey.files.par_iter();
    let named: Vec<IdMention> =
        entries.flat_map_iter(|entry| naming(ask, entry, &words, &files)).collect();
    let with_own = params.context.include_declaration;
    let own = if with_own { target.places(ask.analysis, None) } else { Vec::new() };
    let spans = own.into_iter().chain(named.into_iter().map(|mention| mention.span));
    Some(spans.filter_map(|span| ask.location(span)).collect())
}

fn of_document(ask: &LspRequest<'_>, entry: &FileEntry) -> MentionTarget {
    let seen = ask.analysis.visible_from(ask.path);
    let document = entry.document.map(|at| &ask.analysis.linter.survey.documents[at]);
    match document.filter(|document| seen.catalog.get(&document.id).is_some()) {
        Some(document) => MentionTarget::Context(document.id.clone(), seen),
        None => MentionTarget::File(entry.file),
    }
}

fn words(ask: &LspRequest<'_>, files: &[FileId]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for &file in files {
        let path = ask.analysis.sources().path(file);
        words.extend(path.file_stem().map(str::to_owned));
        let entry = ask.analysis.entry(path);
        let document = entry.and_then(|entry| entry.document);
        match document.map(|at| &ask.analysis.linter.survey.documents[at]) {
            Some(document) => {
                words.insert(document.id.name.to_string());
                words.extend(document.platform.clone());
            }
            None => words.extend(path.parent().and_then(|it| it.file_name()).map(str::to_owned)),
        }
    }
    words
}

/// By files: the ID of a context depends on the role.
fn naming(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    words: &BTreeSet<String>,
    files: &[FileId],
) -> Vec<IdMention> {
    let text = ask.text(entry.file).as_bytes();
    if !words.iter().any(|word| memmem::find(text, word.as_bytes()).is_some())
        || !ask.analysis.may_see(entry.file)
    {
        return Vec::new();
    }
    let has_word =
        |mention: &IdMention| words.iter().any(|word| mention.text.contains(word.as_str()));
    let is_it = |mention: &IdMention| {
        let named = mentions::target(ask.analysis, mention);
        named.is_some_and(|named| named.files().iter().any(|file| files.contains(file)))
    };
    let all = mentions::all(ask.analysis, entry);
    all.into_iter().filter(has_word).filter(is_it).collect()
}
