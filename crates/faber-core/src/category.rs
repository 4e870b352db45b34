//! The seven categories of contexts, one row each.

use serde::{Deserialize, Serialize};

/// What a context is for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Expertise, selected by request.
    Specialist,
    /// How things are done on one platform.
    Platform,
    /// What always holds.
    Standard,
    /// Solutions to look up.
    Pattern,
    /// Procedures.
    Playbook,
    /// Documentation to look up.
    Reference,
    /// Help when something failed.
    Troubleshooting,
}

crate::named_enum! {
    pub enum Load {
        /// With every request.
        Always = "always",
        /// When its platform is the detected one.
        Platform = "platform",
        /// When the request has one of its keywords.
        Keyword = "keyword",
        /// When the error text or the request has one of its errors.
        Error = "error",
        /// When a file of the request matches one of its globs.
        Files = "files",
        /// Only when requested.
        OnDemand = "on-demand",
        /// Never, unless pinned.
        Never = "never",
    }
}

#[derive(Debug)]
pub struct CategoryRow {
    pub category: Category,
    pub name: &'static str,
    pub directory: &'static str,
    pub prefixes: &'static [&'static str],
    pub load: Load,
    pub priority: i64,
}

macro_rules! categories {
    ($($category:ident $name:literal $directory:literal $prefixes:tt $load:ident $priority:literal;)+) => {
        [$(CategoryRow {
            category: Category::$category,
            name: $name,
            directory: $directory,
            prefixes: &$prefixes,
            load: Load::$load,
            priority: $priority,
        }),+]
    };
}

pub const CATEGORIES: [CategoryRow; 7] = categories! {
    Specialist "specialist" "specialists" ["specialist-"] Keyword 2;
    Platform "platform" "platforms" ["platform-"] Platform 1;
    Standard "standard" "standards" ["standards-", "standard-"] Always 2;
    Pattern "pattern" "patterns" ["patterns-", "pattern-"] OnDemand 3;
    Playbook "playbook" "playbooks" ["playbook-", "playbooks-"] OnDemand 3;
    Reference "reference" "references" ["reference-", "references-"] OnDemand 3;
    Troubleshooting "troubleshooting" "troubleshooting" ["troubleshooting-"] Error 2;
};

impl Category {
    pub fn row(self) -> &'static CategoryRow {
        &CATEGORIES[self as usize]
    }

    pub fn from_name(name: &str) -> Option<Self> {
        let row = CATEGORIES.iter().find(|row| row.name == name || row.directory == name)?;
        Some(row.category)
    }

    pub fn from_directory(directory: &str) -> Option<Self> {
        CATEGORIES.iter().find(|row| row.directory == directory).map(|row| row.category)
    }

    pub fn from_prefix(stem: &str) -> Option<(Self, &str)> {
        CATEGORIES.iter().find_map(|row| {
            let rest = row.prefixes.iter().find_map(|prefix| stem.strip_prefix(prefix))?;
            (!rest.is_empty()).then_some((row.category, rest))
        })
    }

    pub fn strip_prefix(self, stem: &str) -> &str {
        let rest = self.row().prefixes.iter().find_map(|prefix| stem.strip_prefix(prefix));
        rest.filter(|rest| !rest.is_empty()).unwrap_or(stem)
    }
}

impl std::fmt::Display for Category {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.row().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_category_finds_its_own_row() {
        for row in &CATEGORIES {
            assert_eq!(row.category.row().name, row.name);
            assert_eq!(Category::from_directory(row.directory), Some(row.category));
            for prefix in row.prefixes {
                let stem = format!("{prefix}x");
                assert_eq!(Category::from_prefix(&stem), Some((row.category, "x")));
                assert_eq!(row.category.strip_prefix(&stem), "x");
            }
        }
        assert_eq!(Category::Standard.strip_prefix("standards-"), "standards-");
        assert!(Load::ALL.iter().all(|(name, load)| load.name() == *name));
    }
}
