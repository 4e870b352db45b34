use crate::validate::check::DocumentInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::valid_range_empty::RULE;

pub(crate) fn check(input: &DocumentInput<'_>, found: &mut Vec<Diagnostic>) {
    let fields = &input.document.front.fields;
    let (Some(from), Some(to)) = (&fields.valid_from, &fields.valid_to) else { return };
    if from.value > to.value {
        let message = format!("`valid_to` {} is before `valid_from` {}", to.value, from.value);
        let finding =
            RULE.at(to.span, message).label("ends here").related(from.span, "begins here");
        found.push(finding.help("correct one of the dates; this context is never valid"));
    }
}
