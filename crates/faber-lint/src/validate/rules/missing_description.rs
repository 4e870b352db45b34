use crate::validate::check::DocumentInput;
use crate::validate::rules::empty_context;
use faber_core::category::Load;
use faber_core::diagnostic::Diagnostic;
use faber_core::layer::LayerKind;
use faber_core::markdown::has_paragraph;
use faber_core::rules::missing_description::RULE;
use faber_core::source::Span;

pub(crate) fn check(input: &DocumentInput<'_>, found: &mut Vec<Diagnostic>) {
    let document = input.document;
    let fields = &document.front.fields;
    let says = [&fields.description, &fields.summary, &fields.essence];
    let is_overlay = document.kind > LayerKind::Role && document.kind != LayerKind::Custom;
    if is_overlay || says.into_iter().flatten().any(|text| !text.value.is_empty()) {
        return;
    }
    let load = fields.load.as_ref().map_or(document.id.category.row().load, |load| load.value);
    let always = fields.always_apply || matches!(load, Load::Always | Load::Platform | Load::Never);
    if always || empty_context::is_empty(input) || has_sentence(input.body()) {
        return;
    }
    let message = format!("`{}` has no description", document.id);
    let finding = RULE.at(Span::start_of(document.file), message);
    found.push(finding.help("add a `description` that says when to load it"));
}

fn has_sentence(body: &str) -> bool {
    let head = body.char_indices().nth(2_000).map_or(body, |(end, _)| &body[..end]);
    has_paragraph(head) || (head.len() < body.len() && has_paragraph(body))
}
