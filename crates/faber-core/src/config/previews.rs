//! Maximum lengths of previews.

use serde::{Deserialize, Serialize};

use super::amount::whole;
use super::schema::PREVIEW_KINDS;
use crate::yaml::Node;

/// Maximum characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Previews {
    default: usize,
    /// In a catalog.
    catalog: usize,
    /// In the order of [`PREVIEW_KINDS`].
    kinds: [Option<usize>; PREVIEW_KINDS.len()],
}

impl Previews {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| {
            let number = node.and_then(|node| node.get(key)).and_then(whole)?;
            usize::try_from(number).ok()
        };
        Self {
            default: get("default").unwrap_or(200),
            catalog: get("catalog").unwrap_or(160),
            kinds: PREVIEW_KINDS.map(get),
        }
    }

    fn own(&self, kind: &str) -> Option<usize> {
        self.kinds[PREVIEW_KINDS.iter().position(|known| *known == kind)?]
    }

    /// `kind` is a category, `task`, `flow`, `note` or `conversation`.
    pub fn of(&self, kind: &str) -> usize {
        self.own(kind).unwrap_or(self.default)
    }

    pub fn in_catalog(&self, kind: &str) -> usize {
        self.own(kind).unwrap_or(self.catalog).min(self.catalog)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::over_defaults;
    use super::*;
    use crate::category::CATEGORIES;

    #[test]
    fn every_kind_has_a_limit() {
        let read = |text: &str| Previews::read(over_defaults(text).1.get("previews"));
        let defaults = read("");
        assert_eq!((defaults.of("standard"), defaults.of("task")), (200, 100));
        assert_eq!((defaults.in_catalog("standard"), defaults.in_catalog("task")), (160, 100));
        let own = read("previews: { default: 50, pattern: 300, catalog: 90 }\n");
        assert_eq!((own.of("note"), own.of("pattern")), (50, 300));
        assert_eq!((own.in_catalog("note"), own.in_catalog("pattern")), (90, 90));
        for (at, row) in CATEGORIES.iter().enumerate() {
            assert_eq!(PREVIEW_KINDS[at], row.name);
        }
    }
}
