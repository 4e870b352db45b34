//! faber's entries in the hook file of a client.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::client::{ClientRow, EventRow, FileShape};
use super::jsonc::{self, JsonError, Member, Node};

/// How long a client waits, in seconds. faber takes milliseconds; a loaded machine may take longer.
const TIMEOUT: u64 = 10;
/// The commands of handlers.
const COMMANDS: [&str; 4] = ["command", "bash", "powershell", "exec"];

/// Why a hook file cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileProblem {
    /// It is not JSON.
    Json(JsonError),
    /// The value of this key has another type than the client takes.
    Type(String),
}

impl From<JsonError> for FileProblem {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

impl FileProblem {
    /// In words, for the file with this text.
    pub fn message(&self, text: &str) -> String {
        match self {
            Self::Json(error) => format!("{} at {}", error.message, error.place(text)),
            Self::Type(key) => format!("`{key}` has an unexpected type"),
        }
    }
}

/// What a hook file has of faber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    None,
    /// Entries for these events, as faber writes them now.
    Current(Vec<String>),
    /// Entries of another version, or changed ones.
    Outdated(Vec<String>),
}

/// The text of the hook file with faber's entries for `events`, and for no others. A file that has them is
/// unchanged.
///
/// # Errors
///
/// When the file is not what the client takes.
pub fn installed(text: &str, row: &ClientRow, events: &[&EventRow]) -> Result<String, FileProblem> {
    let text = if text.trim_start_matches('\u{feff}').trim().is_empty() { "{}\n" } else { text };
    let file = HookFile::read(text, row)?;
    let wanted: Vec<(&str, Value)> =
        events.iter().map(|event| (event.name, entry(row, event))).collect();
    if file.has_exactly(&wanted) {
        return Ok(text.to_owned());
    }
    let mut text = without_ours(text, &file);
    let is_versioned = matches!(row.shape, FileShape::Handlers | FileShape::ShellHandlers);
    let root = jsonc::parse(&text)?;
    if is_versioned && root.get("version").is_none() {
        text = jsonc::append(&text, &root, Some("version"), &json!(1));
    }
    for (name, entry) in wanted {
        text = with_entry(&text, name, &entry)?;
    }
    Ok(text)
}

/// The text of the hook file without faber's entries; `None` if nothing else is in it.
///
/// # Errors
///
/// As [`installed`].
pub fn uninstalled(text: &str, row: &ClientRow) -> Result<Option<String>, FileProblem> {
    let file = HookFile::read(text, row)?;
    if file.ours.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let text = without_ours(text, &file);
    let root = jsonc::parse(&text)?;
    let is_rest =
        root.members().is_some_and(|members| members.iter().any(|it| it.key != "version"));
    let has_comments = text.contains("//") || text.contains("/*");
    Ok((is_rest || has_comments).then_some(text))
}

/// What a hook file has of faber, compared with what faber installs by default or did for the same events.
///
/// # Errors
///
/// As [`installed`].
pub fn state(text: &str, row: &ClientRow) -> Result<FileState, FileProblem> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(FileState::None);
    }
    let file = HookFile::read(text, row)?;
    if file.ours.is_empty() {
        return Ok(FileState::None);
    }
    let names: Vec<String> = file.ours.iter().map(|own| own.event.clone()).collect();
    let known: Vec<&EventRow> = names.iter().filter_map(|name| row.event(name)).collect();
    let wanted: Vec<(&str, Value)> =
        known.iter().map(|event| (event.name, entry(row, event))).collect();
    let is_current = known.len() == names.len() && file.has_exactly(&wanted);
    Ok(if is_current { FileState::Current(names) } else { FileState::Outdated(names) })
}

/// The entry of an event. It has to stay the same, byte for byte: clients ask people again to trust one that
/// has changed.
pub fn entry(row: &ClientRow, event: &EventRow) -> Value {
    let named = if row.names_events { format!(" --event {}", event.name) } else { String::new() };
    let run = format!("faber hook run --client {}{named}", row.client.name());
    // An older program without this command fails, and must not stop a prompt.
    let command = format!("{run} || exit 0");
    let mut out = Map::new();
    if let Some(matcher) = event.matcher {
        out.insert("matcher".to_owned(), matcher.into());
    }
    match row.shape {
        FileShape::Groups => {
            let handler = json!({ "type": "command", "command": command, "timeout": TIMEOUT });
            out.insert("hooks".to_owned(), json!([handler]));
        }
        FileShape::NamedGroups => {
            let milliseconds = TIMEOUT * 1000;
            let handler = json!({
                "name": "faber", "type": "command", "command": command, "timeout": milliseconds,
            });
            out.insert("hooks".to_owned(), json!([handler]));
        }
        FileShape::Handlers => {
            out.insert("command".to_owned(), command.into());
            out.insert("timeout".to_owned(), TIMEOUT.into());
        }
        FileShape::ShellHandlers => {
            out.insert("type".to_owned(), "command".into());
            out.insert("bash".to_owned(), command.into());
            out.insert("powershell".to_owned(), format!("{run}; exit 0").into());
            out.insert("timeoutSec".to_owned(), TIMEOUT.into());
        }
    }
    Value::Object(out)
}

/// The text with one more entry of an event.
fn with_entry(text: &str, event: &str, entry: &Value) -> Result<String, FileProblem> {
    let root = jsonc::parse(text)?;
    let Some(hooks) = root.get("hooks") else {
        return Ok(jsonc::append(text, &root, Some("hooks"), &json!({ event: [entry] })));
    };
    Ok(match hooks.get(event) {
        Some(list) => jsonc::append(text, list, None, entry),
        None => jsonc::append(text, hooks, Some(event), &json!([entry])),
    })
}

