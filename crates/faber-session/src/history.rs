use std::collections::BTreeSet;
use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::discover::atomic::{Replaced, Writer};
use crate::discover::files::Files;
use faber_core::error::Error;
use faber_core::resolve::view::ACCESS_KEYS;
use faber_core::source::SourceMap;
pub use faber_core::workspace::survey::HISTORY;
use faber_core::world::World;
use faber_core::yaml;

fn access_path(path: &Utf8Path) -> Utf8PathBuf {
    Utf8PathBuf::from(format!("{path}.meta.yml"))
}

/// Null if unreadable or with unknown keys.
pub fn access_of(files: &Files, path: &Utf8Path) -> Option<Value> {
    let paths = [access_path(path), Utf8PathBuf::from(format!("{path}.meta.yaml"))];
    let path = paths.into_iter().find(|path| files.exists(path))?;
    let text = files.read(&path).unwrap_or_else(|_| "unreadable".into());
    let mut sources = SourceMap::default();
    let file = sources.add(path, text);
    let node = yaml::parse_text(&sources.get(file).text, file);
    let access = node.map_or(Value::Null, |node| node.to_json());
    let is_known = |access: &serde_json::Map<String, Value>| {
        access.keys().all(|key| ACCESS_KEYS.contains(&key.as_str()))
    };
    Some(if access.as_object().is_some_and(is_known) { access } else { Value::Null })
}

pub fn first_kept(keep_days: Option<u32>, today: Date) -> Date {
    let days = keep_days.and_then(|days| jiff::Span::new().try_days(i64::from(days)).ok());
    days.and_then(|days| today.checked_sub(days).ok()).unwrap_or(Date::MIN)
}

