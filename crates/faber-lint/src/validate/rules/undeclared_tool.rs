use std::collections::{BTreeMap, BTreeSet};

use crate::validate::check::ViewInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::fields::Fields;
use faber_core::resolve::catalog::Context;
use faber_core::rules::undeclared_tool::RULE;
use faber_core::source::{SourceMap, Span};

const VERBS: [&str; 52] = [
    "add", "apply", "approve", "archive", "assign", "call", "cancel", "close", "comment", "copy",
    "create", "delete", "describe", "disable", "download", "edit", "enable", "execute", "export",
    "fetch", "find", "fork", "get", "import", "invoke", "link", "list", "lookup", "merge", "move",
    "open", "post", "publish", "push", "query", "read", "remove", "reopen", "reply", "resolve",
    "run", "search", "send", "set", "show", "start", "stop", "submit", "unassign", "update",
    "upload", "write",
];

const WARNINGS: &str = " not |n't |n’t |never|avoid|instead of|without|forbidden|deprecated|\
    no longer|unavailable|off limits";

/// On resolved contexts: an overlay may declare a tool.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for context in input.contexts() {
        let fields = &context.front.fields;
        let Some(server) = &fields.mcp_server else { continue };
        let declared = &fields.required_tools;
        if declared.iter().any(|tool| tool.value.contains('*')) {
            continue;
        }
        let uses = uses(context, input.whole.sources);
        let mut uses: Vec<(Span, &str)> = uses.into_iter().map(|(tool, at)| (at, tool)).collect();
        uses.sort_unstable();
        let Some(&(first, tool)) = uses.first() else { continue };
        let server = bare_server(&server.value);
        if declared.is_empty() {
            let message = match uses.len() {
                1 => format!("`{tool}` of `{server}` is used, but `required_tools` is missing"),
                n => format!(
                    "{n} tools of `{server}` are used, such as `{tool}`, but `required_tools` is missing"
                ),
            };
            let help = "list the tools that are used in `required_tools`";
            found.push(RULE.at(first, message).help(help));
            continue;
        }
        for (at, tool) in uses {
            let message = format!("`{tool}` is used, but not listed in `required_tools`");
            let finding = RULE
                .at(at, message)
                .help(format!("add `{tool}` to `required_tools`, or do not use it"));
            found.push(finding.related(declared[0].span, "the tools that are required"));
        }
    }
}

fn uses<'a>(context: &Context, sources: &'a SourceMap) -> BTreeMap<&'a str, Span> {
    let servers = servers(&context.front.fields);
    let declared = context.front.fields.required_tools.iter();
    let declared: BTreeSet<String> = declared.map(|tool| plain(&tool.value, &servers)).collect();
    let mut uses = BTreeMap::new();
    let mut is_warning = false;
    for line in context.body.all_lines(sources) {
        if line.shown.is_some() {
            continue;
        }
        let text = sources.text(line.origin);
        if text.starts_with('#') {
            is_warning = warns(text);
        }
        if !text.contains('_') || is_warning || warns(text) {
            continue;
        }
        for (at, word) in words(text) {
            if is_tool(word, &servers) && !declared.contains(&plain(word, &servers)) {
                let start = line.origin.start as usize + at;
                let span = Span::new(line.origin.file, start, start + word.len());
                uses.entry(word).or_insert(span);
            }
        }
    }
    uses
}

fn warns(line: &str) -> bool {
    let line = format!(" {} ", line.to_lowercase());
    WARNINGS.split('|').any(|word| line.contains(word))
}

fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let starts = line.match_indices(is_part).map(|(at, _)| at);
    let starts = starts.filter(move |&at| !line[..at].ends_with(is_part));
    starts.filter_map(move |at| {
        let length = line[at..].find(|c| !is_part(c)).unwrap_or(line.len() - at);
        let (before, after) = (&line[..at], &line[at + length..]);
        let is_file =
            after.starts_with('.') && after[1..].starts_with(|c: char| c.is_alphanumeric());
        let is_other = before.ends_with(['-', '/', '.', '$', '@', '%', '{'])
            || after.starts_with(['-', '/', '=', '\\'])
            || is_file;
        (!is_other).then(|| (at, &line[at..at + length]))
    })
}

pub(crate) fn bare_server(name: &str) -> &str {
    let name = name.strip_prefix("tool:").unwrap_or(name);
    let name = ["mcp-server-", "mcp-"].iter().find_map(|it| name.strip_prefix(it)).unwrap_or(name);
    ["-mcp-server", "-mcp", "-server"].iter().find_map(|it| name.strip_suffix(it)).unwrap_or(name)
}

fn servers(fields: &Fields) -> BTreeSet<String> {
    let server = fields.mcp_server.as_ref().map(|server| bare_server(&server.value));
    let tools = fields.required_tools.iter().filter_map(|tool| {
        let mut parts = tool.value.split('_');
        let (server, verb) = (parts.next()?, parts.next()?);
        (VERBS.contains(&verb) && !VERBS.contains(&server)).then_some(server)
    });
    let names = server.into_iter().chain(tools).filter(|name| !name.is_empty());
    names.map(|name| name.replace('-', "_").to_lowercase()).collect()
}

fn is_tool(word: &str, servers: &BTreeSet<String>) -> bool {
    let of_server = |text: &str, between: &str| {
        servers.iter().find_map(|name| {
            let rest = text.strip_prefix(name.as_str())?.strip_prefix(between)?;
            Some(rest.to_owned())
        })
    };
    if let Some(rest) = word.strip_prefix("mcp__") {
        return of_server(rest, "__").is_some_and(|tool| !tool.is_empty());
    }
    of_server(word, "_")
        .is_some_and(|rest| VERBS.contains(&rest.split('_').next().unwrap_or_default()))
}

fn plain(tool: &str, servers: &BTreeSet<String>) -> String {
    let tool = tool.to_lowercase().replace(['-', '.', ':', '/'], "_").replace("__", "_");
    let tool = tool.strip_prefix("mcp_").unwrap_or(&tool);
    let own = servers.iter().find_map(|name| tool.strip_prefix(name.as_str())?.strip_prefix('_'));
    own.unwrap_or(tool).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_distinguished_from_keys_files_and_variables() {
        let servers = BTreeSet::from(["linear".to_owned()]);
        let tools = |line: &'static str| -> Vec<&str> {
            words(line).map(|(_, word)| word).filter(|word| is_tool(word, &servers)).collect()
        };
        assert_eq!(
            tools("- `linear_list_issues` and linear_get_issue(id)."),
            ["linear_list_issues", "linear_get_issue"]
        );
        assert_eq!(tools("mcp__linear__issues, mcp__other__get_x"), ["mcp__linear__issues"]);
        let others = "linear_api_key $linear_get_x /linear_get_x linear_get_x.py linear_get_x=1 \
                      other_get_x LINEAR_GET_X my_linear_get_x linear-get_x";
        assert_eq!(tools(others), [""; 0]);
    }

    #[test]
    fn a_tool_is_one_however_it_is_written() {
        let servers = BTreeSet::from(["linear".to_owned()]);
        for tool in ["linear_get_x", "mcp__linear__get_x", "get_x", "linear.get_x", "linear:get-x"]
        {
            assert_eq!(plain(tool, &servers), "get_x", "{tool}");
        }
        assert_eq!(bare_server("tool:mcp-server-linear"), "linear");
        assert_eq!(bare_server("github-mcp-server"), "github");
    }
}
