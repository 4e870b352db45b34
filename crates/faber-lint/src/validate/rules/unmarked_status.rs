use crate::validate::check::ViewInput;
use faber_core::config::quote;
use faber_core::context_id::ContextId;
use faber_core::decision;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::parse::fence::{self, Split};
use faber_core::parse::fields::{ContextStatus, Fields};
use faber_core::resolve::index::Resolution;
use faber_core::rules::unmarked_status::RULE;
use faber_core::source::Span;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for document in input.documents {
        let body = input.whole.sources.text(document.body);
        if is_marked(&document.front.fields) {
            continue;
        }
        let stated = input.whole.known(document.file, "stated-status", || decision::status(body));
        let Some(stated) = stated else { continue };
        let line = &body[stated.line.clone()];
        let is_rejected = stated.status == ContextStatus::Rejected;
        let by = replacement(input, document, line).filter(|_| !is_rejected);
        let field = match &by {
            Some(by) => format!("superseded_by: {}", quote::text(&by.to_string())),
            None => format!("status: {}", stated.status.name()),
        };
        let what = if is_rejected { "was rejected" } else { "is outdated" };
        let message =
            format!("`{}` says that it {what}, but its front matter does not", document.id);
        let start = document.body.range().start + stated.line.start;
        let span = Span::new(document.file, start, start + line.trim_end().len());
        let finding = RULE.at(span, message).help(format!("add `{field}`, or correct the text"));
        found.push(match insertion(input, document, &field) {
            Some((place, text)) => finding.fix(place, text),
            None => finding,
        });
    }
}

fn is_marked(fields: &Fields) -> bool {
    let is_retired = |status: ContextStatus| status != ContextStatus::Approved;
    fields.superseded_by.is_some()
        || fields.valid_to.is_some()
        || fields.is_unreadable
        || fields.status.as_ref().is_some_and(|status| is_retired(status.value))
}

fn replacement(input: &ViewInput<'_>, document: &Document, line: &str) -> Option<ContextId> {
    let from = input.expander.from(document.file);
    let links = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let mut linked =
        links.filter_map(|(target, _)| match input.catalog.index.resolve_field(target, from) {
            Resolution::Context(id) if id != document.id => Some(id),
            _ => None,
        });
    linked.next().or_else(|| numbered(input, &document.id, line))
}

fn numbered(input: &ViewInput<'_>, own: &ContextId, line: &str) -> Option<ContextId> {
    let (series, own_number) = number(&own.name)?;
    let numbers = line.split(|c: char| !c.is_ascii_digit()).filter_map(|it| it.parse().ok());
    let mut found = numbers.filter(|wanted| *wanted != own_number).filter_map(|wanted: u32| {
        let is_it = |id: &&ContextId| {
            id.category == own.category
                && id.role == own.role
                && number(&id.name) == Some((series, wanted))
        };
        let mut all = input.catalog.contexts.keys().filter(is_it);
        all.next().filter(|_| all.next().is_none())
    });
    found.next().cloned()
}

/// `adr-009-postgresql` is 9 of `adr-`.
fn number(name: &str) -> Option<(&str, u32)> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let digits = name[start..].split(|c: char| !c.is_ascii_digit()).next()?;
    Some((&name[..start], digits.parse().ok()?))
}

fn insertion(input: &ViewInput<'_>, document: &Document, field: &str) -> Option<(Span, String)> {
    let text = &input.whole.sources.get(document.file).text;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let is_set = document.front.fields.status.is_some() && field.starts_with("status");
    let (at, text) = match fence::split(text) {
        Split::Closed(fences) => (fences.yaml_end, format!("{field}{end}")),
        Split::None { body } => (body, format!("---{end}{field}{end}---{end}{end}")),
        Split::Unclosed(_) => return None,
    };
    (!is_set).then(|| (Span::new(document.file, at, at), text))
}
