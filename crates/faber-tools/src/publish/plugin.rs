//! Manifests for Claude Code, Codex and Agent Plugins 1.0.0,
//! <https://github.com/agentplugins/agent-plugins-spec>.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::gather::SkillView;
use crate::exchange::mcp;
use faber_core::config::{Config, Launch, PublishConfig};
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::letters::ascii_words;
use faber_core::packs::skills::is_skill_name;
use faber_core::rules::export_omitted;
use faber_core::source::{Span, Spanned};
use faber_session::session::Workspace;

const PLUGIN_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const MCP_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// From Claude Code's documentation.
const RESERVED: &str = "agent-skills|anthropic-marketplace|anthropic-plugins|claude-code-marketplace|\
    claude-code-plugins|claude-plugins-official|knowledge-work-plugins|life-sciences";

/// `publish.name`, else `settings.organization`, else the folder name.
///
/// # Errors
///
/// [`Error::Usage`] if clients refuse it.
pub fn name(workspace: &Workspace) -> Result<String, Error> {
    let config = &workspace.config;
    let help = "set `publish.name` in .faber/config.yml to lower-case letters, digits and single hyphens, at most 64";
    if let Some(name) = &config.publish.name {
        let name = &name.value;
        if !is_skill_name(name) {
            return Err(Error::usage(format!("invalid name of a plugin `{name}`"), help));
        }
        return checked(name.clone());
    }
    let organization = config.settings.organization.as_ref().map(|name| name.value.as_str());
    let usual = organization.or(workspace.files.root().file_name()).unwrap_or_default();
    let usual = ascii_words(usual).join("-");
    if is_skill_name(&usual) {
        return checked(usual);
    }
    Err(Error::usage("the plugin has no name", help))
}

fn checked(name: String) -> Result<String, Error> {
    if RESERVED.split('|').any(|reserved| reserved == name) {
        let message = format!("the name `{name}` is reserved by clients");
        return Err(Error::usage(message, "set another `publish.name` in .faber/config.yml"));
    }
    Ok(name)
}

pub(super) fn manifest(name: &str, config: &PublishConfig) -> Value {
    let mut all = json!({ "$schema": PLUGIN_SCHEMA, "name": name });
    add_about(&mut all, config);
    all
}

/// Without a version, every commit is one.
pub(super) fn client_manifest(name: &str, config: &PublishConfig, has_servers: bool) -> Value {
    let mut all = json!({ "name": name });
    add_about(&mut all, config);
    all["skills"] = json!("./skills/");
    if has_servers {
        all["mcpServers"] = json!("./mcp.json");
    }
    all
}

fn add_about(manifest: &mut Value, config: &PublishConfig) {
    let text = |text: &Option<Spanned<String>>| text.as_ref().map(|text| json!(text.value));
    let keywords: Vec<&String> = config.keywords.iter().map(|it| &it.value).collect();
    let about = [
        ("description", text(&config.description)),
        ("author", config.owner.as_ref().map(|owner| json!({ "name": owner.value }))),
        ("homepage", text(&config.homepage)),
        ("repository", text(&config.repository)),
        ("license", text(&config.license)),
        ("keywords", (!keywords.is_empty()).then(|| json!(keywords))),
    ];
    for (key, value) in about {
        if let Some(value) = value {
            manifest[key] = value;
        }
    }
}

/// Codex refuses plugins in the root.
pub(super) fn marketplace(name: &str, config: &Config) -> Value {
    let publish = &config.publish;
    let owner = publish.owner.as_ref().or(config.settings.organization.as_ref());
    let owner = owner.map_or(name, |owner| &owner.value);
    let mut entry = json!({ "name": name, "source": format!("./plugins/{name}") });
    if let Some(description) = &publish.description {
        entry["description"] = json!(description.value);
    }
    entry["category"] = json!("Development");
    entry["policy"] = json!({ "installation": "AVAILABLE", "authentication": "ON_INSTALL" });
    json!({ "name": name, "owner": { "name": owner }, "plugins": [entry] })
}

pub(super) fn servers(views: &[SkillView], found: &mut Vec<Diagnostic>) -> Option<Value> {
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    let mut refused: BTreeMap<&str, (Span, String)> = BTreeMap::new();
    for server in views.iter().flat_map(|view| &view.servers) {
        let launch = server.launch.as_ref().map_err(|why| format!("it is {why}"));
        match launch.and_then(entry) {
            Ok(entry) => {
                all.entry(server.name.clone()).or_insert(entry);
            }
            Err(why) => {
                refused.entry(&server.name).or_insert((server.at, why));
            }
        }
    }
    for (name, (at, why)) in refused.into_iter().filter(|(name, _)| !all.contains_key(*name)) {
        let note = format!("MCP server `{name}` is not published: {why}");
        found.push(export_omitted::RULE.at(at, note));
    }
    (!all.is_empty()).then(|| json!({ "$schema": MCP_SCHEMA, "mcpServers": all }))
}

