//! Why a context is selected.

use schemars::JsonSchema;
use serde::Serialize;

/// Why a context is selected, in the order of evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReasonKind {
    /// `--with`.
    Pinned,
    /// The task or flow says to load it.
    Task,
    /// The role's prompt says to load it, without a condition.
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
    /// It resembles the request.
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

/// One reason with details.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Reason {
    pub kind: ReasonKind,
    /// Details in words, such as the place of the setting that chose a platform.
    pub detail: String,
    /// Whether it does not depend on the request.
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
    /// First byte of the match in the request (or in the error text, if `detail` says so).
    pub start: usize,
    /// End of the match.
    pub end: usize,
    /// `path:line` of the declaration.
    pub declared_at: String,
}

impl Reason {
    pub fn new(kind: ReasonKind, detail: impl Into<String>) -> Self {
        let stable = matches!(
            kind,
            ReasonKind::Prompt | ReasonKind::Always | ReasonKind::Platform | ReasonKind::Custom
        );
        Self { kind, detail: detail.into(), stable, matched: None }
    }
}
