use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Serialize;

use super::confidence::wilson;
use crate::front_edit::FieldEdit;
use faber_core::numbers::rounded;

faber_core::named_enum! {
    /// What a proposal is about.
    pub enum ProposalKind {
        /// A new keyword for a context that requests describe in other words.
        Keyword = "keyword",
        /// A context that most requests need later: it always loads.
        Always = "always",
        /// A context that always loads but is never needed: it loads on demand.
        OnDemand = "on-demand",
        /// A context that is usually needed after another one: it loads with that one, if there is room.
        Related = "related",
        /// A context whose shorter form is not enough: it is not shortened.
        Summary = "summary",
        /// A context that no request or search returned: it is no longer offered.
        Unused = "unused",
        /// Questions without an answer: missing documentation.
        Missing = "missing",
        /// A part of the token budget that is too small for the conversations.
        Budget = "budget",
    }
}

/// A proposal with its figures.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Proposal {
    /// What it is about.
    pub kind: ProposalKind,
    /// The context that changes, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What is added: the keyword, the words of the questions, the related context, or the setting with its value.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Why, in a sentence.
    pub reason: String,
    /// The number of supporting cases.
    pub count: usize,
    /// The number of all possible cases.
    pub of: usize,
    /// The least share of these at 95 % confidence, in four decimals; none if the share is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Some of the requests or questions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The file to change; none for missing knowledge.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub path: Option<Utf8PathBuf>,
    /// Why that file is not changed, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_applicable: Option<&'static str>,
    #[serde(skip)]
    pub edit: Option<ProposedEdit>,
}

impl Proposal {
    pub(super) fn new(
        kind: ProposalKind,
        reason: impl Into<String>,
        count: usize,
        of: usize,
    ) -> Self {
        Self {
            kind,
            context: None,
            value: String::new(),
            reason: reason.into(),
            count,
            of,
            at_least: Some(rounded(wilson(count, of).low, 10_000.0)),
            examples: Vec::new(),
            path: None,
            not_applicable: None,
            edit: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposedEdit {
    Field(FieldEdit),
    Setting(&'static [&'static str], u64),
}
