//! Clients run each other's hook files: event and environment determine the client before
//! `--client`.

use camino::Utf8PathBuf;
use serde_json::{Map, Value};

use super::client::{Client, EventRow};
use faber_core::error::json_problem;
use faber_tools::hook::event::{EventKind, HookEvent};

const MAX_FILES: usize = 50;
const MAX_PATH_BYTES: usize = 4096;
const MAX_ERROR_BYTES: usize = 32 * 1024;
const TRANSCRIPT: [&str; 2] = ["transcript_path", "transcriptPath"];

#[derive(Clone, Debug)]
pub struct ClientEvent {
    pub client: Client,
    pub name: String,
    pub row: Option<&'static EventRow>,
    pub event: Option<HookEvent>,
    pub transformed_prompt: Option<String>,
}

impl ClientEvent {
    pub fn unknown(&self) -> String {
        format!("unknown event `{}` of {}", cut(&self.name), self.client.row().title)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    pub client: Option<&'a str>,
    pub event: Option<&'a str>,
    pub vars: &'a [(String, String)],
}

/// # Errors
///
/// If the text is not an event of a known client.
pub fn read(text: &str, hints: Hints<'_>) -> Result<ClientEvent, String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err("standard input is empty".to_owned());
    }
    let value: Result<Value, _> = serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&without_lone_surrogates(text)));
    let value = value.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("cannot read the event: {} at line {line} column {column}", json_problem(&error))
    })?;
    let Value::Object(input) = value else {
        return Err("the event is not a JSON object".to_owned());
    };
    let name = text_of(&input, &["hook_event_name", "hookEventName"]);
    let name = name.or(hints.event).or_else(|| unnamed(&input));
    let name = name.ok_or("the event has no name")?.to_owned();
    let client = client_of(&input, &name, hints);
    let client = client.ok_or_else(|| match hints.client {
        Some(word) => {
            format!("unknown client `{}`; known are {}", cut(word), Client::NAMES.join(", "))
        }
        None => format!(
            "cannot tell which client sent the event `{}`; add `--client NAME` to the command",
            cut(&name)
        ),
    })?;
    let row = client.row().event(&name).or_else(|| foreign_event(client, &name));
    let mut event = row.map(|row| event(&input, row.kind)).transpose()?;
    if let Some(event) = event.as_mut().filter(|event| event.kind == EventKind::Compaction) {
        // Gemini CLI 0.61 reports this at every prompt.
        let is_auto = text_of(&input, &["trigger"]) == Some("auto");
        event.starts_over = !(client == Client::Gemini && is_auto);
    }
    let transformed_prompt = text_of(&input, &["transformedPrompt"]).map(str::to_owned);
    Ok(ClientEvent { client, name, row, event, transformed_prompt })
}

/// Copilot does not name its events.
fn unnamed(input: &Map<String, Value>) -> Option<&'static str> {
    let has = |key: &&str| input.contains_key(*key);
    let (_, name) = UNNAMED.iter().find(|(keys, _)| keys.iter().all(has))?;
    has(&"sessionId").then_some(*name)
}

const UNNAMED: [(&[&str], &str); 9] = [
    (&["transformedPrompt"], "userPromptTransformed"),
    (&["toolName", "toolResult"], "postToolUse"),
    (&["toolName", "error"], "postToolUseFailure"),
    (&["toolName"], "preToolUse"),
    (&["source"], "sessionStart"),
    (&["initialPrompt"], "sessionStart"),
    (&["prompt"], "userPromptSubmitted"),
    (&["trigger"], "preCompact"),
    (&["reason"], "sessionEnd"),
];

/// JavaScript clients can cut within a character.
fn without_lone_surrogates(json: &str) -> String {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, escape)) = rest.find('\\').map(|at| rest.split_at(at)) {
        out.push_str(before);
        let end = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push(char::REPLACEMENT_CHARACTER);
                rest = &escape[6..];
                continue;
            }
            _ => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        out.push_str(&escape[..end]);
        rest = &escape[end..];
    }
    out + rest
}

fn foreign_event(client: Client, name: &str) -> Option<&'static EventRow> {
    // Only Cursor is known to convert answers.
    (client == Client::Cursor).then(|| Client::Claude.row().event(name)).flatten()
}

