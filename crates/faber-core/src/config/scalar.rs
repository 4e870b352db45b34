//! Scalars of a configuration.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Spanned;
use crate::yaml::Node;

pub(super) fn text(node: &Node) -> Option<Spanned<String>> {
    let text = node.as_str().filter(|text| !text.is_empty())?;
    Some(Spanned { value: text.to_owned(), span: node.span })
}

pub fn comma_separated(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}

pub(super) fn names(node: Option<&Node>) -> Vec<Spanned<String>> {
    let mut names = texts(node);
    if let Some(Spanned { value, span }) = node.and_then(text) {
        let name = |name: &str| Spanned { value: name.to_owned(), span };
        names.extend(comma_separated(&value).map(name));
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.value.clone()));
    names
}

pub(super) fn map<T>(
    node: Option<&Node>,
    read: impl Fn(&Node) -> Option<T>,
) -> BTreeMap<String, T> {
    let entries = node.map(Node::entries).unwrap_or_default().iter();
    entries.filter_map(|entry| Some((entry.key.clone(), read(&entry.value)?))).collect()
}

pub(super) fn texts(node: Option<&Node>) -> Vec<Spanned<String>> {
    node.and_then(Node::items).unwrap_or_default().iter().filter_map(text).collect()
}
