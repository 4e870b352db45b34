use crate::validate::check::RoleInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::role_without_task::RULE;
use faber_core::source::Span;
use faber_core::workspace::survey::FileKind;

pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    let roots = input.lineage.roots();
    let tasks = input.whole.survey.files.iter().filter(|entry| entry.kind == FileKind::Task);
    let mut paths = tasks.map(|entry| input.whole.sources.path(entry.file));
    let is_own = |path: &camino::Utf8Path| {
        path.starts_with("tasks") || roots.iter().any(|root| path.starts_with(root))
    };
    if !paths.any(is_own) {
        let message = format!("`{}` has no task", role.name);
        let finding = RULE.at(Span::start_of(role.prompt), message);
        found.push(finding.help(format!("add one: `faber new task NAME --role {}`", role.name)));
    }
}
