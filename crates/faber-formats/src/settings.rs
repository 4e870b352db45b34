//! Settings of other tools: which rights they give, and which commands they start.

use std::ops::Range;

use camino::Utf8Path;

use faber_core::diagnostic::Diagnostic;
use faber_core::rules::{broad_permission, remote_execution};
use faber_core::security;
use faber_core::source::{FileId, Span};
use faber_core::yaml::Node;

mod leaves;

use leaves::Leaf;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Claude,
    Codex,
    Cursor,
    Gemini,
    Kiro,
    OpenCode,
    VsCode,
    Zed,
    /// A plugin, hooks or servers of any tool.
    Any,
    /// `package.json`
    Package,
}

/// Ends of paths.
const FILES: [(&str, Tool); 26] = [
    (".claude/settings.json", Tool::Claude),
    (".claude/settings.local.json", Tool::Claude),
    (".codex/config.toml", Tool::Codex),
    (".cursor/permissions.json", Tool::Cursor),
    (".cursor/cli.json", Tool::Claude),
    (".cursor/mcp.json", Tool::Any),
    (".cursor/hooks.json", Tool::Any),
    (".gemini/settings.json", Tool::Gemini),
    ("gemini-extension.json", Tool::Any),
    ("opencode.json", Tool::OpenCode),
    ("opencode.jsonc", Tool::OpenCode),
    (".vscode/settings.json", Tool::VsCode),
    (".vscode/mcp.json", Tool::Any),
    (".vscode/tasks.json", Tool::Any),
    (".zed/settings.json", Tool::Zed),
    (".roo/mcp.json", Tool::Any),
    (".kiro/settings/mcp.json", Tool::Any),
    (".amazonq/mcp.json", Tool::Any),
    (".mcp.json", Tool::Any),
    ("mcp.json", Tool::Any),
    (".claude-plugin/plugin.json", Tool::Any),
    (".codex-plugin/plugin.json", Tool::Any),
    (".cursor-plugin/plugin.json", Tool::Any),
    ("plugin.json", Tool::Any),
    ("hooks.json", Tool::Any),
    ("package.json", Tool::Package),
];

/// Ends of folders whose `.json` files are settings.
const FOLDERS: [(&str, Tool); 4] = [
    (".kiro/agents", Tool::Kiro),
    (".amazonq/cli-agents", Tool::Kiro),
    (".github/hooks", Tool::Any),
    (".kiro/hooks", Tool::Any),
];

/// Where a repository or plugin has settings, from its folder.
pub fn places() -> impl Iterator<Item = &'static str> {
    let plugins = ["hooks/hooks.json", "hooks/hooks-cursor.json"];
    let files = FILES.iter().filter(|(_, tool)| *tool != Tool::Package).map(|(file, _)| *file);
    files.filter(|file| !file.ends_with("settings.local.json")).chain(plugins)
}

/// Folders of settings of a repository.
pub fn folders() -> impl Iterator<Item = &'static str> {
    FOLDERS.iter().map(|(folder, _)| *folder)
}

pub fn is_settings(path: &Utf8Path) -> bool {
    tool(path).is_some_and(|tool| tool != Tool::Package)
}

fn tool(path: &Utf8Path) -> Option<Tool> {
    let of_file = FILES.iter().find(|(end, _)| path.ends_with(end));
    let parent = path.parent().filter(|_| path.extension() == Some("json"));
    let of_folder = || FOLDERS.iter().find(|(end, _)| parent.is_some_and(|it| it.ends_with(end)));
    of_file.or_else(of_folder).map(|(_, tool)| *tool)
}

enum Values {
    Texts(&'static [&'static str]),
    True,
}

/// `?` in a path is any key or index.
struct Grant {
    tool: Tool,
    path: &'static [&'static str],
    values: Values,
    /// A setting next to it, without which it does not give everything.
    with: Option<(&'static str, &'static str)>,
    effect: &'static str,
}

const fn grant(
    tool: Tool,
    path: &'static [&'static str],
    values: Values,
    effect: &'static str,
) -> Grant {
    Grant { tool, path, values, with: None, effect }
}

