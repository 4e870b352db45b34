//! Restrictions that are not read completely must not count as met.

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

pub(super) fn use_unclear(node: &Node, fields: &Fields) -> Option<&'static str> {
    USE_KEYS.into_iter().find(|key| is_unclear(key, node, fields))
}

pub(super) fn access_unclear(node: &Node, fields: &Fields) -> bool {
    ACCESS_KEYS.into_iter().any(|key| is_unclear(key, node, fields))
}

pub(super) fn is_unclear(key: &str, node: &Node, fields: &Fields) -> bool {
    let Some(value) = node.get(key).filter(|value| !value.is_null()) else { return false };
    match key {
        "visibility" => fields.visibility.is_none(),
        "groups" => fields.groups.is_empty() && value.items().is_none_or(|it| !it.is_empty()),
        "status" => fields.status.is_none(),
        "valid_from" => fields.valid_from.is_none(),
        "valid_to" => fields.valid_to.is_none(),
        "when" => fields.when.is_none(),
        "superseded_by" => fields.superseded_by.is_none(),
        _ => false,
    }
}
