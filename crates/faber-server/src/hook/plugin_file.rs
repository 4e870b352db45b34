//! The plugin for opencode, which runs no hook commands.

use super::client::{ClientRow, EventRow};
use super::hook_file::{FileProblem, InstallState};

const PLUGIN: &str = include_str!("opencode.ts");
const HEAD: &str = "// Written by `faber hook install opencode`";
const EVENTS: &str = "const EVENTS = ";

pub(super) fn installed(text: &str, events: &[&EventRow]) -> Result<String, FileProblem> {
    if is_plugin(text, events) {
        return Ok(text.to_owned());
    }
    let is_free = text.trim().is_empty() || is_ours(text);
    is_free.then(|| plugin(events)).ok_or_else(|| "faber did not write it".to_owned())
}

pub(super) fn uninstalled(text: &str) -> Option<String> {
    (!is_ours(text)).then(|| text.to_owned())
}

pub(super) fn state(text: &str, row: &ClientRow) -> InstallState {
    if !is_ours(text) {
        return InstallState::None;
    }
    let list = text.lines().find_map(|line| line.strip_prefix(EVENTS));
    let names: Vec<String> =
        list.and_then(|list| serde_json::from_str(list).ok()).unwrap_or_default();
    let known: Vec<&EventRow> = names.iter().filter_map(|name| row.event(name)).collect();
    if is_plugin(text, &known) {
        InstallState::Current(names)
    } else {
        InstallState::Outdated(names)
    }
}

fn is_ours(text: &str) -> bool {
    text.starts_with(HEAD)
}

fn is_plugin(text: &str, events: &[&EventRow]) -> bool {
    text.replace("\r\n", "\n") == plugin(events)
}

fn plugin(events: &[&EventRow]) -> String {
    let names: Vec<String> = events.iter().map(|event| format!("\"{}\"", event.name)).collect();
    PLUGIN.replacen("const EVENTS = []", &format!("{EVENTS}[{}]", names.join(", ")), 1)
}
