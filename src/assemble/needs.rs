//! What the selected platform needs outside of the prompt: MCP servers and tools.

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Config;
use crate::parse::fields::Fallback;
use crate::resolve::catalog::Resolved;

/// An MCP server that a loaded platform context works with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct McpNeed {
    /// The server, as `mcp_servers` names it.
    pub server: String,
    /// Whether the configuration has it and does not switch it off.
    pub enabled: bool,
    /// The tools of it that are needed.
    pub tools: Vec<String>,
    /// What to use when the server is not there.
    pub fallback: Option<&'static str>,
}

/// What one context needs, if anything.
pub fn need(context: &Resolved, config: &Config) -> Option<McpNeed> {
    let fields = &context.front.fields;
    let server = fields.mcp_server.as_ref()?;
    let server = server.value.strip_prefix("tool:").unwrap_or(&server.value).to_owned();
    let enabled = config.mcp_servers.get(&server).is_some_and(|server| server.enabled);
    let tools = fields.required_tools.iter().map(|tool| tool.value.clone()).collect();
    let fallback = fields.fallback.as_ref().map(|fallback| match fallback.value {
        Fallback::Api => "api",
        Fallback::Cli => "cli",
        Fallback::Manual => "manual",
    });
    Some(McpNeed { server, enabled, tools, fallback })
}

/// The same in one line for the reader of the prompt.
pub fn line(need: &McpNeed) -> String {
    let tools: Vec<String> = need.tools.iter().map(|tool| format!("`{tool}`")).collect();
    let tools =
        if tools.is_empty() { String::new() } else { format!(" with {}", tools.join(", ")) };
    let fallback = match need.fallback {
        Some(fallback) => format!("the fallback is `{fallback}`"),
        None => "there is no fallback".to_owned(),
    };
    if need.enabled {
        format!("MCP server `{}`{tools}; {fallback}.", need.server)
    } else {
        format!("MCP server `{}`{tools} is not configured; {fallback}.", need.server)
    }
}
