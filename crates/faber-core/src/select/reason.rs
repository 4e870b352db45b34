//! Why a context is selected.

use schemars::JsonSchema;
use serde::Serialize;

/// What selected a context, in the order in which it is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReasonKind {
    /// `--with`.
    Pinned,
    /// The task or flow says to load it.
    Task,
    /// The role's prompt says to load it, on no condition.
    Prompt,
    /// It always loads.
    Always,
    /// Its platform is the detected one.
    Platform,
    /// The request has one of its keywords.
    Keyword,
    /// The error text or the request has one of its errors.
    Error,
    /// A file at hand matches one of its globs.
    Files,
    /// `custom_contexts` names it.
    Custom,
    /// A selected context names it as related.
    Related,
    /// It resembles the request in front matter and headings.
    Semantic,
}

impl ReasonKind {
    /// The name in data and in `selection.weights`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Task => "task",
            Self::Prompt => "prompt",
            Self::Always => "always",
            Self::Platform => "platform",
            Self::Keyword => "keyword",
            Self::Error => "error",
            Self::Files => "files",
            Self::Custom => "custom",
            Self::Related => "related",
            Self::Semantic => "semantic",
        }
    }
}

/// One reason, with its particulars.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Reason {
    /// What kind of reason.
    pub kind: ReasonKind,
    /// The particulars in words, such as the place of the setting that chose a platform.
    pub detail: String,
    /// Whether it holds whatever is requested.
    #[serde(skip)]
    pub stable: bool,
    /// The keyword or error that matched.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
}

/// A keyword or error that matched.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Matched {
    /// As it is declared.
    pub keyword: String,
    /// First byte of the match in the request (or in the error text, when `detail` says so).
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// `path:line` of the declaration.
    pub declared_at: String,
}

impl Reason {
    /// A reason without a match.
    pub fn new(kind: ReasonKind, detail: impl Into<String>) -> Self {
        let stable = matches!(
            kind,
            ReasonKind::Prompt | ReasonKind::Always | ReasonKind::Platform | ReasonKind::Custom
        );
        Self { kind, detail: detail.into(), stable, matched: None }
    }
}
