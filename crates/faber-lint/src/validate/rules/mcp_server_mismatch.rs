use crate::validate::check::ViewInput;
use faber_core::assemble::needs;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::mcp_server_mismatch::RULE;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for context in input.contexts() {
        let Some(declared) = &context.front.fields.mcp_server else { continue };
        let Some(named) = needs::named_in_body(context, input.config, input.whole.sources) else {
            continue;
        };
        let declared_name = needs::plain(&declared.value);
        if declared_name != named.value {
            let message = format!("the text names `{}`, not `{declared_name}`", named.value);
            let finding =
                RULE.at(named.span, message).related(declared.span, "the server that is declared");
            found.push(finding.help("name one server in both places"));
        }
    }
}