const COMMANDS: &str = "every command runs without asking";
const TOOLS: &str = "every tool runs without asking";
const SERVERS: &str = "every MCP server of a project starts without asking";

/// Names as in the documentation of the tools, autumn 2026; older names still apply.
const GRANTS: [Grant; 19] = [
    grant(
        Tool::Claude,
        &["permissions", "defaultMode"],
        Values::Texts(&["bypassPermissions"]),
        TOOLS,
    ),
    grant(
        Tool::Claude,
        &["permissions", "allow", "?"],
        Values::Texts(&[
            "*",
            "Bash",
            "Bash(*)",
            "Bash(:*)",
            "Bash(**)",
            "Bash(*:*)",
            "Shell(*)",
            "Shell(**)",
        ]),
        COMMANDS,
    ),
    grant(Tool::Claude, &["enableAllProjectMcpServers"], Values::True, SERVERS),
    grant(Tool::Claude, &["skipDangerousModePermissionPrompt"], Values::True, TOOLS),
    Grant {
        with: Some(("sandbox_mode", "danger-full-access")),
        ..grant(Tool::Codex, &["approval_policy"], Values::Texts(&["never"]), COMMANDS)
    },
    Grant {
        with: Some(("sandbox_mode", "danger-full-access")),
        ..grant(
            Tool::Codex,
            &["profiles", "?", "approval_policy"],
            Values::Texts(&["never"]),
            COMMANDS,
        )
    },
    Grant {
        with: Some(("default_permissions", ":danger-full-access")),
        ..grant(Tool::Codex, &["approval_policy"], Values::Texts(&["never"]), COMMANDS)
    },
    grant(Tool::Cursor, &["terminalAllowlist", "?"], Values::Texts(&["*"]), COMMANDS),
    grant(Tool::Cursor, &["mcpAllowlist", "?"], Values::Texts(&["*", "*:*"]), TOOLS),
    grant(
        Tool::Gemini,
        &["tools", "allowed", "?"],
        Values::Texts(&["run_shell_command", "ShellTool", "*"]),
        COMMANDS,
    ),
    grant(Tool::Kiro, &["allowedTools", "?"], Values::Texts(&["*"]), TOOLS),
    grant(Tool::OpenCode, &["permission"], Values::Texts(&["allow"]), TOOLS),
    grant(Tool::OpenCode, &["permission", "*"], Values::Texts(&["allow"]), TOOLS),
    grant(Tool::VsCode, &["chat.tools.autoApprove"], Values::True, TOOLS),
    grant(Tool::VsCode, &["chat.tools.global.autoApprove"], Values::True, TOOLS),
    grant(
        Tool::VsCode,
        &["chat.permissions.default"],
        Values::Texts(&["autoApprove", "autopilot"]),
        TOOLS,
    ),
    grant(Tool::Zed, &["agent", "tool_permissions", "default"], Values::Texts(&["allow"]), TOOLS),
    grant(Tool::Any, &["mcpServers", "?", "alwaysAllow", "?"], Values::Texts(&["*"]), TOOLS),
    grant(Tool::Any, &["mcpServers", "?", "autoApprove", "?"], Values::Texts(&["*"]), TOOLS),
];

/// Of `package.json`, what runs when the package is installed.
const INSTALL: [&str; 4] = ["preinstall", "install", "postinstall", "prepare"];

/// Keys of commands of hooks, servers, status lines and tasks.
const COMMAND_KEYS: [&str; 9] = [
    "command",
    "bash",
    "powershell",
    "windows",
    "linux",
    "osx",
    "apiKeyHelper",
    "awsAuthRefresh",
    "otelHeadersHelper",
];

/// Start an agent that asks for nothing.
const FLAGS: [&str; 6] = [
    "--dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--permission-mode bypassPermissions",
    "--approval-mode yolo",
    "--approval-mode=yolo",
    "--allow-all-tools",
];

