use crate::validate::check::RoleInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::default_platform_not_declared::RULE;
use faber_core::suggest;

pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    let Some(agent) = &role.agent else { return };
    let Some(default) = &agent.default_platform else { return };
    let declared = agent.platforms.iter().map(|platform| platform.value.as_str());
    let is_unread =
        agent.platforms.is_empty() && agent.node.get("platforms").is_some_and(|n| !n.is_null());
    let is_empty_list = agent.node.get("platforms").is_some_and(|n| n.items() == Some(&[]));
    if declared.clone().any(|name| name == default.value) || (is_unread && !is_empty_list) {
        return;
    }
    let message =
        format!("`{}` does not declare its default platform `{}`", role.name, default.value);
    let otherwise = format!("add `{}` to `platforms`", default.value);
    let help = suggest::help(suggest::closest(&default.value, declared), otherwise);
    let mut diagnostic = RULE.at(default.span, message).help(help);
    if let Some(first) = agent.platforms.first() {
        diagnostic = diagnostic.related(first.span, "declared here");
    }
    found.push(diagnostic);
}
