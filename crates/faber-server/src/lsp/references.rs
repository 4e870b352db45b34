//! Find references.

use std::collections::BTreeSet;
use std::sync::Arc;

use lsp_types::{Location, ReferenceParams};
use memchr::memmem;
use rayon::prelude::*;

use crate::lsp::ask::LspRequest;
use crate::lsp::mentions::{self, IdMention, MentionTarget};
use faber_core::workspace::survey::FileEntry;

pub fn answer(ask: &LspRequest<'_>, params: &ReferenceParams) -> Option<Vec<Location>> {
    let entry = ask.analysis.entry(ask.path)?;
    let offset = ask.places(entry.file).offset(params.text_document_position.position);
    let named = mentions::at(ask.analysis, entry, offset);
    let target = match named {
        Some(mention) => mentions::target(ask.analysis, &mention)?,
        None => of_document(ask, entry),
    };
    let words = words(ask, &target);
    let named: Vec<Vec<IdMention>> = ask
        .analysis
        .linter
        .survey
        .files
        .par_iter()
        .map(|entry| naming(ask, entry, &words, &target))
        .collect();
    let own = if params.context.include_declaration {
        target.places(ask.analysis, None)
    } else {
        Vec::new()
    };
    let spans = own.into_iter().chain(named.into_iter().flatten().map(|mention| mention.span));
    Some(spans.filter_map(|span| ask.location(span)).collect())
}

fn of_document(ask: &LspRequest<'_>, entry: &FileEntry) -> MentionTarget {
    match entry.document {
        Some(at) => {
            let seen = ask.analysis.visible_from(ask.path);
            let id = &ask.analysis.linter.survey.documents[at].id;
            let base = seen.catalog.aliases.get(id).unwrap_or(id).clone();
            MentionTarget::Context(base, Arc::clone(&seen))
        }
        None => MentionTarget::File(entry.file),
    }
}

/// Each reference has one of these words; other files are not parsed.
fn words(ask: &LspRequest<'_>, target: &MentionTarget) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let sources = ask.analysis.sources();
    for span in target.places(ask.analysis, None) {
        words.extend(sources.path(span.file).file_stem().map(str::to_owned));
    }
    match target {
        MentionTarget::Context(id, seen) => {
            words.insert(id.name.to_string());
            words.extend(seen.catalog.get(id).and_then(|context| context.platform.clone()));
            let aliases = seen.catalog.aliases.iter().filter(|(_, base)| *base == id);
            words.extend(aliases.map(|(alias, _)| alias.name.to_string()));
        }
        MentionTarget::File(file) => {
            // The folder is the role's name.
            words.extend(
                sources.path(*file).parent().and_then(|it| it.file_name()).map(str::to_owned),
            );
        }
    }
    words
}

fn naming(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    words: &BTreeSet<String>,
    target: &MentionTarget,
) -> Vec<IdMention> {
    let text = ask.text(entry.file).as_bytes();
    if !words.iter().any(|word| memmem::find(text, word.as_bytes()).is_some()) {
        return Vec::new();
    }
    let has_word =
        |mention: &IdMention| words.iter().any(|word| mention.text.contains(word.as_str()));
    let is_it = |mention: &IdMention| {
        let named = mentions::target(ask.analysis, mention);
        named.is_some_and(|named| through_aliases(named) == *target)
    };
    let all = mentions::all(ask.analysis, entry);
    all.into_iter().filter(has_word).filter(is_it).collect()
}

/// Overlays that only extend count as their base.
fn through_aliases(target: MentionTarget) -> MentionTarget {
    match target {
        MentionTarget::Context(id, seen) => {
            let base = seen.catalog.aliases.get(&id).cloned().unwrap_or(id);
            MentionTarget::Context(base, seen)
        }
        file @ MentionTarget::File(_) => file,
    }
}
