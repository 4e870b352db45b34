//! What contexts are selected for.

use std::collections::BTreeMap;

use crate::source::Spanned;

#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Request {
    pub text: String,
    pub error: String,
    /// What the request is about, such as changed lines. Never matches keywords.
    pub material: String,
    /// The user's message before, for relevance only.
    pub before: String,
    /// In every spelling that globs may match; folders end with `/`.
    pub files: Vec<String>,
    /// Names of inputs that are diffs, by file.
    pub inputs: BTreeMap<String, String>,
    pub with: Vec<String>,
    pub without: Vec<String>,
    pub loads: Vec<Spanned<String>>,
}

impl Request {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
