//! Enumerated and nested fields.

use std::collections::BTreeMap;

use crate::source::Spanned;

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

/// From 0 to 1.
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
    /// One of [`Condition::KEYS`], or an unknown key, which was reported.
    pub key: Spanned<String>,
    /// If empty, nothing matches.
    pub values: Vec<String>,
}

impl Condition {
    pub const KEYS: [&'static str; 5] = ["environment", "platform", "team", "workflow", "role"];
}
