use std::collections::BTreeSet;
use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use serde_json::{Value, json};

use super::client::{Client, ClientRow, EventRow, FileShape};
use super::jsonc::{Container, JsoncDocument, split_mark};
use super::plugin_file;
use faber_tools::hook::event::EventKind;

const TIMEOUT: u64 = 10;
/// Codex's maximum at the end of a session.
const CODEX_END_TIMEOUT: u64 = 3;
const COMMANDS: [&str; 4] = ["command", "bash", "powershell", "exec"];
const QUOTES: [char; 2] = ['"', '\''];

pub type FileProblem = String;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallState {
    None,
    Current(Vec<String>),
    Outdated(Vec<String>),
}

/// # Errors
///
/// If the file is invalid for the client.
pub fn installed(text: &str, row: &ClientRow, events: &[&EventRow]) -> Result<String, FileProblem> {
    if row.shape == FileShape::Plugin {
        return plugin_file::installed(text, events);
    }
    let (mark, json) = split_mark(text);
    let json = if json.trim().is_empty() { "{}\n" } else { json };
    let file = HookFile::read(json, row)?;
    let wanted: Vec<(&str, Value)> =
        events.iter().map(|event| (event.name, entry(row, event))).collect();
    if file.has_exactly(&wanted) {
        return Ok(text.to_owned());
    }
    let mut json = file.document.without(&file.parts);
    if matches!(row.shape, FileShape::Handlers | FileShape::ShellHandlers) {
        json = with_version(&json)?;
    }
    for (name, entry) in wanted {
        json = with_entry(&json, name, &entry)?;
    }
    Ok(format!("{mark}{json}"))
}

/// `None` if nothing else is left.
///
/// # Errors
///
/// As [`installed`].
pub fn uninstalled(text: &str, row: &ClientRow) -> Result<Option<String>, FileProblem> {
    if row.shape == FileShape::Plugin {
        return Ok(plugin_file::uninstalled(text));
    }
    let (mark, json) = split_mark(text);
    let file = HookFile::read(json, row)?;
    if file.ours.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let json = file.document.without(&file.parts);
    let document = JsoncDocument::read(&json)?;
    let is_rest = members(&document)?.properties.iter().any(|it| it.name.as_str() != "version");
    let has_comments = json.contains("//") || json.contains("/*");
    Ok((is_rest || has_comments).then(|| format!("{mark}{json}")))
}

/// # Errors
///
/// As [`installed`].
pub fn state(text: &str, row: &ClientRow) -> Result<InstallState, FileProblem> {
    if row.shape == FileShape::Plugin {
        return Ok(plugin_file::state(text, row));
    }
    let (_, json) = split_mark(text);
    if json.trim().is_empty() {
        return Ok(InstallState::None);
    }
    let file = HookFile::read(json, row)?;
    if file.ours.is_empty() {
        return Ok(InstallState::None);
    }
    let names: Vec<String> = file.ours.iter().map(|own| own.event.clone()).collect();
    let known: Vec<&EventRow> = names.iter().filter_map(|name| row.event(name)).collect();
    let wanted: Vec<(&str, Value)> =
        known.iter().map(|event| (event.name, entry(row, event))).collect();
    let is_current = known.len() == names.len() && file.has_exactly(&wanted);
    Ok(if is_current { InstallState::Current(names) } else { InstallState::Outdated(names) })
}

