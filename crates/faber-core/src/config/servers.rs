//! MCP servers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::scalar::{truth, whole};
use super::secret::{is_secret, variables};
use crate::diagnostic::Diagnostic;
use crate::escape::clip;
use crate::rules::mcp_server_shape;
use crate::secret::names_secret;
use crate::yaml::{Entry, Node};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    pub enabled: bool,
    timeout_ms: Option<u64>,
    pub launch: Launch,
}

/// How to start or reach a server. Variables stay as written, `${NAME}`, and a value that looks
/// like a secret is replaced by one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Launch {
    /// `local`, `npm` or `github`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The npm package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The version of the package or repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The GitHub repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The path of a local server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The command that starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The arguments of the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The environment of the command, including `config`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The transport, such as `http` or `sse`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// The headers of requests to it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Timeout in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Launch {
    fn read(node: &Node, timeout_ms: Option<u64>) -> Self {
        let text = |key: &str| node.get(key).map(|value| printable(key, value));
        let map = |key: &str| node.get(key).map(Node::entries).unwrap_or_default();
        let texts = |key: &str| {
            map(key).iter().map(|one| (one.key.clone(), printable(&one.key, &one.value))).collect()
        };
        let mut env: BTreeMap<String, String> = texts("env");
        for one in map("config") {
            let value = printable(&one.key, &one.value);
            let only = variables(&value).next().filter(|it| it.end - it.start == value.len());
            let only = only.map(|it| it.name.to_owned());
            let name = only.unwrap_or_else(|| variable_name(&one.key));
            env.entry(name).or_insert(value);
        }
        let args = node.get("args").and_then(Node::items).unwrap_or_default();
        let flags = [None].into_iter().chain(args.iter().map(Node::as_str));
        let args = args.iter().zip(flags).map(|(arg, flag)| {
            let (own, value) = arg.as_str().and_then(|it| it.split_once('=')).unzip();
            let is_literal = variables(arg.as_str().unwrap_or_default()).next().is_none();
            match (own, value) {
                (Some(own), Some(_)) if is_literal && names_secret(own, false) => {
                    format!("{own}=${{{}}}", variable_name(own))
                }
                _ => printable(flag.filter(|it| it.starts_with('-')).unwrap_or_default(), arg),
            }
        });
        Self {
            source: text("source"),
            package: text("package"),
            version: text("version"),
            repository: text("repository"),
            path: text("path"),
            command: text("command"),
            args: args.collect(),
            env,
            url: text("url"),
            transport: text("type"),
            headers: texts("headers"),
            timeout_ms,
        }
    }
}

fn printable(key: &str, value: &Node) -> String {
    let text = value.scalar().map(|scalar| scalar.text.clone()).unwrap_or_default();
    if variables(&text).next().is_none() && is_secret(key, value) {
        return format!("${{{}}}", variable_name(key));
    }
    text
}

fn variable_name(key: &str) -> String {
    let plain = key.trim_start_matches('-').replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    plain.to_ascii_uppercase()
}

pub fn set_launches(servers: &mut BTreeMap<String, McpServer>, written: Option<&Node>) {
    for (name, server) in servers {
        if let Some(node) = written.and_then(|written| written.get(name)) {
            server.launch = Launch::read(node, server.timeout_ms);
        }
    }
}

impl McpServer {
    pub(super) fn read(node: &Node, timeout_ms: Option<u64>) -> Self {
        let value = |key: &str| node.get(key);
        Self {
            enabled: value("enabled").and_then(truth).unwrap_or(true),
            timeout_ms: value("timeout_ms").and_then(whole).or(timeout_ms),
            launch: Launch::default(),
        }
    }
}

pub fn check_servers(config: &Node) -> Vec<Diagnostic> {
    let servers = config.get("mcp_servers").map(Node::entries).unwrap_or_default();
    servers.iter().filter_map(check_server).collect()
}

fn check_server(entry: &Entry) -> Option<Diagnostic> {
    let rule = &mcp_server_shape::RULE;
    let name = clip(&entry.key);
    let ways = entry.value.entries().iter();
    let ways: Vec<&Entry> =
        ways.filter(|one| matches!(&*one.key, "source" | "command" | "url")).collect();
    match &ways[..] {
        [] => {
            let message = format!("the server `{name}` has none of `source`, `command` and `url`");
            Some(rule.at(entry.key_span, message).help("add `source`, `command` or `url`"))
        }
        [way] if way.key == "source" => {
            let source = way.value.as_str()?;
            let needs = match source {
                "npm" => "package",
                "github" => "repository",
                "local" => "path",
                _ => return None,
            };
            let message = format!("`{name}` has the source `{source}`, but no `{needs}`");
            let finding = rule.at(way.value.span, message).help(format!("add `{needs}: …`"));
            entry.value.get(needs).is_none().then_some(finding)
        }
        [_] => None,
        [others @ .., last] => {
            let message =
                format!("the server `{name}` has more than one of `source`, `command` and `url`");
            let found = rule.at(last.key_span, message);
            let found = found.help("keep one of `source`, `command` and `url`");
            Some(others.iter().fold(found, |found, one| found.related(one.key_span, "and here")))
        }
    }
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
    fn launch_data_has_no_secret() {
        let (sources, node, _) = workspace(
            "mcp_servers:\n  a: { source: npm, package: p, config: { api_key: '${LINEAR_KEY}', region: eu, token: s3cr3t } }\n  \
             b: { command: c, args: [--api-key, s3cr3t, --token=s3cr3t, '--x=${Y}'], env: { PASSWORD: s3cr3t, REGION: eu } }\n  \
             c: { url: 'https://u:s3cr3t@host', headers: { Authorization: 'Bearer ${T}' } }\n",
        );
        let mut servers = typed(&node, &sources).mcp_servers;
        set_launches(&mut servers, node.get("mcp_servers"));
        let json = serde_json::to_value(&servers["a"].launch).unwrap();
        let env = serde_json::json!({
            "LINEAR_KEY": "${LINEAR_KEY}", "REGION": "eu", "TOKEN": "${TOKEN}"
        });
        assert_eq!(json["env"], env);
        let b = &servers["b"].launch;
        assert_eq!(b.args, ["--api-key", "${API_KEY}", "--token=${TOKEN}", "--x=${Y}"]);
        assert_eq!((&*b.env["PASSWORD"], &*b.env["REGION"]), ("${PASSWORD}", "eu"));
        let c = &servers["c"].launch;
        assert_eq!(c.url.as_deref(), Some("${URL}"));
        assert_eq!(c.headers["Authorization"], "Bearer ${T}");
    }

    #[test]
    fn a_later_file_may_say_only_a_part() {
        let (_, base, _) = workspace("mcp_servers: { a: { command: c, timeout_ms: 5 } }\n");
        let (sources, later, found) = workspace(
            "mcp_servers: { a: { enabled: false }, b: { url: u } }\nmcp_config: { timeout_ms: 9 }\n",
        );
        let node = merge(base, later);
        assert_eq!((found, check_servers(&node)), (Vec::new(), Vec::new()));
        let mut servers = typed(&node, &sources).mcp_servers;
        set_launches(&mut servers, node.get("mcp_servers"));
        assert_eq!((servers["a"].enabled, servers["a"].timeout_ms), (false, Some(5)));
        assert_eq!((servers["b"].enabled, servers["b"].timeout_ms), (true, Some(9)));
        assert_eq!(servers["a"].launch.command.as_deref(), Some("c"));
    }
}
