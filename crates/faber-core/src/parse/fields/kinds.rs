//! The types of enumerated and nested fields.

use std::collections::BTreeMap;

use crate::source::Spanned;

/// What to use without an MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    Api,
    Cli,
    Manual,
}

impl Fallback {
    pub const ALL: [(&'static str, Self); 3] =
        [("api", Self::Api), ("cli", Self::Cli), ("manual", Self::Manual)];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Draft,
    Approved,
    Deprecated,
}

impl Status {
    pub const ALL: [(&'static str, Self); 3] =
        [("draft", Self::Draft), ("approved", Self::Approved), ("deprecated", Self::Deprecated)];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Public,
    Internal,
    Private,
}

impl Visibility {
    pub const ALL: [(&'static str, Self); 3] =
        [("public", Self::Public), ("internal", Self::Internal), ("private", Self::Private)];
}

/// The reliability of a context, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Confidence {
    Overall(f64),
    /// By named component.
    Components(BTreeMap<String, f64>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Conditions that must hold.
    pub all: Vec<Condition>,
    /// Conditions under `not`.
    pub none: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// One of [`Condition::KEYS`], or an unknown one, which was reported.
    pub key: Spanned<String>,
    /// The possible values. Empty if unreadable; then nothing matches.
    pub values: Vec<String>,
}

impl Condition {
    /// The settings that a condition can test.
    pub const KEYS: [&'static str; 5] = ["environment", "platform", "team", "workflow", "role"];
}
