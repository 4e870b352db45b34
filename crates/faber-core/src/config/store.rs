//! Configuration of the user's shared store.

use super::amount::small;
use super::scalar::text;
use crate::source::Spanned;
use crate::yaml::Node;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreConfig {
    pub url: Option<Spanned<String>>,
    pub keep_days: KeepDays,
}

/// `None`: forever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeepDays {
    pub history: Option<u32>,
    pub memories: Option<u32>,
    pub audit: Option<u32>,
}

impl StoreConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let days = |kind: &str| small(get("keep_days")?.get(kind)?);
        let (history, memories, audit) = (days("history"), days("memories"), days("audit"));
        Self { url: get("url").and_then(text), keep_days: KeepDays { history, memories, audit } }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{of_kind, rules};
    use super::super::{ConfigSource, typed};
    use super::*;

    const TEXT: &str =
        "store: { url: 'postgres://db.example/x', keep_days: { history: 90, audit: 400 } }\n";

    #[test]
    fn each_kind_is_kept_for_its_own_days() {
        let (sources, node, found) = of_kind(TEXT, ConfigSource::User);
        assert_eq!(found, []);
        let store = typed(&node, &sources).store;
        assert_eq!(store.url.unwrap().value, "postgres://db.example/x");
        let expected = KeepDays { history: Some(90), memories: None, audit: Some(400) };
        assert_eq!(store.keep_days, expected);
    }

    #[test]
    fn a_workspace_neither_names_a_store_nor_erases_from_it() {
        for kind in [ConfigSource::Workspace, ConfigSource::Overlay, ConfigSource::Environment] {
            let (sources, node, found) = of_kind(TEXT, kind);
            let not_allowed = "config-key-not-allowed";
            let expected = [(not_allowed, "url"), (not_allowed, "keep_days")];
            assert_eq!(rules(&sources, &found), expected);
            assert_eq!(typed(&node, &sources).store, StoreConfig::default());
        }
    }
}