/// `false` if the file exists.
///
/// # Errors
///
/// See [`Writer::create`].
pub fn add_note(
    files: &Files,
    path: &Utf8Path,
    text: &str,
    is_private: bool,
) -> Result<bool, Error> {
    let writer = Writer::new(files.root());
    let created =
        if is_private { writer.create_private(path, text) } else { writer.create(path, text) };
    match created {
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => Ok(false),
        created => created.map(|()| true),
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ArchiveRequest {
    /// All messages, each on one line.
    pub messages: Vec<String>,
    /// Ascending positions in `messages`.
    pub omitted: Vec<usize>,
}

/// Archives what no file of the same conversation has.
///
/// # Errors
///
/// See [`Writer::create`].
pub fn archive(
    files: &Files,
    request: &ArchiveRequest,
    owner: Option<&str>,
) -> Result<Option<String>, Error> {
    let folder = Utf8Path::new(HISTORY);
    let writer = Writer::new(files.root());
    writer.entry(&folder.join("conversation"))?;
    let own = |line: &String| if owner.is_some() { without_access(line) } else { line.clone() };
    let conversation = Conversation::new(request.messages.iter().map(own).collect(), owner);
    let known = conversation.known(files, folder, owner);
    let mut fresh = request.omitted.clone();
    fresh.retain(|at| !known.contains(at));
    let Some(first) = fresh.first() else { return Ok(None) };
    let text: String = fresh.iter().flat_map(|at| [&conversation.messages[*at], "\n"]).collect();
    let path = folder.join(format!("{}.jsonl", conversation.name(*first, &text)));
    if let Some(owner) = owner {
        // First, so that others never see the conversation. JSON is YAML.
        let access = json!({ "owner": owner, "visibility": "private" });
        let (access_path, access) = (access_path(&path), format!("{access}\n"));
        match writer.create(&access_path, &access) {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
                writer.replace(&access_path, &access)?;
            }
            created => created?,
        }
    }
    if writer.create_once(&path, owner.is_some(), text.as_bytes())? != Replaced::Done {
        let message = format!("`{path}` already exists with different content");
        return Err(Error::usage(message, "move it away, then run this again"));
    }
    let count = match fresh.len() {
        1 => "1 message".to_owned(),
        count => format!("{count} messages"),
    };
    Ok(Some(format!("archived {count} in `{path}`\n")))
}

fn without_access(line: &str) -> String {
    let Ok(Value::Object(mut message)) = serde_json::from_str(line) else { return line.to_owned() };
    let is_access = |key: &String| ACCESS_KEYS.contains(&key.to_ascii_lowercase().as_str());
    if !message.keys().any(is_access) {
        return line.to_owned();
    }
    let owner = message.remove("owner").filter(Value::is_string);
    message.retain(|key, _| !is_access(key));
    if let Some(owner) = owner {
        message.entry("author").or_insert(owner);
    }
    Value::Object(message).to_string()
}

struct Conversation {
    messages: Vec<String>,
    /// Of the owner and all messages before each one.
    hashes: Vec<blake3::Hash>,
}

impl Conversation {
    fn new(messages: Vec<String>, owner: Option<&str>) -> Self {
        let mut before = blake3::hash(owner.unwrap_or_default().as_bytes());
        let hash = |message: &String| {
            let next = blake3::Hasher::new()
                .update(before.as_bytes())
                .update(message.as_bytes())
                .finalize();
            std::mem::replace(&mut before, next)
        };
        let hashes = messages.iter().map(hash).collect();
        Self { messages, hashes }
    }

    fn name(&self, first: usize, text: &str) -> String {
        let before = self.hashes[first].as_bytes();
        let hash = blake3::Hasher::new().update(before).update(text.as_bytes()).finalize();
        format!("conversation-{}", &hash.to_hex()[..16])
    }

    fn known(&self, files: &Files, folder: &Utf8Path, owner: Option<&str>) -> BTreeSet<usize> {
        let mut known = BTreeSet::new();
        for name in files.names_ending(folder, ".jsonl") {
            let path = folder.join(format!("{name}.jsonl"));
            let access = access_of(files, &path);
            if access.is_some_and(|access| access.get("owner").and_then(Value::as_str) != owner) {
                continue;
            }
            if let Ok(text) = files.read(&path) {
                known.extend(self.known_from(&name, &text));
            }
        }
        known
    }

    fn known_from(&self, name: &str, text: &str) -> Vec<usize> {
        let lines: Vec<&str> = text.lines().collect();
        let Some(first) = lines.first() else { return Vec::new() };
        let mut starts = (0..self.messages.len()).filter(|at| self.messages[*at] == *first);
        if let Some(start) = starts.find(|start| self.name(*start, text) == name) {
            let mut rest = start..self.messages.len();
            return lines
                .iter()
                .map_while(|line| rest.find(|at| self.messages[*at] == *line))
                .collect();
        }
        let first = self.messages.first().map(String::as_str);
        let start = lines.iter().position(|line| Some(*line) == first).unwrap_or(lines.len());
        let same = self.messages.iter().zip(&lines[start..]).take_while(|(own, line)| own == *line);
        (0..same.count()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(messages: &[&str], omitted: &[usize]) -> ArchiveRequest {
        let messages = messages.iter().map(|said| json!({ "content": said }).to_string());
        ArchiveRequest { messages: messages.collect(), omitted: omitted.to_vec() }
    }

    #[test]
    fn what_another_process_archives_is_no_failure() {
        let (_folder, root) = crate::testing::folder();
        let files = Files::new(&root);
        let archived = || archive(&files, &request(&["Hi."], &[0]), None);
        let said = archived().unwrap().unwrap();
        assert_eq!(archived().unwrap(), None);
        let path = said.split('`').nth(1).unwrap();
        let access = format!("{path}.meta.yml");
        Writer::new(&root).create(Utf8Path::new(&access), "owner: bob\n").unwrap();
        assert_eq!(archived().unwrap().unwrap(), said);
    }

    #[test]
    fn conversations_do_not_hide_messages_of_each_other() {
        let (_folder, root) = crate::testing::folder();
        let archived = |messages: &[&str], omitted: &[usize]| {
            let said = archive(&Files::new(&root), &request(messages, omitted), None).unwrap();
            let path = said.as_deref().and_then(|said| said.split('`').nth(1));
            let text = path.map(|path| Files::new(&root).read(Utf8Path::new(path)).unwrap());
            let lines = text.as_deref().unwrap_or_default().lines().map(|line| {
                let message: Value = serde_json::from_str(line).unwrap();
                message["content"].as_str().unwrap().to_owned()
            });
            lines.collect::<Vec<_>>()
        };
        let no = "Yes, but not on production";
        assert_eq!(archived(&["Drop a?", no, "Done."], &[1]), [no]);
        assert_eq!(archived(&["Drop b?", no, "Done."], &[0, 1, 2]), ["Drop b?", no, "Done."]);
        let grown = ["Drop a?", no, "Done.", "And c?", no];
        assert_eq!(archived(&grown, &[0, 1, 2, 4]), ["Drop a?", "Done.", no]);
        assert!(archived(&grown, &[0, 1, 2, 4]).is_empty());
        assert_eq!(archived(&grown, &[3]), ["And c?"]);

        let own = request(&["Old.", "x", "y"], &[]).messages.join("\n");
        Writer::new(&root).create(&Utf8Path::new(HISTORY).join("own.jsonl"), &own).unwrap();
        assert_eq!(archived(&["Old.", "x", "z", "y"], &[0, 1, 2, 3]), ["z", "y"]);
    }
}