/// Clients ask for trust again after any change.
pub fn entry(row: &ClientRow, event: &EventRow) -> Value {
    let named = if row.names_events { format!(" --event {}", event.name) } else { String::new() };
    let run = format!("faber hook run --client {}{named}", row.client.name());
    // An older faber must not stop a prompt. PowerShell may lack `||`.
    let command = match row.shape {
        FileShape::Groups | FileShape::ShellHandlers => format!("{run} || exit 0"),
        FileShape::NamedGroups | FileShape::Handlers | FileShape::Plugin => {
            format!("{run}; exit 0")
        }
    };
    let is_end = row.client == Client::Codex && event.kind == EventKind::SessionEnd;
    let timeout = if is_end { CODEX_END_TIMEOUT } else { TIMEOUT };
    let mut out = json!({});
    if let Some(matcher) = event.matcher {
        out["matcher"] = matcher.into();
    }
    match row.shape {
        FileShape::Groups => {
            out["hooks"] = json!([{ "type": "command", "command": command, "timeout": timeout }]);
        }
        FileShape::NamedGroups => {
            let milliseconds = timeout * 1000;
            out["hooks"] = json!([{
                "name": "faber", "type": "command", "command": command, "timeout": milliseconds,
            }]);
        }
        FileShape::Handlers | FileShape::Plugin => {
            out["command"] = command.into();
            out["timeout"] = timeout.into();
        }
        FileShape::ShellHandlers => {
            out["type"] = "command".into();
            out["bash"] = command.into();
            out["powershell"] = format!("{run}; exit 0").into();
            out["timeoutSec"] = timeout.into();
        }
    }
    out
}

fn members<'d, 'a>(document: &'d JsoncDocument<'a>) -> Result<&'d Object<'a>, FileProblem> {
    document.root().ok_or_else(|| "the file is not a JSON object".to_owned())
}

fn unexpected_type(key: &str) -> FileProblem {
    format!("`{key}` has an unexpected type")
}

fn with_version(text: &str) -> Result<String, FileProblem> {
    let document = JsoncDocument::read(text)?;
    let root = members(&document)?;
    Ok(match root.get("version") {
        Some(_) => text.to_owned(),
        None => document.append(Container::Object(root, "version"), &json!(1)),
    })
}

fn with_entry(text: &str, event: &str, entry: &Value) -> Result<String, FileProblem> {
    let document = JsoncDocument::read(text)?;
    let root = members(&document)?;
    let Some(hooks) = root.get_object("hooks") else {
        let hooks = json!({ event: [entry] });
        return Ok(document.append(Container::Object(root, "hooks"), &hooks));
    };
    Ok(match hooks.get_array(event) {
        Some(list) => document.append(Container::Array(list), entry),
        None => document.append(Container::Object(hooks, event), &json!([entry])),
    })
}

struct FaberEntry {
    event: String,
    value: Option<Value>,
}

struct HookFile<'a> {
    document: JsoncDocument<'a>,
    ours: Vec<FaberEntry>,
    parts: Vec<Range<usize>>,
}

impl<'a> HookFile<'a> {
    fn read(text: &'a str, row: &ClientRow) -> Result<Self, FileProblem> {
        let document = JsoncDocument::read(text)?;
        let (mut ours, mut parts) = (Vec::new(), Vec::new());
        let root = members(&document)?;
        has_keys_once(root)?;
        if let Some(hooks) = root.get("hooks") {
            let events = hooks.value.as_object().ok_or_else(|| unexpected_type("hooks"))?;
            has_keys_once(events)?;
            let mut is_all = !events.properties.is_empty();
            for event in &events.properties {
                let name = event.name.as_str();
                if event.value.as_array().is_none() && row.event(name).is_some() {
                    return Err(unexpected_type(&format!("hooks.{name}")));
                }
                is_all &= add_event(event, &mut ours, &mut parts);
            }
            if is_all {
                parts = vec![place(hooks)];
            }
        }
        Ok(Self { document, ours, parts })
    }

    fn has_exactly(&self, wanted: &[(&str, Value)]) -> bool {
        let is_there = |own: &FaberEntry| {
            wanted
                .iter()
                .any(|(event, entry)| *event == own.event && own.value.as_ref() == Some(entry))
        };
        let once = |(event, _): &(&str, Value)| {
            self.ours.iter().filter(|own| own.event == *event).count() == 1
        };
        self.ours.iter().all(is_there) && wanted.iter().all(once)
    }
}

