//! Merges the front matter of an overlay and its base.

use std::collections::HashMap;

use crate::config;
use crate::parse::fields::split_globs;
use crate::word_list::words;
use crate::yaml::{Entry, Node, Value};

/// About the overlay's own file. Access is checked before.
const OWN_KEYS: [&str; 9] =
    *words!("strategy, sections, extends, name, category, sealed, owner, visibility, groups");

const LISTS: [&[&str]; 3] = [&["globs", "applyTo", "paths"], &["keywords"], &["errors"]];

pub(super) fn merge_front_matter(base: &Node, overlay: &Node) -> Node {
    if overlay.entries().is_empty() {
        return base.clone();
    }
    let taken = overlay.entries().iter().filter(|entry| !OWN_KEYS.contains(&&*entry.key));
    let taken = Node { span: overlay.span, value: Value::Map(filled(taken)) };
    let (mut below, mut above) = (base.clone(), taken);
    for names in LISTS {
        let of = |node: &Node| names.iter().copied().find(|name| is_list(node.get(name)));
        let Some(name) = of(&above).map(|name| of(&below).unwrap_or(name)) else { continue };
        below = as_list(&below, names, name);
        above = as_list(&above, names, name);
    }
    config::merge(below, above)
}

fn filled<'n>(entries: impl IntoIterator<Item = &'n Entry>) -> Vec<Entry> {
    let entries = entries.into_iter().filter(|entry| !entry.value.is_null());
    let inner = entries.map(|entry| match &entry.value.value {
        Value::Map(inner) => {
            let value = Node { value: Value::Map(filled(inner)), ..entry.value.clone() };
            Entry { value, ..entry.clone() }
        }
        _ => entry.clone(),
    });
    inner.collect()
}

fn is_list(value: Option<&Node>) -> bool {
    value.is_some_and(|value| !value.is_null() && !matches!(value.value, Value::Map(_)))
}

fn as_list(node: &Node, names: &[&str], name: &str) -> Node {
    let is_one = |entry: &Entry| names.contains(&&*entry.key) && is_list(Some(&entry.value));
    let mut merged: Vec<Entry> = Vec::new();
    let mut place = None;
    for entry in node.entries() {
        if !is_one(entry) {
            merged.push(entry.clone());
            continue;
        }
        let items = entry.value.items().map_or_else(|| split(&entry.value), <[Node]>::to_vec);
        let at = *place.get_or_insert(merged.len());
        if let Some(Value::Seq(all)) = merged.get_mut(at).map(|list| &mut list.value.value) {
            all.extend(items);
        } else {
            let value = Node { span: entry.value.span, value: Value::Seq(items) };
            merged.push(Entry { key: name.to_owned(), value, ..entry.clone() });
        }
    }
    Node { span: node.span, value: Value::Map(merged) }
}

fn split(text: &Node) -> Vec<Node> {
    let parts = split_globs(text.as_str().unwrap_or_default());
    parts.map(|(_, part)| Node { span: text.span, value: Value::text(part.to_owned()) }).collect()
}

/// `when` is checked before.
pub(super) fn clashes<'n>(base: &'n Node, overlay: &'n Node) -> Vec<(&'n Entry, &'n Entry)> {
    let taken = |entry: &&Entry| !OWN_KEYS.contains(&&*entry.key) && entry.key != "when";
    let mut found = Vec::new();
    let mut maps = vec![(base.entries(), overlay.entries().iter().filter(taken).collect())];
    while let Some((below, above)) = maps.pop() {
        let above: Vec<&Entry> = above;
        let places: HashMap<&str, &Entry> =
            below.iter().map(|entry| (&*entry.key, entry)).collect();
        for entry in above {
            let Some(&other) = places.get(&*entry.key) else { continue };
            match (&other.value.value, &entry.value.value) {
                (Value::Map(below), Value::Map(above)) => {
                    maps.push((below, above.iter().collect()));
                }
                (Value::Seq(_), Value::Seq(_)) | (Value::Scalar(_), Value::Scalar(_)) => {}
                (Value::Seq(_), Value::Scalar(_)) | (Value::Scalar(_), Value::Seq(_))
                    if LISTS.iter().any(|names| names.contains(&&*entry.key)) => {}
                _ if other.value.is_null() || entry.value.is_null() => {}
                _ => found.push((other, entry)),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;
    use crate::yaml::parse_text;

    fn merged(base: &str, overlay: &str) -> String {
        let mut sources = SourceMap::default();
        let mut read = |text: &str| {
            let file = sources.add("a.md".into(), text.to_owned());
            parse_text(text, file).unwrap()
        };
        let (base, overlay) = (read(base), read(overlay));
        let once = merge_front_matter(&base, &overlay);
        assert_eq!(merge_front_matter(&once, &overlay), once, "merging again changes nothing");
        once.to_json().to_string()
    }

    #[test]
    fn maps_go_deep_scalars_win_and_lists_unite() {
        assert_eq!(
            merged(
                "priority: 3\ntags: [a, b]\nwhen: {platform: x, not: {team: t}}\nkeep: 1\n",
                "priority: 1\ntags: [c, a, c]\nwhen: {not: {role: r}}\nnew: true\n",
            ),
            r#"{"priority":1,"tags":["a","b","c"],"when":{"platform":"x","not":{"team":"t","role":"r"}},"keep":1,"new":true}"#
        );
    }

    #[test]
    fn texts_with_commas_unite_as_lists_under_all_their_names() {
        for (base, overlay, expected) in [
            ("globs: '*.py, *.pyi'\n", "globs: '*.rs'\n", r#"{"globs":["*.py","*.pyi","*.rs"]}"#),
            ("globs: '*.py'\n", "globs: ['*.rs']\n", r#"{"globs":["*.py","*.rs"]}"#),
            ("applyTo: '*.py'\n", "globs: '*.{rs,c}'\n", r#"{"applyTo":["*.py","*.{rs,c}"]}"#),
            ("paths: a\nglobs: [b]\n", "applyTo: b, c\n", r#"{"globs":["a","b","c"]}"#),
            ("keywords: a, b\n", "keywords: [c, a]\n", r#"{"keywords":["a","b","c"]}"#),
            ("globs:\nname: x\n", "globs: a, b\n", r#"{"globs":["a","b"],"name":"x"}"#),
        ] {
            assert_eq!(merged(base, overlay), expected);
        }
    }

    #[test]
    fn what_an_overlay_says_of_itself_is_not_inherited() {
        assert_eq!(
            merged(
                "name: a\n",
                "name: b\ncategory: c\nstrategy: merge\nsections: {}\nextends: x\nsealed: true\n\
                 owner: o\nvisibility: private\ngroups: [g]\n",
            ),
            r#"{"name":"a"}"#
        );
        assert_eq!(merged("{}", "when: {name: x}\n"), r#"{"when":{"name":"x"}}"#);
    }

    #[test]
    fn missing_front_matter_and_other_types_are_no_trouble() {
        assert_eq!(merged("null", "tags: [a]\nname: x\n"), r#"{"tags":["a"]}"#);
        assert_eq!(merged("tags: [a]\n", "null"), r#"{"tags":["a"]}"#);
        let base = "tags: [a]\npriority: 1\nglobs: b\nwhen: {role: r}\n";
        let empty = "tags:\npriority: ~\npaths:\nload:\nwhen: {role: }\n";
        assert_eq!(merged(base, empty), merged(base, "null"));
        assert_eq!(merged("tags: a\n", "tags: [1.10, 1.1]\n"), r#"{"tags":[1.1,1.1]}"#);
    }
}
