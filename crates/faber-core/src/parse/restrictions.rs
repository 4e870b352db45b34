//! Restrictions of access, use and changes of a document. Damage must not lift them.

use std::collections::BTreeSet;

use crate::yaml::{Node, Value};

use super::fields::Condition;

pub const ACCESS_KEYS: [&str; 3] = ["owner", "visibility", "groups"];

pub(super) const USE_KEYS: [&str; 5] =
    ["status", "valid_from", "valid_to", "when", "superseded_by"];

pub(super) const SEALED: &str = "sealed";

pub(super) const OVERLAY_KEYS: [&str; 2] = ["strategy", "sections"];

pub(super) const OVERLAY_UNUSED: &str = "; an overlay is not used until this is fixed";

pub(super) const FILE_UNUSED: &str = "; the file is not used";

fn all() -> impl Iterator<Item = &'static str> {
    ACCESS_KEYS.into_iter().chain(USE_KEYS).chain([SEALED]).chain(OVERLAY_KEYS)
}

/// `group` is a field of other tools.
pub(super) fn misspelled_access(key: &str) -> Option<&'static str> {
    let is_close = |name: &&str| {
        let limit = name.len() / 4;
        key.chars().count().abs_diff(name.len()) <= limit
            && strsim::osa_distance(&key.to_lowercase(), name) <= limit
    };
    ["visibility", "groups"]
        .into_iter()
        .find(is_close)
        .filter(|_| !key.eq_ignore_ascii_case("group"))
}

/// For text that does not parse.
pub fn mentions_access(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ACCESS_KEYS.iter().any(|key| text.contains(key))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lost(BTreeSet<&'static str>);

impl Lost {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add_unread(&mut self, text: &str) {
        let first = text.lines().next().unwrap_or_default();
        if has_unknown_key(first) {
            self.0.extend(all());
        }
        self.0.extend(all().filter(|name| begins_with(first, name)));
        if first.trim_start().starts_with('{') {
            let keys = first.split(['{', ',']);
            keys.for_each(|key| self.0.extend(all().filter(|name| is_key(key, name))));
        }
        self.add_repaired(text);
    }

    pub(super) fn add_repaired(&mut self, text: &str) {
        let (first, below) = text.split_once(['\n', '\r']).unwrap_or((text, ""));
        self.0.extend(Some("when").filter(|name| begins_with(first, name)));
        let value = first.split_once(':').map_or("", |(_, value)| value);
        for line in std::iter::once(value).chain(below.split(['\n', '\r'])) {
            let ends = line.match_indices([']', '}', '"', '\'']).map(|(end, _)| end);
            let keys = std::iter::once(0).chain(ends).map(|start| &line[start..]);
            keys.for_each(|key| self.0.extend(all().filter(|name| is_key(key, name))));
        }
    }

    /// The value may be below the field, unread.
    pub(super) fn add_blank(&mut self, name: &str, value: &Node) {
        let is_blank = match &value.value {
            Value::Scalar(_) => value.is_null(),
            Value::Seq(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
        };
        self.0.extend(all().filter(|it| is_blank && *it == name));
    }

    pub(super) fn add_unknown(&mut self, node: &Node, name: &str, value: &Node) {
        if name == "<<" {
            self.0.extend(all());
        }
        let has_value = value.is_null() || name.contains(['[', '{', '"', '\'', '&', '*', '!']);
        if has_value || words(name).nth(1).is_none() {
            self.0.extend(all().filter(|of| begins_with(name, of)));
        }
        let is_condition = name == "not" || Condition::KEYS.contains(&name);
        if is_condition && let Some(when) = node.get("when") {
            self.add_blank("when", when);
        }
    }

    pub(super) fn add(&mut self, name: &str) {
        self.0.extend(all().filter(|it| *it == name));
    }

    pub(super) fn add_misspelled(&mut self, name: &str, is_access: bool) {
        if is_access || name == SEALED || OVERLAY_KEYS.contains(&name) {
            self.add(name);
        }
    }

    /// It may contain other fields.
    pub(super) fn add_invalid(&mut self, value: &Node) {
        for entry in value.entries() {
            self.0.extend(all().filter(|name| words(&entry.key).any(|word| word == *name)));
            self.add_invalid(&entry.value);
        }
        value.items().unwrap_or_default().iter().for_each(|item| self.add_invalid(item));
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn hides(&self) -> bool {
        self.0.iter().any(|name| ACCESS_KEYS.contains(name) || USE_KEYS.contains(name))
    }

    pub(super) fn is_of_overlay(&self) -> bool {
        !self.is_empty() && self.0.iter().all(|name| OVERLAY_KEYS.contains(name))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
    words.map(|word| word.trim_matches(['-', '_'])).filter(|word| !word.is_empty())
}

fn begins_with(text: &str, name: &str) -> bool {
    let is_marked = text.trim_start().starts_with(['&', '*', '!']);
    words(text).take(1 + usize::from(is_marked)).any(|word| word.eq_ignore_ascii_case(name))
}

fn has_unknown_key(text: &str) -> bool {
    let text = text.trim_start();
    let alias = text.strip_prefix('*').and_then(|rest| rest.split_once(':'));
    let is_name = |name: &str| !name.is_empty() && !name.contains([' ', '*', '/']);
    text.starts_with("<<") || alias.is_some_and(|(name, _)| is_name(name.trim_end()))
}

fn is_key(line: &str, name: &str) -> bool {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (Some(key), Some(rest)) = (line.get(..name.len()), line.get(name.len()..)) else {
        return false;
    };
    key.eq_ignore_ascii_case(name)
        && rest.trim_start_matches(['"', '\'', ' ', '\t']).starts_with(':')
}

pub(super) fn is_restriction(line: &str) -> bool {
    all().any(|name| is_key(line, name))
}
