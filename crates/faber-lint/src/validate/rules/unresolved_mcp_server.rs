use crate::validate::check::ViewInput;
use faber_core::assemble::needs;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::unresolved_mcp_server::RULE;
use faber_core::suggest;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for context in input.contexts_of_platform() {
        let sources = input.whole.sources;
        let Some(named) = needs::server(context, input.config, sources) else { continue };
        let Some(need) = needs::need(context, input.config, sources) else { continue };
        if need.enabled || need.fallback.is_some() {
            continue;
        }
        let servers = &input.config.mcp_servers;
        let (message, help) = if servers.contains_key(&need.server) {
            let message = format!("`{}` is disabled and has no `fallback`", need.server);
            (message, "enable it, or add a `fallback`".to_owned())
        } else {
            let known = servers.keys().map(String::as_str);
            let help = suggest::help(
                suggest::closest(&need.server, known),
                "add it to `mcp_servers`, or add a `fallback`",
            );
            (format!("unknown MCP server `{}`, and no `fallback`", need.server), help)
        };
        let finding = match context.front.fields.mcp_server {
            Some(_) => RULE.at(named.span, message),
            None => RULE.at(named.span, message).exceptional(),
        };
        found.push(finding.help(help));
    }
}
