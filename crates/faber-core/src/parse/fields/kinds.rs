//! The types of the fields that have one of their own.

use std::collections::BTreeMap;

use crate::source::Spanned;

/// What to use when an MCP server is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// The API of the platform.
    Api,
    /// Its command line.
    Cli,
    /// A person.
    Manual,
}

impl Fallback {
    /// Every value with the word that names it in front matter.
    pub const ALL: [(&'static str, Self); 3] =
        [("api", Self::Api), ("cli", Self::Cli), ("manual", Self::Manual)];
}

/// Where a context stands in its life cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not yet to be used.
    Draft,
    /// In use.
    Approved,
    /// No longer to be used.
    Deprecated,
}

impl Status {
    /// Every value with the word that names it in front matter.
    pub const ALL: [(&'static str, Self); 3] =
        [("draft", Self::Draft), ("approved", Self::Approved), ("deprecated", Self::Deprecated)];
}

/// Who may see a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone.
    Public,
    /// Its groups.
    Internal,
    /// Its owner.
    Private,
}

impl Visibility {
    /// Every value with the word that names it in front matter.
    pub const ALL: [(&'static str, Self); 3] =
        [("public", Self::Public), ("internal", Self::Internal), ("private", Self::Private)];
}

/// How far a context can be relied on, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Confidence {
    /// One number for all of it.
    Overall(f64),
    /// A number for each of several named components.
    Components(BTreeMap<String, f64>),
}

/// The conditions of `when`; all of them must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// What must be so.
    pub all: Vec<Condition>,
    /// What must not be so, from under `not`.
    pub none: Vec<Condition>,
}

/// One condition: that a setting has one of some values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The setting: one of [`Condition::KEYS`], or one that faber does not know, which was
    /// reported.
    pub key: Spanned<String>,
    /// The values, any of which will do. Empty when none could be read; then nothing does.
    pub values: Vec<String>,
}

impl Condition {
    /// The settings that a condition can ask for.
    pub const KEYS: [&'static str; 5] = ["environment", "platform", "team", "workflow", "role"];
}
