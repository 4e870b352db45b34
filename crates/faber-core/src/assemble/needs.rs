//! MCP servers and tools that the loaded contexts need.

use memchr::memmem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ascii;
use crate::category::Category;
use crate::config::{Config, Launch};
use crate::line::{self, Line};
use crate::markdown::{self, Lines};
use crate::resolve::catalog::{Body, Context};
use crate::source::{SourceMap, Span, Spanned};
use crate::word_list::words;

const PREFIX: &str = "mcp-server-";

const SERVER_PHRASE: &str = "mcp server";
const RARE: usize = 7;

const MAX_LINE_BYTES: usize = 1000;

/// An MCP server that a loaded context uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct McpNeed {
    /// The server's key in `mcp_servers`.
    pub server: String,
    /// Whether it is configured and not disabled.
    pub enabled: bool,
    /// Whether it is configured.
    pub configured: bool,
    /// The required tools.
    pub tools: Vec<String>,
    /// What to use without the server.
    pub fallback: Option<&'static str>,
    /// How to start or reach it; none when it is not configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<Launch>,
}

pub fn plain(name: &str) -> &str {
    name.trim().strip_prefix("tool:").unwrap_or(name.trim())
}

pub fn server(context: &Context, config: &Config, sources: &SourceMap) -> Option<Spanned<String>> {
    match &context.front.fields.mcp_server {
        Some(named) => Some(Spanned { value: plain(&named.value).to_owned(), span: named.span }),
        None => named_in_body(context, config, sources),
    }
}

pub fn need(context: &Context, config: &Config, sources: &SourceMap) -> Option<McpNeed> {
    let fields = &context.front.fields;
    let server = server(context, config, sources)?.value;
    let known = config.mcp_servers.get(&server);
    let tools = fields.required_tools.iter().map(|tool| tool.value.clone()).collect();
    let fallback = fields.fallback.as_ref().map(|fallback| fallback.value.name());
    Some(McpNeed {
        enabled: known.is_some_and(|server| server.enabled),
        configured: known.is_some(),
        launch: known.map(|server| server.launch.clone()),
        server,
        tools,
        fallback,
    })
}

pub fn line(need: &McpNeed) -> String {
    let tools: Vec<String> = need.tools.iter().map(|tool| format!("`{tool}`")).collect();
    let tools =
        if tools.is_empty() { String::new() } else { format!(" with {}", tools.join(", ")) };
    let server = format!("MCP server `{}`{tools}", need.server);
    let state = if need.configured { "is configured but disabled" } else { "is not configured" };
    match (need.enabled, need.fallback) {
        (true, Some(fallback)) => format!("{server}; the fallback is `{fallback}`."),
        (true, None) => format!("{server}; no fallback."),
        (false, Some(fallback)) => format!("{server} {state}: use {} instead.", instead(fallback)),
        (false, None) => format!("{server} {state}, and no fallback."),
    }
}

fn instead(fallback: &str) -> &'static str {
    match fallback {
        "api" => "the API",
        "cli" => "the command line",
        _ => "manual steps",
    }
}

