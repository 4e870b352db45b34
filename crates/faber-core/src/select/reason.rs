//! Why a context is selected.

use schemars::JsonSchema;
use serde::Serialize;

crate::named_enum! {
    /// Why a context is selected, in the order of evaluation.
    pub enum ReasonKind {
        /// `--with`.
        Pinned = "pinned",
        /// The task or flow says to load it.
        Task = "task",
        /// The role's prompt says to load it, without a condition.
        Prompt = "prompt",
        /// It always loads.
        Always = "always",
        /// Its platform is the detected one.
        Platform = "platform",
        /// The request has one of its keywords.
        Keyword = "keyword",
        /// The error text or the request has one of its errors.
        Error = "error",
        /// A file of the request matches one of its globs.
        Files = "files",
        /// `custom_contexts` names it.
        Custom = "custom",
        /// A selected context names it as related.
        Related = "related",
        /// It resembles the request.
        Semantic = "semantic",
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
    /// The number of folders and files that its glob names.
    #[serde(skip)]
    pub named_parts: usize,
    /// The context that names it as related only resembles the request.
    #[serde(skip)]
    pub is_guess: bool,
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

pub const COMES_LAST: &str =
    "it is only related to contexts that resemble the request, and not everything fits in full";

impl Reason {
    pub fn new(kind: ReasonKind, detail: impl Into<String>) -> Self {
        let stable = matches!(
            kind,
            ReasonKind::Prompt | ReasonKind::Always | ReasonKind::Platform | ReasonKind::Custom
        );
        Self { kind, detail: detail.into(), stable, named_parts: 0, is_guess: false, matched: None }
    }

    pub(crate) fn is_request(&self) -> bool {
        match self.kind {
            ReasonKind::Related | ReasonKind::Semantic => false,
            // Otherwise `selection.upfront: auto` loads it.
            ReasonKind::Always => self.stable,
            _ => true,
        }
    }
}