/// Programs read duplicate keys differently.
fn has_keys_once(object: &Object<'_>) -> Result<(), FileProblem> {
    let mut keys = BTreeSet::new();
    match object.properties.iter().find(|member| !keys.insert(member.name.as_str())) {
        Some(member) => Err(format!("the key `{}` occurs twice", member.name.as_str())),
        None => Ok(()),
    }
}

fn add_event(
    event: &ObjectProp<'_>,
    ours: &mut Vec<FaberEntry>,
    parts: &mut Vec<Range<usize>>,
) -> bool {
    let items = event.value.as_array().map_or(&[][..], |list| &list.elements);
    let before = parts.len();
    let mut is_all = !items.is_empty();
    for item in items {
        let own = |value| FaberEntry { event: event.name.as_str().to_owned(), value };
        let handlers = item.as_object().and_then(|group| group.get_array("hooks"));
        let handlers = handlers.map_or(&[][..], |list| &list.elements);
        let count = handlers.iter().filter(|handler| is_ours(handler)).count();
        if is_ours(item) || (count > 0 && count == handlers.len()) {
            parts.push(place(item));
            ours.push(own(Some(item.clone().into())));
            continue;
        }
        is_all = false;
        if count > 0 {
            parts.extend(handlers.iter().filter(|handler| is_ours(handler)).map(place));
            ours.push(own(None));
        }
    }
    if is_all {
        parts.truncate(before);
        parts.push(place(event));
    }
    is_all
}

fn place(part: &impl Ranged) -> Range<usize> {
    part.start()..part.end()
}

fn is_ours(handler: &Node<'_>) -> bool {
    let Some(handler) = handler.as_object() else { return false };
    let mut commands = COMMANDS.iter().filter_map(|key| handler.get_string(key)).peekable();
    commands.peek().is_some() && commands.all(|command| is_call(&command.value))
}

fn is_call(command: &str) -> bool {
    let command = command.trim();
    let call = ["|| exit 0", "; exit 0"].iter().find_map(|end| command.strip_suffix(end));
    let call = call.unwrap_or(command).trim_end();
    let Some((mut program, options)) = call.split_once(" hook run") else { return false };
    while let Some((word, rest)) = program.split_once(' ')
        && is_assignment(word)
    {
        program = rest.trim_start();
    }
    let path = program.trim_matches(QUOTES);
    let is_word = path.len() < program.len() || !path.contains(char::is_whitespace);
    let name = path.rsplit(['/', '\\']).next();
    is_word
        && !path.contains(QUOTES)
        && matches!(name, Some("faber" | "faber.exe"))
        && (options.is_empty() || options.starts_with(' '))
        && !call.contains([';', '&', '|', '<', '>', '`', '\n'])
        && !call.contains("$(")
}