/// An entry of faber in a file.
struct OwnEntry {
    event: String,
    /// The item of the event's list, if all of it is faber's.
    value: Option<Value>,
}

struct HookFile {
    ours: Vec<OwnEntry>,
    /// What to remove, in the order of the file; no part is in another.
    parts: Vec<Range<usize>>,
}

impl HookFile {
    fn read(text: &str, row: &ClientRow) -> Result<Self, FileProblem> {
        let root = jsonc::parse(text)?;
        let wrong = |key: &str| FileProblem::Type(key.to_owned());
        let members = root.members().ok_or_else(|| wrong("the file"))?;
        let mut file = Self { ours: Vec::new(), parts: Vec::new() };
        let Some(hooks) = members.iter().find(|member| member.key == "hooks") else {
            return Ok(file);
        };
        let events = hooks.value.members().ok_or_else(|| wrong("hooks"))?;
        for event in events {
            if event.value.items().is_none() && row.event(&event.key).is_some() {
                return Err(wrong(&format!("hooks.{}", event.key)));
            }
        }
        let removed = events.iter().filter(|event| file.add_event(event)).count();
        if removed == events.len() && removed > 0 {
            file.parts = vec![part(hooks)];
        }
        Ok(file)
    }

    /// Adds what is faber's in an event; whether all of it is.
    fn add_event(&mut self, event: &Member) -> bool {
        let items = event.value.items().unwrap_or_default();
        let before = self.parts.len();
        let whole = items.iter().filter(|item| self.add_item(&event.key, item)).count();
        if whole == items.len() && whole > 0 {
            self.parts.truncate(before);
            self.parts.push(part(event));
            return true;
        }
        false
    }

    /// Adds what is faber's in an item: a handler, or a group of handlers.
    fn add_item(&mut self, event: &str, item: &Node) -> bool {
        let own = |value| OwnEntry { event: event.to_owned(), value };
        if is_ours(item) {
            self.parts.push(item.range.clone());
            self.ours.push(own(Some(item.value())));
            return true;
        }
        let handlers = item.get("hooks").and_then(Node::items).unwrap_or_default();
        let ours: Vec<&Node> = handlers.iter().filter(|handler| is_ours(handler)).collect();
        if ours.is_empty() {
            return false;
        }
        if ours.len() == handlers.len() {
            self.parts.push(item.range.clone());
            self.ours.push(own(Some(item.value())));
            return true;
        }
        self.parts.extend(ours.into_iter().map(|handler| handler.range.clone()));
        self.ours.push(own(None));
        false
    }

    fn has_exactly(&self, wanted: &[(&str, Value)]) -> bool {
        let is_there = |own: &OwnEntry| {
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

fn part(member: &Member) -> Range<usize> {
    member.start..member.value.range.end
}

fn without_ours(text: &str, file: &HookFile) -> String {
    let mut text = text.to_owned();
    for part in file.parts.iter().rev() {
        text = jsonc::remove(&text, part.clone());
    }
    text
}

/// Whether a handler runs `faber hook run`.
fn is_ours(handler: &Node) -> bool {
    let commands = COMMANDS.iter().filter_map(|key| handler.get(key));
    commands.filter_map(|node| node.value().as_str().map(str::to_owned)).any(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        words.windows(3).any(|words| {
            let program = words[0].trim_matches(['"', '\'']).rsplit(['/', '\\']).next();
            matches!(program, Some("faber" | "faber.exe")) && words[1..] == ["hook", "run"]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::client::{CLIENTS, Client};
    use super::*;

    fn defaults(row: &ClientRow) -> Vec<&'static EventRow> {
        row.events.iter().filter(|event| event.is_default).collect()
    }

    #[test]
    fn installing_twice_changes_nothing_and_uninstalling_gives_the_file_back() {
        for row in CLIENTS.iter().filter(|row| !row.files.is_empty()) {
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
                    matches!(state(&with, row), Ok(FileState::Current(names)) if names.len() == events.len())
                );
                let without = uninstalled(&with, row).unwrap();
                if text == mine {
                    assert_eq!(without.as_deref(), Some(text), "{}", row.title);
                }
            }
        }
    }

    #[test]
    fn an_entry_next_to_others_leaves_them() {
        let row = Client::Claude.row();
        let text = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"/usr/bin/faber hook run"}]}]}}"#;
        assert!(matches!(state(text, row), Ok(FileState::Outdated(_))));
        let expected =
            r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a"}]}]}}"#;
        assert_eq!(uninstalled(text, row).unwrap().as_deref(), Some(expected));
        let events = defaults(row);
        let with = installed(text, row, &events).unwrap();
        assert!(with.contains("\"command\":\"a\"") && !with.contains("/usr/bin/faber"));
        assert_eq!(with.matches("faber hook run").count(), events.len());
    }

    #[test]
    fn files_that_the_client_does_not_take_are_refused() {
        let row = Client::Claude.row();
        for (text, message) in [
            ("[]", "`the file` has an unexpected type"),
            ("{\"hooks\": []}", "`hooks` has an unexpected type"),
            ("{\"hooks\": {\"PostToolUse\": {}}}", "`hooks.PostToolUse` has an unexpected type"),
            ("{\"hooks\": {,}}", "expected a key in quotes at 1:12"),
        ] {
            let problem = installed(text, row, &defaults(row)).unwrap_err();
            assert_eq!(problem.message(text), message);
        }
    }
}
