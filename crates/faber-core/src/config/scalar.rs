//! Scalars of a configuration.

use crate::source::Spanned;
use crate::yaml::Node;

/// `None` if empty.
pub(super) fn text(node: &Node) -> Option<Spanned<String>> {
    let text = node.as_str().filter(|text| !text.is_empty())?;
    Some(Spanned { value: text.to_owned(), span: node.span })
}

pub(super) fn texts(node: Option<&Node>) -> Vec<Spanned<String>> {
    node.and_then(Node::items).unwrap_or_default().iter().filter_map(text).collect()
}
