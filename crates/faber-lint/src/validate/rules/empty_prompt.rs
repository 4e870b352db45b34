use crate::validate::check::RoleInput;
use crate::validate::rules::empty_context;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::fence;
use faber_core::rules::empty_prompt::RULE;
use faber_core::source::Span;

pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    let text = &input.whole.sources.get(role.prompt).text;
    if empty_context::says_nothing(&text[fence::body(text)..]) {
        let message = format!("the prompt of `{}` is empty", role.name);
        found.push(
            RULE.at(Span::start_of(role.prompt), message)
                .help("describe who the model is and what it should do"),
        );
    }
}
