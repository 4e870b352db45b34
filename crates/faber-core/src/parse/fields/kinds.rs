//! Enumerated and nested fields.

use std::collections::BTreeMap;

use crate::folder_access::FolderAccess;
use crate::source::Spanned;
use crate::yaml::{Node, Value};

crate::named_enum! {
    /// What to use without an MCP server.
    pub enum Fallback {
        Api = "api",
        Cli = "cli",
        Manual = "manual",
    }
}

crate::named_enum! {
    pub enum ContextStatus {
        Draft = "draft",
        Approved = "approved",
        Deprecated = "deprecated",
        /// A note that was rejected.
        Rejected = "rejected",
    }
}

crate::named_enum! {
    pub enum Visibility {
        Public = "public",
        Internal = "internal",
        Private = "private",
    }
}

impl FolderAccess {
    pub fn of_config(access: &Node) -> Self {
        let Value::Map(entries) = &access.value else {
            return if access.is_null() { Self::Open } else { Self::Unclear };
        };
        let mut own = entries.iter().filter(|entry| !["user", "trust"].contains(&&*entry.key));
        match (own.next(), own.next()) {
            (None, _) => Self::Open,
            (Some(entry), None) if entry.key == "groups" => Self::of_groups(&entry.value),
            _ => Self::Unclear,
        }
    }

    fn of_groups(groups: &Node) -> Self {
        if groups.is_null() {
            return Self::Open;
        }
        let name = |item: &Node| item.as_str().filter(|name| !name.is_empty()).map(str::to_owned);
        let names: Option<Vec<String>> =
            groups.items().and_then(|items| items.iter().map(name).collect());
        match names {
            Some(names) if names.is_empty() => Self::Open,
            Some(names) => Self::Groups(names.into()),
            None => Self::Unclear,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Confidence {
    Overall(f64),
    Components(BTreeMap<String, f64>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    pub all: Vec<Condition>,
    pub none: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// One of [`Condition::KEYS`], or unknown and reported.
    pub key: Spanned<String>,
    /// If empty, nothing matches.
    pub values: Vec<String>,
}

impl Condition {
    pub const KEYS: [&'static str; 5] = ["environment", "platform", "team", "workflow", "role"];
}