/// Nothing if `path` is not that of settings.
pub fn check(file: FileId, path: &Utf8Path, text: &str, found: &mut Vec<Diagnostic>) {
    let Some(tool) = tool(path) else { return };
    let leaves = if path.extension() == Some("toml") {
        leaves::of_toml(text)
    } else {
        leaves::of_json(text)
    };
    let at = |range: &Range<usize>| Span::new(file, range.start, range.end);
    for leaf in &leaves {
        let granted = GRANTS.iter().find(|grant| grant.is_by(tool, leaf, &leaves));
        if let Some(grant) = granted {
            let message = format!("with `{}`, {}", leaf.shown(), grant.effect);
            found.push(broad_permission::RULE.at(at(&leaf.range), message).help(HELP));
        }
    }
    for (command, range) in commands(tool, &leaves) {
        if let Some(what) = security::command(&command).or_else(|| reads_input(&command)) {
            let help =
                "run a program that comes with the pack, or of a package with a fixed version";
            found.push(remote_execution::RULE.at(at(&range), what).help(help));
        }
        if let Some(flag) = FLAGS.iter().find(|flag| command.contains(**flag)) {
            let message = format!("`{flag}` starts an agent that acts without asking");
            found.push(broad_permission::RULE.at(at(&range), message).help(HELP));
        }
    }
}

/// Rights that the front matter of an agent or skill gives itself.
pub fn front(node: &Node) -> Option<Diagnostic> {
    let mode = node.get("permissionMode")?;
    let is_granted = mode.as_str() == Some("bypassPermissions");
    let message = format!("with `permissionMode: bypassPermissions`, {TOOLS}");
    is_granted.then(|| broad_permission::RULE.at(mode.span, message).help(HELP))
}

const HELP: &str = "allow only the commands that are needed; the user decides the rest";

impl Grant {
    fn is_by(&self, tool: Tool, leaf: &Leaf, all: &[Leaf]) -> bool {
        let is_value = match &self.values {
            Values::True => leaf.is_plain && leaf.value == "true",
            Values::Texts(texts) => texts.contains(&&*leaf.value),
        };
        let is_path = self.path.len() == leaf.path.len()
            && self.path.iter().zip(&leaf.path).all(|(part, key)| *part == "?" || part == key);
        let is_next = |(key, value): (&str, &str)| {
            let (_, parents) = leaf.path.split_last().unwrap_or((&leaf.path[0], &[]));
            all.iter().any(|other| {
                other.value == value
                    && other
                        .path
                        .split_last()
                        .is_some_and(|(last, above)| last == key && above == parents)
            })
        };
        let is_tool = self.tool == Tool::Any && tool != Tool::Package || self.tool == tool;
        is_tool && is_value && is_path && self.with.is_none_or(is_next)
    }
}

/// With arguments.
fn commands(tool: Tool, leaves: &[Leaf]) -> Vec<(String, Range<usize>)> {
    let is_command = |leaf: &&Leaf| {
        let Some((last, above)) = leaf.path.split_last() else { return false };
        match tool {
            Tool::Package => above == ["scripts"] && INSTALL.contains(&&**last),
            _ => COMMAND_KEYS.contains(&&**last),
        }
    };
    let with_arguments = |leaf: &Leaf| {
        let above = &leaf.path[..leaf.path.len() - 1];
        let is_argument = |other: &&Leaf| {
            other.path.len() == above.len() + 2
                && other.path.starts_with(above)
                && other.path[above.len()] == "args"
        };
        let arguments: Vec<&Leaf> = leaves.iter().filter(is_argument).collect();
        let range = arguments
            .iter()
            .find(|it| it.value.contains("://"))
            .map_or(&leaf.range, |it| &it.range);
        let words = std::iter::once(leaf).chain(arguments.iter().copied());
        let command = words.map(|it| &*it.value).collect::<Vec<_>>().join(" ");
        (command, range.clone())
    };
    leaves.iter().filter(is_command).map(with_arguments).collect()
}

/// `curl -d @- https://…`: the input of a hook has prompts, files and results.
fn reads_input(command: &str) -> Option<&'static str> {
    let is_local = ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| command.contains(host));
    let is_sent = command.contains("curl")
        && command.contains("://")
        && ["-d @-", "--data @-", "--data-binary @-", "--data-raw @-", "-T -", "--json @-"]
            .iter()
            .any(|flag| command.contains(flag));
    (is_sent && !is_local).then_some("what the agent reads is sent to an address")
}

#[cfg(test)]
mod tests;
