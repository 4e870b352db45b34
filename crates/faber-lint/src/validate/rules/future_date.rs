use crate::validate::check::FileInput;
use crate::validate::rules::stale;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::future_date::RULE;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    let created = input.agent().and_then(|agent| agent.created.clone());
    for (field, date) in [("updated", stale::updated(input)), ("created", created)] {
        let Some(date) = date.filter(|date| date.value > input.whole.today) else { continue };
        let message = format!("`{field}` is {}, which is in the future", date.value);
        found.push(RULE.at(date.span, message).help("correct the date"));
    }
}