fn client_of(input: &Map<String, Value>, name: &str, hints: Hints<'_>) -> Option<Client> {
    let has = |key: &str| input.contains_key(key);
    let is_set =
        |name: &str| hints.vars.iter().any(|(key, value)| key == name && !value.is_empty());
    let transcript = text_of(input, &TRANSCRIPT).unwrap_or_default().replace('\\', "/");
    let only_of = |client: Client| {
        let has_event = |(_, other): &(_, Client)| other.row().event(name).is_some();
        let mut with_event = Client::ALL.iter().filter(|it| has_event(it));
        with_event.next().is_some_and(|(_, first)| *first == client) && with_event.next().is_none()
    };
    if only_of(Client::Opencode) {
        return Some(Client::Opencode);
    }
    if has("cursor_version") || has("workspace_roots") || is_set("CURSOR_VERSION") {
        return Some(Client::Cursor);
    }
    // First: a client in another's terminal inherits its variables.
    if has("turn_id") || transcript.contains("/.codex/") {
        return Some(Client::Codex);
    }
    if only_of(Client::Gemini) || transcript.contains("/.gemini/") {
        return Some(Client::Gemini);
    }
    if has("hookEventName") {
        return Some(Client::VsCode);
    }
    if has("sessionId") {
        return Some(Client::Copilot);
    }
    let named = hints.client.and_then(Client::parse);
    let of_own_file = |client: &Client| {
        matches!(client, Client::Codex | Client::Gemini) && client.row().event(name).is_some()
    };
    if let Some(client) = named.filter(of_own_file) {
        return Some(client);
    }
    // With Claude Code's names, Copilot writes a time.
    let has_claude_fields = has("permission_mode") || transcript.contains("/.claude/");
    if has("timestamp") && !has_claude_fields && !is_set("GEMINI_PROJECT_DIR") {
        return Some(Client::Copilot);
    }
    if has_claude_fields || has("prompt_id") {
        return Some(Client::Claude);
    }
    if is_set("GEMINI_PROJECT_DIR") && Client::Gemini.row().event(name).is_some() {
        return Some(Client::Gemini);
    }
    let only = Client::ALL.iter().map(|(_, client)| *client).find(|client| only_of(*client));
    let by_environment = is_set("CLAUDE_PROJECT_DIR").then_some(Client::Claude);
    named.or(only).or(by_environment)
}

fn event(input: &Map<String, Value>, kind: EventKind) -> Result<HookEvent, String> {
    let ids = ["conversation_id", "session_id", "sessionId"];
    let id = text_of(input, &ids).filter(|id| !id.is_empty());
    let id = id.ok_or("the event has no `session_id`")?;
    let mut event = HookEvent::new(kind, id);
    let agent = text_of(input, &["agent_id", "agentId"]).filter(|agent| !agent.is_empty());
    event.agent = agent.map(str::to_owned);
    let roots = input.get("workspace_roots").and_then(Value::as_array);
    let root = roots.and_then(|roots| roots.first()).and_then(Value::as_str);
    let cwd = text_of(input, &["cwd"]).filter(|cwd| !cwd.is_empty()).or(root);
    event.cwd = cwd.filter(|cwd| is_path(cwd)).map(Utf8PathBuf::from);
    let source = text_of(input, &["source", "trigger"]);
    match kind {
        EventKind::SessionStart => {
            event.clears = source == Some("clear");
            event.starts_over = event.clears || source == Some("compact");
        }
        EventKind::Prompt => {
            text_of(input, &["prompt"]).unwrap_or_default().clone_into(&mut event.prompt);
            event.is_from_person = matches!(source, None | Some("user" | "sdk"));
            event.files = attachments(input);
        }
        EventKind::BeforeTool | EventKind::Tool => event.files = tool_files(input),
        EventKind::ToolFailure => {
            event.error = error_of(input);
            event.files = tool_files(input);
        }
        EventKind::Instructions => {
            event.files.extend(text_of(input, &["file_path", "filePath"]).map(str::to_owned));
        }
        EventKind::SessionEnd => {
            let path = text_of(input, &TRANSCRIPT).map(Utf8PathBuf::from);
            event.transcript = path.filter(|path| path.is_absolute());
        }
        EventKind::Compaction => {}
    }
    event.files.retain(|file| !file.is_empty() && is_path(file));
    event.files.truncate(MAX_FILES);
    Ok(event)
}

fn is_path(text: &str) -> bool {
    text.len() <= MAX_PATH_BYTES && !text.contains('\0')
}

fn text_of<'a>(input: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| input.get(*key)?.as_str())
}

fn attachments(input: &Map<String, Value>) -> Vec<String> {
    let attached = input.get("attachments").and_then(Value::as_array).into_iter().flatten();
    attached.take(MAX_FILES).filter_map(path_of).map(str::to_owned).collect()
}

fn path_of(value: &Value) -> Option<&str> {
    match value {
        Value::String(path) => Some(path),
        Value::Object(map) => text_of(map, &PATHS),
        _ => None,
    }
}

