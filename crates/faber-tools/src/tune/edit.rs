use std::collections::BTreeMap;
use std::fmt::Write;

use camino::Utf8PathBuf;

use super::proposal::{Proposal, ProposedEdit};
use crate::front_edit::{FieldEdit, with_fields};
use faber_core::config::{self, ConfigSource};
use faber_core::line;
use faber_core::source::SourceMap;
use faber_core::world::Unreadable;
use faber_core::yaml::{Node, Value};
use faber_session::session::Session;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub is_new: bool,
    pub before: String,
    pub after: String,
}

pub fn changed(
    session: &Session,
    proposals: &mut [Proposal],
) -> BTreeMap<Utf8PathBuf, ChangedFile> {
    let mut files: BTreeMap<Utf8PathBuf, ChangedFile> = BTreeMap::new();
    for proposal in proposals.iter_mut().filter(|it| it.not_applicable.is_none()) {
        let (Some(path), Some(edit)) = (&proposal.path, &proposal.edit) else { continue };
        let (is_new, text) = match (files.get(path), session.files().read(path)) {
            (Some(file), _) => (file.is_new, file.after.clone()),
            (None, Ok(text)) => (false, text.to_string()),
            (None, Err(Unreadable::Missing)) => (true, String::new()),
            (None, Err(_)) => {
                proposal.not_applicable = Some("its file cannot be read");
                continue;
            }
        };
        let after = match edit {
            ProposedEdit::Field(edit) => with_fields(&text, std::slice::from_ref(edit)),
            ProposedEdit::Setting(keys, value) => with_setting(&text, keys, *value),
        };
        match after {
            Some(after) => {
                let file = files.entry(path.clone());
                let changed = || ChangedFile { is_new, before: text, after: String::new() };
                file.or_insert_with(changed).after = after;
            }
            None => proposal.not_applicable = Some("its file cannot be changed line by line"),
        }
    }
    files
}

pub fn shown(edit: &ProposedEdit) -> String {
    match edit {
        ProposedEdit::Field(FieldEdit::Add { field, items }) => {
            format!("{field}: + {}", items.join(", "))
        }
        ProposedEdit::Field(FieldEdit::Set { field, value }) => format!("{field}: {value}"),
        ProposedEdit::Setting(keys, value) => format!("{}: {value}", keys.join(".")),
    }
}

fn with_setting(text: &str, keys: &[&str], value: u64) -> Option<String> {
    let node = parsed(text);
    let new = match get(&node, keys) {
        Some(old) => {
            old.scalar()?;
            let range = old.span.range();
            format!("{}{value}{}", &text[..range.start], &text[range.end..])
        }
        None => inserted(text, &node, keys, value)?,
    };
    let mut expected = node.to_json();
    let mut place = &mut expected;
    for key in keys {
        if !place.is_object() {
            *place = serde_json::json!({});
        }
        place = place.as_object_mut()?.entry(*key).or_insert(serde_json::Value::Null);
    }
    *place = value.into();
    (parsed(&new).to_json() == expected).then_some(new)
}

fn get<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n Node> {
    keys.iter().try_fold(node, |node, key| node.get(key))
}

fn inserted(text: &str, node: &Node, keys: &[&str], value: u64) -> Option<String> {
    let line_end = line::ending(text);
    let lines = |keys: &[&str], indent: &str| lines(keys, value, indent).replace('\n', line_end);
    let known = (1..keys.len()).rev().find(|&count| get(node, &keys[..count]).is_some());
    let Some(known) = known else {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
        return Some(format!("{text}{end}{}", lines(keys, "")));
    };
    let Value::Map(entries) = &get(node, &keys[..known])?.value else { return None };
    let first = entries.first()?.key_span.range().start;
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[start..first];
    if indent.is_empty() || !indent.bytes().all(|byte| byte == b' ') {
        return None;
    }
    Some(format!("{}{}{}", &text[..start], lines(&keys[known..], indent), &text[start..]))
}

fn lines(keys: &[&str], value: u64, indent: &str) -> String {
    let mut out = String::new();
    for (depth, key) in keys.iter().enumerate() {
        let value = if depth + 1 == keys.len() { format!(" {value}") } else { String::new() };
        let _ = writeln!(out, "{indent}{}{key}:{value}", "  ".repeat(depth));
    }
    out
}

fn parsed(text: &str) -> Node {
    let mut sources = SourceMap::default();
    let file = sources.add("config.yml".into(), text.to_owned());
    config::read(&sources, file, ConfigSource::Workspace).value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_goes_where_its_neighbours_are() {
        let keys = ["budget", "conversation", "history"];
        let set = |text: &str| with_setting(text, &keys, 5000);
        for (before, after) in [
            ("", "budget:\n  conversation:\n    history: 5000\n"),
            ("roles: [a]", "roles: [a]\nbudget:\n  conversation:\n    history: 5000\n"),
            (
                "budget:\r\n  total: 1\r\n",
                "budget:\r\n  conversation:\r\n    history: 5000\r\n  total: 1\r\n",
            ),
            (
                "budget:\n    total: 1 # why\n",
                "budget:\n    conversation:\n      history: 5000\n    total: 1 # why\n",
            ),
            (
                "budget:\n  conversation:\n    history: 40% # why\n    message: 2\n",
                "budget:\n  conversation:\n    history: 5000 # why\n    message: 2\n",
            ),
        ] {
            assert_eq!(set(before).as_deref(), Some(after), "{before}");
        }
        for text in ["budget: { total: 1 }\n", "budget:\n  conversation: 4000\n", "budget: {}\n"] {
            assert_eq!(set(text), None, "{text}");
        }
    }
}
