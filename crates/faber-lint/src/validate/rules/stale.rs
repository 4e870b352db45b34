use jiff::civil::Date;

use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::stale::RULE;
use faber_core::source::Spanned;
use faber_core::workspace::survey::FileKind;
use faber_core::yaml::Node;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    if input.entry.kind == FileKind::Note {
        return;
    }
    let validate = input.whole.config.validate.as_ref();
    let days = validate.and_then(|node| node.get("stale_after_days")).and_then(Node::as_int);
    let (Some(days), Some(updated)) = (days, updated(input)) else { return };
    let age = input.whole.today.since(updated.value).map_or(0, |age| i64::from(age.get_days()));
    if age > days {
        let message = format!("not updated for {age} days; the limit is {days}");
        found.push(RULE.at(updated.span, message).help("review it, then change `updated`"));
    }
}

pub(crate) fn updated(input: &FileInput<'_>) -> Option<Spanned<Date>> {
    if input.entry.kind == FileKind::Agent {
        return input.agent()?.updated.clone();
    }
    input.whole.survey.front(input.entry)?.fields.updated.clone()
}