fn entry(launch: &Launch) -> Result<Value, String> {
    if let Some(url) = &launch.url {
        let kind = match launch.transport.as_deref() {
            None | Some("http" | "streamable-http") => "streamable-http",
            Some("sse") => "sse",
            Some(other) => return Err(format!("the transport `{other}` is not published")),
        };
        constant([url].into_iter().chain(launch.headers.values()))?;
        if !is_public_address(url) {
            return Err("its address is not `https`, or has a user or a fragment".to_owned());
        }
        let launch = Launch { timeout_ms: None, ..launch.clone() };
        return Ok(mcp::entry(&launch, Some(kind)));
    }
    let (command, args) = mcp::command(launch);
    if launch.path.is_some() || command.contains(['/', '\\']) || command.is_empty() {
        return Err("its program is a file of this machine or of the workspace".to_owned());
    }
    let mut env = launch.env.clone();
    env.retain(|name, value| *value != format!("${{{name}}}"));
    if env.keys().any(|name| matches!(name.as_str(), "PLUGIN_ROOT" | "PLUGIN_DATA")) {
        return Err("clients set `PLUGIN_ROOT` and `PLUGIN_DATA` themselves".to_owned());
    }
    constant([&command].into_iter().chain(&args).chain(env.values()))?;
    let launch = Launch { env, timeout_ms: None, ..launch.clone() };
    Ok(mcp::entry(&launch, Some("stdio")))
}

/// Plugins have no user variables.
fn constant<'t>(texts: impl IntoIterator<Item = &'t String>) -> Result<(), String> {
    if texts.into_iter().any(|text| text.contains("${")) {
        return Err("it needs a variable or a secret, which plugins cannot have".to_owned());
    }
    Ok(())
}

fn is_public_address(url: &str) -> bool {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(host) => host.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_local =
        name == "localhost" || name.parse().is_ok_and(|it: std::net::IpAddr| it.is_loopback());
    let is_plain = !url.contains(|c: char| c == '#' || c.is_whitespace() || c.is_control());
    let scheme = scheme.to_ascii_lowercase();
    is_plain
        && !name.is_empty()
        && !host.contains('@')
        && (scheme == "https" || (scheme == "http" && is_local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_without_anything_of_this_machine_are_published() {
        let text = |text: &str| Some(text.to_owned());
        let env = |name: &str, value: &str| [(name.to_owned(), value.to_owned())].into();
        let npm = Launch {
            package: text("@acme/tracker"),
            env: env("KEY", "${KEY}"),
            timeout_ms: Some(5),
            ..Launch::default()
        };
        let expected =
            json!({ "type": "stdio", "command": "npx", "args": ["-y", "@acme/tracker"] });
        assert_eq!(entry(&npm), Ok(expected));
        let http =
            Launch { url: text("https://e.org/mcp"), transport: text("http"), ..Launch::default() };
        let expected = json!({ "type": "streamable-http", "url": "https://e.org/mcp" });
        assert_eq!(entry(&http), Ok(expected));
        for bad in [
            Launch { path: text("tools/server.py"), ..Launch::default() },
            Launch { command: text("/opt/server"), ..Launch::default() },
            Launch { command: text("./server"), ..Launch::default() },
            Launch { command: text("c"), args: vec!["${TOKEN}".to_owned()], ..Launch::default() },
            Launch { command: text("c"), env: env("A", "${B}"), ..Launch::default() },
            Launch { command: text("c"), env: env("PLUGIN_ROOT", "x"), ..Launch::default() },
            Launch { headers: env("Authorization", "Bearer ${T}"), ..http.clone() },
            Launch { transport: text("ws"), ..http.clone() },
            Launch { url: text("${URL}"), ..Launch::default() },
            Launch::default(),
        ] {
            assert!(entry(&bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn addresses_are_encrypted_or_of_this_machine() {
        for good in [
            "https://e.org",
            "HTTPS://e.org:1/x?y",
            "http://localhost:1",
            "http://[::1]:1/",
            "http://127.0.0.2",
        ] {
            assert!(is_public_address(good), "{good}");
        }
        for bad in [
            "http://e.org",
            "https://u:p@e.org",
            "https://e.org/#x",
            "e.org",
            "https://",
            "file:///x",
            "https://e .org",
        ] {
            assert!(!is_public_address(bad), "{bad}");
        }
    }
}
