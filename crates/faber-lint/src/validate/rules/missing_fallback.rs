use crate::validate::check::ViewInput;
use faber_core::assemble::needs;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::missing_fallback::RULE;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for context in input.contexts_of_platform() {
        let Some(server) = &context.front.fields.mcp_server else { continue };
        if context.front.node.get("fallback").is_some() {
            continue;
        }
        if needs::need(context, input.config, input.whole.sources).is_some_and(|need| need.enabled)
        {
            let message = format!("no `fallback` for the MCP server `{}`", server.value);
            found.push(RULE.at(server.span, message).help(
                "add `fallback: api`, `cli` or `manual`, or `fallback: null` if there is none",
            ));
        }
    }
}
