//! Maximum lengths of previews.

use serde::{Deserialize, Serialize};

use super::amount::size;
use super::schema::PREVIEWS;
use crate::yaml::Node;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Previews([Option<usize>; PREVIEWS.len()]);

impl Previews {
    pub(super) fn read(node: Option<&Node>) -> Self {
        Self(PREVIEWS.map(|key| node?.get(key).and_then(size)))
    }

    fn own(&self, kind: &str) -> Option<usize> {
        self.0[PREVIEWS.iter().position(|known| *known == kind)?]
    }

    /// `kind` is a category, `task`, `flow`, `note` or `conversation`.
    pub fn of(&self, kind: &str) -> usize {
        self.own(kind).or(self.own("default")).unwrap_or(200)
    }

    pub fn in_catalog(&self, kind: &str) -> usize {
        let catalog = self.own("catalog").unwrap_or(160);
        self.own(kind).map_or(catalog, |own| own.min(catalog))
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
            assert_eq!(PREVIEWS[at + 2], row.name);
        }
    }
}
