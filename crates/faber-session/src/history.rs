use std::collections::HashSet;
use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;
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

/// Null if unreadable or with unknown keys, which may be typos.
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

/// # Errors
///
/// See [`Writer::create`].
pub fn archive(
    files: &Files,
    messages: &str,
    owner: Option<&str>,
) -> Result<Option<String>, Error> {
    let folder = Utf8Path::new(HISTORY);
    let writer = Writer::new(files.root());
    writer.entry(&folder.join("conversation"))?;
    let known = known(files, folder, owner);
    let own = |line: &str| if owner.is_some() { without_access(line) } else { line.to_owned() };
    let fresh: Vec<String> =
        messages.lines().map(own).filter(|line| !known.contains(line)).collect();
    if fresh.is_empty() {
        return Ok(None);
    }
    let text = fresh.join("\n") + "\n";
    let hash = blake3::Hasher::new()
        .update(owner.unwrap_or_default().as_bytes())
        .update(text.as_bytes())
        .finalize()
        .to_hex();
    let path: Utf8PathBuf = folder.join(format!("conversation-{}.jsonl", &hash[..16]));
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
    // Another process may have archived the same.
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

fn known(files: &Files, folder: &Utf8Path, owner: Option<&str>) -> HashSet<String> {
    let paths = files.names_ending(folder, ".jsonl").into_iter();
    let paths = paths.map(|name| folder.join(format!("{name}.jsonl"))).filter(|path| {
        let access = access_of(files, path);
        access.is_none_or(|access| access.get("owner").and_then(Value::as_str) == owner)
    });
    let texts = paths.filter_map(|path| files.read(&path).ok());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_process_archives_is_no_failure() {
        let (_folder, root) = crate::testing::folder();
        let files = Files::new(&root);
        let archived = || archive(&files, "{\"content\":\"Hi.\"}", None);
        let said = archived().unwrap().unwrap();
        assert_eq!(archived().unwrap(), None);
        let path = said.split('`').nth(1).unwrap();
        // The file is not seen, as while another process writes it.
        let access = format!("{path}.meta.yml");
        Writer::new(&root).create(Utf8Path::new(&access), "owner: bob\n").unwrap();
        assert_eq!(archived().unwrap().unwrap(), said);
    }
}
