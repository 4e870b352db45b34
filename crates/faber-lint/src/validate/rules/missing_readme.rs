use crate::validate::check::RoleInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::missing_readme::RULE;
use faber_core::source::Span;

pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    if input.whole.sources.find(&role.root.join("README.md")).is_none() {
        let message = format!("`{}` has no README.md", role.name);
        let finding = RULE.at(Span::start_of(role.prompt), message);
        found.push(finding.help(format!("describe the role in `{}/README.md`", role.root)));
    }
}