fn is_assignment(word: &str) -> bool {
    let is_name =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use super::super::client::CLIENTS;
    use super::*;

    fn defaults(row: &ClientRow) -> Vec<&'static EventRow> {
        row.events.iter().filter(|event| event.is_default).collect()
    }

    #[test]
    fn installing_twice_changes_nothing_and_uninstalling_gives_the_file_back() {
        let has_entries =
            |row: &&ClientRow| !row.files.is_empty() && row.shape != FileShape::Plugin;
        for row in CLIENTS.iter().filter(has_entries) {
            let events = defaults(row);
            let mine = match row.shape {
                FileShape::Groups | FileShape::NamedGroups => {
                    "{\n    // mine\n    \"model\": \"x\", /* keep */\n    \"hooks\": {\n        \
                     \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }]\n    },\n    \
                     \"z\": [1, 2]\n}\n"
                }
                _ => {
                    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"true\" }]\n  }\n}\n"
                }
            };
            for text in ["{}", "", mine, "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n"] {
                let with = installed(text, row, &events).unwrap();
                assert_eq!(installed(&with, row, &events).unwrap(), with, "{}", row.title);
                assert!(
                    matches!(state(&with, row), Ok(InstallState::Current(names)) if names.len() == events.len())
                );
                let without = uninstalled(&with, row).unwrap();
                if text == mine {
                    assert_eq!(without.as_deref(), Some(text), "{}", row.title);
                }
            }
        }
    }

    #[test]
    fn a_plugin_is_a_whole_file() {
        let row = Client::Opencode.row();
        let all = installed("", row, &defaults(row)).unwrap();
        for all in [all.clone(), all.replace('\n', "\r\n")] {
            assert_eq!(installed(&all, row, &defaults(row)).as_deref(), Ok(all.as_str()));
            assert!(matches!(state(&all, row), Ok(InstallState::Current(_))));
        }
        let prompts = installed(&all, row, &[row.event("chat.message").unwrap()]).unwrap();
        let names = vec!["chat.message".to_owned()];
        assert_eq!(state(&prompts, row), Ok(InstallState::Current(names.clone())));
        let edited = format!("{prompts}\n");
        assert_eq!(state(&edited, row), Ok(InstallState::Outdated(names)));
        assert_eq!(uninstalled(&edited, row), Ok(None));
        let other = "export const Other = async () => ({})\n";
        assert!(installed(other, row, &defaults(row)).is_err());
        assert_eq!(state(other, row), Ok(InstallState::None));
        assert_eq!(uninstalled(other, row), Ok(Some(other.to_owned())));
    }

    #[test]
    fn an_entry_next_to_others_leaves_them() {
        let row = Client::Claude.row();
        let text = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"/usr/bin/faber hook run"}]}]}}"#;
        assert!(matches!(state(text, row), Ok(InstallState::Outdated(_))));
        let expected =
            r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a"}]}]}}"#;
        assert_eq!(uninstalled(text, row).unwrap().as_deref(), Some(expected));
        let events = defaults(row);
        let with = installed(text, row, &events).unwrap();
        assert!(with.contains("\"command\":\"a\"") && !with.contains("/usr/bin/faber"));
        assert_eq!(with.matches("faber hook run").count(), events.len());
    }

    #[test]
    fn commands_of_the_user_are_kept() {
        for own in [
            "faber hook run",
            "FABER_ROLE=clerk /opt/faber hook run --client claude || exit 0",
            "'C:\\Program Files\\faber.exe' hook run; exit 0",
        ] {
            assert!(is_call(own), "{own}");
        }
        for other in [
            "./log.sh; faber hook run --client claude || exit 0",
            "faber hook run && ./log.sh",
            "faber hook run --client claude; ./log.sh; exit 0",
            "notify-send \"faber hook run done\"",
            "notify-send faber hook run",
            "\"wrap it\" /bin/faber hook run",
            "faber hook runner",
            "not-faber hook run",
        ] {
            assert!(!is_call(other), "{other}");
        }
        let row = Client::Claude.row();
        let text = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo faber hook run"}]}]}}"#;
        assert_eq!(uninstalled(text, row).unwrap().as_deref(), Some(text));
        assert!(installed(text, row, &defaults(row)).unwrap().contains("echo faber hook run"));
        let row = Client::Copilot.row();
        let text =
            r#"{"hooks":{"sessionEnd":[{"bash":"faber hook run","powershell":"./mine.ps1"}]}}"#;
        assert_eq!(uninstalled(text, row).unwrap().as_deref(), Some(text));
    }

    #[test]
    fn files_that_the_client_does_not_take_are_refused() {
        let row = Client::Claude.row();
        for (text, message) in [
            ("[]", "the file is not a JSON object"),
            ("{\"hooks\": []}", "`hooks` has an unexpected type"),
            ("{\"hooks\": {\"PostToolUse\": {}}}", "`hooks.PostToolUse` has an unexpected type"),
            ("{\"hooks\": {,}}", "unexpected token in object at 1:12"),
            ("{\"a\": 1, \"a\": 2}", "the key `a` occurs twice"),
        ] {
            let problem = installed(text, row, &defaults(row)).unwrap_err();
            assert_eq!(problem, message);
        }
    }
}
