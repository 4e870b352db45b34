use crate::validate::check::DocumentInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::fields::ContextStatus;
use faber_core::rules::expired::RULE;

pub(crate) fn check(input: &DocumentInput<'_>, found: &mut Vec<Diagnostic>) {
    let fields = &input.document.front.fields;
    let is_retired = fields.superseded_by.is_some()
        || fields.status.as_ref().is_some_and(|status| status.value != ContextStatus::Approved);
    let Some(to) = fields.valid_to.as_ref().filter(|to| to.value < input.whole.today) else {
        return;
    };
    let is_empty = fields.valid_from.as_ref().is_some_and(|from| from.value > to.value);
    if !is_retired && !is_empty {
        let message =
            format!("`{}` was valid until {} and is not used", input.document.id, to.value);
        found.push(RULE.at(to.span, message).help("extend `valid_to`, or remove the file"));
    }
}
