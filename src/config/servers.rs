//! MCP servers.

use super::amount::{truth, whole};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::yaml::{Entry, Node};

/// An MCP server that a configuration describes. faber names it to the reader of a prompt and
/// never starts it. `args` and `url` may hold expanded secrets, so they are not for printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// Where its name stands.
    pub span: Span,
    /// Whether it may be used; it may when nothing is said.
    pub enabled: bool,
    /// `local`, `npm` or `github`.
    pub source: Option<String>,
    /// The npm package.
    pub package: Option<String>,
    /// The version of the package or repository.
    pub version: Option<String>,
    /// The GitHub repository.
    pub repository: Option<String>,
    /// The path of a local server.
    pub path: Option<String>,
    /// The command that starts it.
    pub command: Option<String>,
    /// The arguments of the command.
    pub args: Vec<String>,
    /// Where it listens.
    pub url: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The tools that it has.
    pub tools: Vec<String>,
    /// How long to wait for it, in milliseconds; its own, else that of `mcp_config`.
    pub timeout_ms: Option<u64>,
}

impl McpServer {
    /// Reads one entry of `mcp_servers`. `timeout_ms` is for servers that name none.
    pub(super) fn read(entry: &Entry, timeout_ms: Option<u64>) -> Self {
        let value = |key: &str| entry.value.get(key);
        let text = |key: &str| value(key).and_then(Node::as_str).map(str::to_owned);
        let texts = |key: &str| {
            let items = value(key).and_then(Node::items).unwrap_or_default();
            items.iter().filter_map(Node::as_str).map(str::to_owned).collect()
        };
        Self {
            span: entry.key_span,
            enabled: value("enabled").and_then(truth).unwrap_or(true),
            source: text("source"),
            package: text("package"),
            version: text("version"),
            repository: text("repository"),
            path: text("path"),
            command: text("command"),
            args: texts("args"),
            url: text("url"),
            description: text("description"),
            tools: texts("tools"),
            timeout_ms: value("timeout_ms").and_then(whole).or(timeout_ms),
        }
    }
}

/// Checks that every server of a merged configuration says in exactly one way where it comes from.
///
/// One file may say only a part of it, such as `enabled: false` in an overlay; so a single file
/// cannot be judged.
pub fn check_servers(config: &Node) -> Vec<Diagnostic> {
    let servers = config.get("mcp_servers").map(Node::entries).unwrap_or_default();
    servers.iter().filter_map(check_server).collect()
}

fn check_server(entry: &Entry) -> Option<Diagnostic> {
    let rule = "mcp-server-shape";
    let name = super::path::clip(&entry.key);
    let ways: Vec<_> = entry
        .value
        .entries()
        .iter()
        .filter(|one| matches!(&*one.key, "source" | "command" | "url"))
        .collect();
    let [way] = &*ways else {
        let Some((last, others)) = ways.split_last() else {
            let message = format!("`{name}` does not say where the server comes from");
            return Some(
                Diagnostic::error(rule, entry.key_span, message)
                    .help("give it one of `source`, `command` and `url`"),
            );
        };
        let message = format!("`{name}` says in several ways where the server comes from");
        let found = Diagnostic::error(rule, last.key_span, message)
            .help("keep one of `source`, `command` and `url`");
        let related = |found: Diagnostic, one: &&Entry| found.related(one.key_span, "and here");
        return Some(others.iter().fold(found, related));
    };
    if way.key != "source" {
        return None;
    }
    let source = way.value.as_str()?;
    let needs = match source {
        "npm" => "package",
        "github" => "repository",
        "local" => "path",
        _ => return None,
    };
    if entry.value.get(needs).is_some() {
        return None;
    }
    let message = format!("`{name}` has the source `{source}`, but no `{needs}`");
    Some(Diagnostic::error(rule, way.value.span, message).help(format!("add `{needs}: …`")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rules, workspace};
    use super::super::{merge, typed};
    use super::*;

    #[test]
    fn a_server_comes_from_exactly_one_place() {
        let (sources, node, found) = workspace(
            "mcp_servers:\n  a: { source: npm, package: p }\n  b: { command: c }\n  \
             c: { url: u }\n  d: { source: github, package: p }\n  e: { source: local }\n  \
             f: { enabled: true }\n  g: { source: npm, package: p, url: u }\n  h: { source: npm }\n",
        );
        assert_eq!(found, []);
        let found = check_servers(&node);
        let rule = "mcp-server-shape";
        let places = ["github", "local", "f", "url", "npm"];
        assert_eq!(rules(&sources, &found), places.map(|place| (rule, place)));
        assert_eq!(sources.text(found[3].related[0].span), "source");
    }

    #[test]
    fn a_later_file_may_say_only_a_part() {
        let (_, base, _) = workspace("mcp_servers: { a: { command: c, timeout_ms: 5 } }\n");
        let (sources, later, found) = workspace(
            "mcp_servers: { a: { enabled: false }, b: { url: u } }\nmcp_config: { timeout_ms: 9 }\n",
        );
        let node = merge(base, later);
        assert_eq!((found, check_servers(&node)), (Vec::new(), Vec::new()));
        let servers = typed(&node, &sources).mcp_servers;
        assert_eq!((servers["a"].enabled, servers["a"].timeout_ms), (false, Some(5)));
        assert_eq!((servers["b"].enabled, servers["b"].timeout_ms), (true, Some(9)));
        assert_eq!(servers["a"].command.as_deref(), Some("c"));
    }
}
