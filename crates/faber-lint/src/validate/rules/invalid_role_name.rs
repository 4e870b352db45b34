use crate::validate::check::RoleInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::agent::is_role_name;
use faber_core::rules::invalid_role_name::RULE;
use faber_core::source::Span;

pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    let folder = role.root.file_name().unwrap_or_default();
    if !is_role_name(folder) {
        let message = format!("the folder `{folder}` is not a valid role name");
        let found_here = RULE.at(Span::start_of(role.prompt), message);
        found.push(found_here.help("rename it to lower-case letters, digits and hyphens"));
    }
    let (Some(agent), Some(file)) = (&role.agent, role.agent_file) else { return };
    match &agent.name {
        None if agent.is_invalid => {}
        None => found.push(
            RULE.at(Span::start_of(file), "`agent.yml` has no `name`")
                .exceptional()
                .help(format!("add `name: {folder}`")),
        ),
        Some(name) if name.value != folder && is_role_name(&name.value) => found.push(
            RULE.at(
                name.span,
                format!("the name `{}` differs from the folder `{folder}`", name.value),
            )
            .exceptional()
            .help(format!("commands take the name of the folder; write `{folder}`, or rename it")),
        ),
        Some(_) => {}
    }
}
