use crate::validate::check::FileInput;
use crate::validate::rules::stale;
use faber_core::diagnostic::Diagnostic;
use faber_core::role::Lineage;
use faber_core::rules::future_date::RULE;
use faber_core::workspace::survey::FileKind;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    let mut dates = vec![("updated", stale::updated(input))];
    if input.entry.kind == FileKind::Agent {
        let mut roles = input.whole.survey.lineages.iter().map(Lineage::role);
        let role = roles.find(|role| role.agent_file == Some(input.entry.file));
        let agent = role.and_then(|role| role.agent.as_ref());
        dates.push(("created", agent.and_then(|agent| agent.created.clone())));
    }
    for (field, date) in dates {
        let Some(date) = date.filter(|date| date.value > input.whole.today) else { continue };
        let message = format!("`{field}` is {}, which is in the future", date.value);
        found.push(RULE.at(date.span, message).help("correct the date"));
    }
}
