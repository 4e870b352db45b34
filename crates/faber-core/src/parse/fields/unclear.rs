//! Restrictions that were not read completely, or not at all.

use crate::parse::restrictions::{ACCESS_KEYS, Lost, OVERLAY_KEYS, SEALED, USE_KEYS};
use crate::yaml::Node;

use super::Fields;

impl Lost {
    pub(in crate::parse) fn restrict(&self, fields: &mut Fields) {
        fields.access_unclear |= ACCESS_KEYS.iter().any(|name| self.contains(name));
        let unclear = USE_KEYS.into_iter().find(|name| self.contains(name));
        fields.use_unclear = fields.use_unclear.or(unclear);
        fields.sealed |= self.contains(SEALED);
        let unclear = OVERLAY_KEYS.into_iter().find(|name| self.contains(name));
        fields.strategy_unclear = fields.strategy_unclear.or(unclear);
    }
}

/// An unreadable condition must not count as met.
pub(super) fn use_unclear(node: &Node, fields: &Fields) -> Option<&'static str> {
    let read = [
        ("status", fields.status.is_some()),
        ("valid_from", fields.valid_from.is_some()),
        ("valid_to", fields.valid_to.is_some()),
        ("when", fields.when.is_some()),
        ("superseded_by", fields.superseded_by.is_some()),
    ];
    read.into_iter().find(|&(key, read)| is_set(node, key) && !read).map(|(key, _)| key)
}

fn is_set(node: &Node, key: &str) -> bool {
    node.get(key).is_some_and(|value| !value.is_null())
}

/// An unreadable restriction must not give access.
pub(super) fn access_unclear(node: &Node, fields: &Fields) -> bool {
    let empty = |key: &str| node.get(key).and_then(Node::items).is_some_and(<[Node]>::is_empty);
    (is_set(node, "visibility") && fields.visibility.is_none())
        || (is_set(node, "groups") && !empty("groups") && fields.groups.is_empty())
}
