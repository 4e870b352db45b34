use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use crate::validate::check::LintContext;
use crate::validate::is_word;
use faber_core::category::Load;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::parse::fields::{self, Visibility};
use faber_core::rules::dead_context::RULE;
use faber_core::source::{FileId, Span};
use faber_core::workspace::survey::{FileEntry, FileKind};

struct Suspect {
    file: FileId,
    names: Vec<String>,
    finding: Diagnostic,
}

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    found.extend(whole.survey.documents.iter().filter_map(without_owner));
    let suspects = suspects(whole);
    let mentioned = mentioned(whole, &suspects);
    let dead = suspects.into_iter().filter(|suspect| !mentioned.contains(&suspect.file));
    found.extend(dead.map(|suspect| suspect.finding));
}

fn without_owner(document: &Document) -> Option<Diagnostic> {
    let fields = &document.front.fields;
    let private = fields.visibility.as_ref().filter(|v| v.value == Visibility::Private)?;
    if fields.access_unclear || document.front.node.get("owner").is_some_and(|o| !o.is_null()) {
        return None;
    }
    let message = format!("`{}` is private and has no owner, so no user may see it", document.id);
    Some(RULE.at(private.span, message).help("add an `owner`"))
}

fn suspects(whole: &LintContext<'_>) -> Vec<Suspect> {
    let survey = whole.survey;
    let file_name = |file| whole.sources.path(file).file_name().unwrap_or_default().to_owned();
    let mut layers_of: BTreeMap<&ContextId, usize> = BTreeMap::new();
    for document in &survey.documents {
        *layers_of.entry(&document.id).or_default() += 1;
    }
    let mut suspects = Vec::new();
    for document in &survey.documents {
        let fields = &document.front.fields;
        let lacks = |load: Load| match load {
            Load::Never => Some("never loads"),
            Load::Keyword if fields.keywords.is_empty() => Some("loads by keywords and has none"),
            Load::Error if fields.errors.is_empty() => Some("loads by errors and has none"),
            Load::Files if fields.globs.is_empty() => Some("loads by `globs` and has none"),
            _ => None,
        };
        let load = fields.load.as_ref().and_then(|load| Some((load, lacks(load.value)?)));
        let is_used = layers_of[&document.id] > 1
            || fields.required
            || fields::is_manual(&document.front.node);
        let Some((load, why)) = load.filter(|_| !is_used) else {
            continue;
        };
        let message = format!("`{}` {why}, and no file mentions it", document.id);
        let help = match load.value {
            Load::Never => "remove the file, or mention it where it is pinned",
            _ => "add them, or remove `load`",
        };
        let finding = RULE.at(load.span, message).help(help);
        let file = document.file;
        let name = file_name(file);
        let stem = name.trim_end_matches(".md").to_owned();
        // A bare word such as `release` is everywhere.
        let stem = Some(stem).filter(|stem| stem.contains(['-', '_']));
        let category = document.id.category;
        let prefixes = category.row().prefixes.iter();
        let by_prefix = prefixes.map(|prefix| format!("{prefix}{}", document.id.name));
        let names = [document.id.to_string(), name].into_iter().chain(stem).chain(by_prefix);
        let names = names.collect();
        suspects.push(Suspect { file, names, finding });
    }
    let is_partial = |entry: &&FileEntry| {
        entry.kind == FileKind::Partial && file_name(entry.file) != "README.md"
    };
    for entry in survey.files.iter().filter(is_partial) {
        let file = entry.file;
        let finding = RULE
            .at(Span::start_of(file), "nothing includes this file")
            .help("write `<!-- faber: include PATH -->` where it belongs, or remove it");
        suspects.push(Suspect { file, names: vec![file_name(file)], finding });
    }
    suspects
}

fn mentioned(whole: &LintContext<'_>, suspects: &[Suspect]) -> BTreeSet<FileId> {
    let mut by_name: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for suspect in suspects {
        for name in &suspect.names {
            by_name.entry(name).or_default().push(suspect.file);
        }
    }
    if by_name.is_empty() {
        return BTreeSet::new();
    }
    let words: Vec<&str> = by_name.keys().copied().collect();
    let Ok(automaton) = AhoCorasick::new(&words) else {
        return suspects.iter().map(|suspect| suspect.file).collect();
    };
    let scan = |file: FileId| {
        let text = &whole.sources.get(file).text;
        let hits = automaton.find_overlapping_iter(&**text);
        let hits = hits.filter(|hit| is_word(text, hit.range()));
        hits.map(|hit| hit.pattern().as_usize()).collect::<BTreeSet<usize>>()
    };
    let each: Vec<_> =
        whole.survey.files.par_iter().map(|entry| (entry.file, scan(entry.file))).collect();
    let mut by: BTreeMap<usize, [Option<FileId>; 2]> = BTreeMap::new();
    for (file, hits) in each {
        for name in hits {
            let seen = by.entry(name).or_default();
            if let Some(free) = seen.iter_mut().find(|slot| slot.is_none()) {
                *free = Some(file);
            }
        }
    }
    let mut mentioned = BTreeSet::new();
    for (name, seen) in by {
        let is_other = |file: &&FileId| seen.iter().flatten().any(|by| by != *file);
        mentioned.extend(by_name[words[name]].iter().filter(is_other).copied());
    }
    mentioned
}