/// The first configured code span after "MCP server", in a line or below such a heading, or
/// `mcp-server-…` in a platform context or a request to use it.
pub fn named_in_body(
    context: &Context,
    config: &Config,
    sources: &SourceMap,
) -> Option<Spanned<String>> {
    if let Body::Whole(span) | Body::Titled { text: span, .. } = context.body {
        let text = sources.text(span);
        let names_server = |name: &str| memmem::find(text.as_bytes(), name.as_bytes()).is_some();
        let mut names = config.mcp_servers.keys().map(String::as_str).chain([PREFIX]);
        if !names.any(names_server) || !mentions_server(text) {
            return None;
        }
    }
    let lines = context.body.all_lines(sources);
    let joined = line::join(sources, &lines);
    if !mentions_server(&joined) {
        return None;
    }
    let mut below_heading = false;
    for number in markdown::lines_outside_code(&joined, &Lines::new(&joined)) {
        let line = &lines[number];
        let text = line.text(sources);
        if text.len() > MAX_LINE_BYTES {
            continue;
        }
        let mentions = mentions_server(text);
        if text.trim_start().starts_with('#') {
            below_heading = mentions;
        }
        if !mentions && !below_heading {
            continue;
        }
        let lower = text.to_ascii_lowercase();
        if [" not ", "n't ", "never "].iter().any(|word| lower.contains(word)) {
            continue;
        }
        let from = lower.find(SERVER_PHRASE).map_or(0, |at| at + SERVER_PHRASE.len());
        let found = code_spans(text, from).find(|(_, name)| {
            let name = plain(name);
            let is_name = name.len() > PREFIX.len() && !name.contains(char::is_whitespace);
            config.mcp_servers.contains_key(name) || (name.starts_with(PREFIX) && is_name)
        });
        let is_to_use = |at: usize, name: &str| {
            config.mcp_servers.contains_key(plain(name))
                || context.id.category == Category::Platform
                || asks_to_use(&lower, &lower[from..at])
        };
        let found = found.filter(|&(at, name)| is_to_use(at, name));
        if let Some((at, name)) = found {
            return Some(Spanned { value: plain(name).to_owned(), span: place(line, at, name) });
        }
    }
    None
}

fn asks_to_use(line: &str, between: &str) -> bool {
    let words = |text: &str, all: &[&str]| {
        text.split(|char: char| !char.is_alphanumeric()).any(|word| all.contains(&word))
    };
    let mut rest = between.strip_prefix('s').unwrap_or(between).chars();
    !words(line, PACKAGES) && (words(line, &USES) || !rest.any(char::is_alphanumeric))
}

const USES: [&str; 13] = [
    "call", "calls", "connect", "connects", "need", "needs", "requires", "through", "use", "used",
    "uses", "using", "via",
];

const PACKAGES: &[&str] = words!(
    "artifact, build, crate, dependencies, dependency, extension, image, library, module, package",
    "plugin, starter",
);

fn mentions_server(text: &str) -> bool {
    ascii::contains(text, SERVER_PHRASE, RARE)
}

fn code_spans(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut parts = text[from..].split('`').scan(from, |at, part| {
        let start = *at;
        *at += part.len() + 1;
        Some((start, part))
    });
    parts.next();
    parts.step_by(2)
}

fn place(line: &Line, at: usize, part: &str) -> Span {
    if line.shown.is_some() {
        return line.origin;
    }
    let start = line.origin.start as usize + at;
    Span::new(line.origin.file, start, start + part.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_are_between_backticks() {
        let spans: Vec<_> = code_spans("**MCP Server**: `a`, then `b` and", 14).collect();
        assert_eq!(spans, [(17, "a"), (27, "b")]);
    }

    #[test]
    fn a_package_is_no_server_to_use() {
        let asks = |line: &str| {
            let from = line.find(SERVER_PHRASE).map_or(0, |at| at + SERVER_PHRASE.len());
            asks_to_use(line, &line[from..line.find('`').unwrap()])
        };
        for line in [
            "**mcp server**: use `mcp-server-a`",
            "mcp servers: `mcp-server-a`",
            "through the mcp server of the team, `mcp-server-a`",
            "the mcp server (`mcp-server-a`)",
        ] {
            assert!(asks(line), "{line}");
        }
        for line in
            ["mcp server extension: `mcp-server-a`", "use the mcp server library `mcp-server-a`"]
        {
            assert!(!asks(line), "{line}");
        }
    }

    #[test]
    fn the_line_says_what_to_use_instead() {
        let need = |enabled, configured, fallback| {
            let (server, tools, launch) = ("s".to_owned(), Vec::new(), None);
            line(&McpNeed { server, enabled, configured, tools, fallback, launch })
        };
        assert_eq!(need(true, true, Some("api")), "MCP server `s`; the fallback is `api`.");
        assert_eq!(
            need(false, true, Some("cli")),
            "MCP server `s` is configured but disabled: use the command line instead."
        );
        assert_eq!(
            need(false, false, Some("manual")),
            "MCP server `s` is not configured: use manual steps instead."
        );
        assert_eq!(need(false, false, None), "MCP server `s` is not configured, and no fallback.");
    }
}
