use std::collections::{BTreeMap, BTreeSet};

use crate::validate::check::ViewInput;
use faber_core::category::Category;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::parse::fields::ContextStatus;
use faber_core::parse::references::{self, Reference};
use faber_core::rules::ambiguous_name::RULE;
use faber_core::source::Span;

type Called<'a> = BTreeMap<&'a str, BTreeMap<&'a ContextId, &'a Document>>;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let mut names: Vec<(&str, Span)> = Vec::new();
    for entry in input.whole.survey.instructions(input.whole.sources, input.lineage) {
        let bare = entry.references.iter().filter_map(|it| Some((bare_name(&it.text)?, it.span)));
        names.extend(bare);
    }
    for document in input.documents {
        let front = &document.front.fields;
        let own = front.related.iter().chain(&front.extends).chain(&front.superseded_by);
        names.extend(own.filter_map(|it| Some((bare_name(&it.value)?, it.span))));
    }
    names.retain(|(name, _)| !is_identity(name, input));
    if names.is_empty() {
        return;
    }
    let stems = names.iter().map(|(name, _)| name.strip_suffix(".md").unwrap_or(name));
    let (by_file, by_name) = called(input, &stems.collect());
    for (name, span) in names {
        let stem = name.strip_suffix(".md").unwrap_or(name);
        let file = format!("{stem}.md");
        let Some(meant) = by_file.get(file.as_str()).or_else(|| by_name.get(stem)) else {
            continue;
        };
        if meant.len() > 1 {
            found.push(ambiguous(name, span, meant));
        }
    }
}

fn bare_name(text: &str) -> Option<&str> {
    match references::parse(text).0 {
        Reference::Name { name } => Some(name),
        _ => None,
    }
}

fn is_identity(name: &str, input: &ViewInput<'_>) -> bool {
    let stem = name.strip_suffix(".md").unwrap_or(name);
    Category::from_prefix(stem).is_some_and(|(category, rest)| {
        let id = ContextId::new(category, rest);
        input.catalog.contexts.contains_key(&id) || input.catalog.aliases.contains_key(&id)
    })
}

fn called<'a>(input: &ViewInput<'a>, stems: &BTreeSet<&str>) -> (Called<'a>, Called<'a>) {
    let (mut by_file, mut by_name) = (Called::new(), Called::new());
    for document in input.documents {
        let status = document.front.fields.status.as_ref();
        if status.is_some_and(|status| status.value != ContextStatus::Approved) {
            continue;
        }
        let path = input.whole.sources.path(document.file);
        let (own, stem) = (&*document.id.name, path.file_stem().unwrap_or_default());
        let file = path.file_name().unwrap_or_default();
        let named = [(&mut by_file, stem, file), (&mut by_name, own, own)];
        for (called, stem, name) in named {
            if stems.contains(stem) {
                let of_name: &mut BTreeMap<_, _> = called.entry(name).or_default();
                of_name.entry(&document.id).or_insert(document);
            }
        }
    }
    (by_file, by_name)
}

fn ambiguous(name: &str, span: Span, meant: &BTreeMap<&ContextId, &Document>) -> Diagnostic {
    let ids: Vec<String> = meant.keys().take(3).map(|id| format!("`{id}`")).collect();
    let more = if meant.len() > ids.len() { " and others" } else { "" };
    let message = format!("`{name}` may mean {}{more}", ids.join(" or "));
    let help = format!("write {} or a path", ids.join(" or "));
    let places = meant.values().take(3).map(|document| Span::start_of(document.file));
    places
        .fold(RULE.at(span, message).help(help), |found, place| found.related(place, "one of them"))
}
