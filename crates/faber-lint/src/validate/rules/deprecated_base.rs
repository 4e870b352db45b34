use std::collections::BTreeMap;

use crate::validate::check::ViewInput;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::parse::fields::ContextStatus;
use faber_core::resolve::catalog::name_span;
use faber_core::resolve::index::Resolution;
use faber_core::rules::deprecated_base::RULE;
use faber_core::source::Span;
use faber_core::strategy::Strategy;

type Lowest<'a> = (&'a Document, Option<usize>);

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let mut lowest: BTreeMap<&ContextId, Lowest<'_>> = BTreeMap::new();
    for &document in
        input.documents.iter().filter(|document| is(document, ContextStatus::Deprecated))
    {
        lowest.entry(&document.id).or_insert((document, None));
    }
    if lowest.is_empty() {
        return;
    }
    for document in
        input.documents.iter().filter(|document| !is(document, ContextStatus::Deprecated))
    {
        if let Some((_, layer)) = lowest.get_mut(&document.id) {
            layer.get_or_insert(document.layer);
        }
    }
    for &overlay in input.documents {
        let Some(base) = base_id(input, overlay) else { continue };
        let Some(&(deprecated, other)) = lowest.get(&base) else { continue };
        let is_below = |layer: usize| layer < overlay.layer + usize::from(base != overlay.id);
        if is_below(deprecated.layer) && !other.is_some_and(is_below) {
            found.push(finding(overlay, deprecated));
        }
    }
}

fn is(document: &Document, status: ContextStatus) -> bool {
    document.front.fields.status.as_ref().is_some_and(|own| own.value == status)
}

fn base_id(input: &ViewInput<'_>, overlay: &Document) -> Option<ContextId> {
    if overlay.strategy() == Strategy::Override
        || is(overlay, ContextStatus::Deprecated)
        || is(overlay, ContextStatus::Draft)
    {
        return None;
    }
    let Some(extends) = &overlay.front.fields.extends else { return Some(overlay.id.clone()) };
    let from = input.expander.from(overlay.file);
    match input.catalog.index.resolve_field(&extends.value, from) {
        Resolution::Context(id) => Some(id),
        _ => None,
    }
}

fn finding(overlay: &Document, base: &Document) -> Diagnostic {
    let fields = &overlay.front.fields;
    let extends = fields.extends.as_ref().map(|extends| extends.span);
    let strategy = fields.strategy.as_ref().map(|strategy| strategy.span);
    let section = fields.sections.first().map(|rule| rule.heading.span);
    let span = extends.or(strategy).or(section).unwrap_or_else(|| name_span(overlay));
    let status = base.front.fields.status.as_ref();
    let status = status.map_or_else(|| Span::start_of(base.file), |status| status.span);
    let message = format!("`{}` is deprecated and left out, so this overlay has no base", base.id);
    let help = match &base.front.fields.superseded_by {
        Some(by) => format!("write `extends: {}`, its replacement", by.value),
        None => "extend its replacement, or write `strategy: override`".to_owned(),
    };
    RULE.at(span, message).related(status, "is deprecated here").help(help)
}