const PATHS: [&str; 7] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "target_file",
    "relative_path",
];
const PATH_LISTS: [&str; 6] = ["files", "paths", "file_paths", "include", "replacements", "edits"];
const PATCHES: [&str; 4] = ["command", "input", "patch", "patchText"];

fn tool_files(input: &Map<String, Value>) -> Vec<String> {
    let keys = ["tool_input", "toolInput", "toolArgs", "tool_args"];
    let Some(arguments) = keys.iter().find_map(|key| input.get(*key)) else { return Vec::new() };
    // Copilot's arguments are a JSON string.
    let parsed = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let arguments = parsed.as_ref().unwrap_or(arguments);
    let mut files: Vec<String> = Vec::new();
    match arguments {
        Value::String(patch) => patched_files(patch, &mut files),
        Value::Object(map) => {
            files.extend(PATHS.iter().filter_map(|key| map.get(*key)?.as_str()).map(str::to_owned));
            for key in PATH_LISTS {
                let listed = map.get(key).and_then(Value::as_array).into_iter().flatten();
                let listed = listed.take(MAX_FILES).filter_map(path_of);
                files.extend(listed.map(str::to_owned));
            }
            for patch in PATCHES.iter().filter_map(|key| map.get(*key)?.as_str()) {
                patched_files(patch, &mut files);
            }
        }
        _ => {}
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}

fn patched_files(patch: &str, files: &mut Vec<String>) {
    if !patch.contains("*** ") {
        return;
    }
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let of_line = |line: &str| {
        let file = marks.iter().find_map(|mark| line.strip_prefix(mark))?;
        Some(file.trim().to_owned())
    };
    files.extend(patch.lines().filter_map(of_line).take(MAX_FILES));
}

fn error_of(input: &Map<String, Value>) -> String {
    let keys = ["error", "error_message", "errorMessage", "tool_output", "tool_response"];
    let text = keys.iter().find_map(|key| match input.get(*key)? {
        Value::String(text) => Some(text.clone()),
        Value::Object(map) => {
            let text = text_of(map, &["message", "stderr", "error", "output"]);
            Some(text.map_or_else(|| Value::Object(map.clone()).to_string(), str::to_owned))
        }
        _ => None,
    });
    let text = text.unwrap_or_default();
    let from = text.len().saturating_sub(MAX_ERROR_BYTES);
    let start = (from..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(from);
    text[start..].to_owned()
}

fn cut(name: &str) -> String {
    name.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn client(event: &Value, vars: &[(&str, &str)]) -> Option<Client> {
        let vars: Vec<(String, String)> =
            vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let hints = Hints { vars: &vars, event: Some("userPromptTransformed"), client: None };
        read(&event.to_string(), hints).ok().map(|event| event.client)
    }

    #[test]
    fn the_client_is_recognized_by_the_event() {
        let name = "UserPromptSubmit";
        let claude = json!({ "session_id": "a", "hook_event_name": name, "permission_mode": "default",
            "transcript_path": "/h/.claude/projects/-w/a.jsonl", "prompt": "x" });
        assert_eq!(client(&claude, &[]), Some(Client::Claude));
        assert_eq!(client(&claude, &[("CURSOR_VERSION", "3")]), Some(Client::Cursor));
        let mut codex = claude.clone();
        codex["turn_id"] = "t".into();
        assert_eq!(client(&codex, &[("CLAUDE_PROJECT_DIR", "/w")]), Some(Client::Codex));
        let copilot = json!({ "sessionId": "a", "timestamp": 1, "cwd": "/w", "prompt": "x" });
        assert_eq!(client(&copilot, &[("CLAUDE_PROJECT_DIR", "/w")]), Some(Client::Copilot));
        let pascal =
            json!({ "session_id": "a", "hook_event_name": name, "timestamp": "t", "prompt": "x" });
        assert_eq!(client(&pascal, &[]), Some(Client::Copilot));
        let gemini =
            json!({ "session_id": "a", "hook_event_name": "BeforeAgent", "timestamp": "t" });
        assert_eq!(client(&gemini, &[]), Some(Client::Gemini));
        let start =
            json!({ "session_id": "a", "hook_event_name": "SessionStart", "timestamp": "t" });
        assert_eq!(client(&start, &[("GEMINI_PROJECT_DIR", "/w")]), Some(Client::Gemini));
        let code = json!({ "sessionId": "a", "hookEventName": name, "timestamp": "t" });
        assert_eq!(client(&code, &[]), Some(Client::VsCode));
        let cursor = json!({ "conversation_id": "a", "hook_event_name": "beforeSubmitPrompt" });
        assert_eq!(client(&cursor, &[]), Some(Client::Cursor));
        let bare = json!({ "session_id": "a", "hook_event_name": name });
        assert_eq!(client(&bare, &[]), None);
        let hints = Hints { client: Some("claude"), ..Hints::default() };
        assert_eq!(read(&bare.to_string(), hints).unwrap().client, Client::Claude);
    }

    #[test]
    fn a_client_of_its_own_file_is_told_by_the_command() {
        for (named, expected) in [
            ("gemini", Client::Gemini),
            ("codex", Client::Codex),
            ("claude", Client::Claude),
            ("copilot", Client::Claude),
        ] {
            let start = json!({ "session_id": "a", "hook_event_name": "SessionStart",
                "timestamp": "t", "transcript_path": null, "permission_mode": "default" });
            let hints = Hints { client: Some(named), ..Hints::default() };
            assert_eq!(read(&start.to_string(), hints).unwrap().client, expected, "{named}");
        }
        let start = json!({ "session_id": "a", "hook_event_name": "SessionStart", "timestamp": "t",
            "source": "startup" });
        let hints = Hints { client: Some("gemini"), ..Hints::default() };
        assert_eq!(read(&start.to_string(), hints).unwrap().client, Client::Gemini);
    }

    #[test]
    fn events_without_a_name_are_told_by_their_fields() {
        for (fields, expected) in [
            (json!({ "prompt": "x", "transformedPrompt": "y" }), Some("userPromptTransformed")),
            (json!({ "prompt": "x" }), Some("userPromptSubmitted")),
            (json!({ "source": "new", "initialPrompt": "x" }), Some("sessionStart")),
            (json!({ "toolName": "view", "toolArgs": "{}" }), Some("preToolUse")),
            (json!({ "toolName": "view", "toolResult": {} }), Some("postToolUse")),
            (json!({ "toolName": "view", "error": "x" }), Some("postToolUseFailure")),
            (json!({ "trigger": "auto" }), Some("preCompact")),
            (json!({ "reason": "complete" }), Some("sessionEnd")),
            (json!({ "error": { "message": "x" } }), None),
        ] {
            let mut event = json!({ "sessionId": "a", "timestamp": 1, "cwd": "/w" });
            event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            let read = read(&event.to_string(), Hints::default()).ok();
            let told = read.as_ref().map(|event| (event.client, &*event.name));
            assert_eq!(told, expected.map(|name| (Client::Copilot, name)), "{fields}");
        }
    }

    #[test]
    fn half_a_character_does_not_lose_the_event() {
        for (json, expected) in [
            (r"a \ud83d", "a \u{fffd}"),
            (r"\ude00 \ud83d\ude00 \\ud83d \ud83d\n\u00e9", "\u{fffd} 😀 \\ud83d \u{fffd}\né"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}😀"),
        ] {
            let event = format!(
                r#"{{"session_id":"a","prompt_id":"p","hook_event_name":"UserPromptSubmit","prompt":"{json}"}}"#
            );
            let event = read(&event, Hints::default()).unwrap().event.unwrap();
            assert_eq!(event.prompt, expected);
        }
        assert!(read(r#"{"prompt":"\"#, Hints::default()).is_err());
        assert!(read(r#"{"prompt":"\ud83"#, Hints::default()).is_err());
    }

    #[test]
    fn files_of_tools_are_found_in_every_form() {
        let files = |input: Value| {
            let Value::Object(map) = input else { unreachable!() };
            tool_files(&map)
        };
        let patch =
            "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n*** Add File: b/c.rs\n*** End Patch";
        assert_eq!(files(json!({ "tool_input": { "command": patch } })), ["a.rs", "b/c.rs"]);
        assert_eq!(
            files(json!({ "tool_input": { "file_path": "/w/a", "path": "/w/a" } })),
            ["/w/a"]
        );
        assert_eq!(files(json!({ "toolArgs": "{\"path\":\"x.py\"}" })), ["x.py"]);
        assert_eq!(files(json!({ "toolArgs": patch })), ["a.rs", "b/c.rs"]);
        let listed = json!({ "tool_input": { "files": ["a", { "file_path": "b" }, 3] } });
        assert_eq!(files(listed), ["a", "b"]);
        for (key, value) in [
            ("include", json!(["a"])),
            ("replacements", json!([{ "filePath": "a" }])),
            ("edits", json!([{ "filePath": "a", "newText": "x" }])),
            ("patchText", json!("*** Begin Patch\n*** Update File: a\n*** End Patch")),
        ] {
            assert_eq!(files(json!({ "tool_input": { key: value } })), ["a"], "{key}");
        }
        assert!(files(json!({ "tool_input": 3 })).is_empty() && files(json!({})).is_empty());
    }
}
