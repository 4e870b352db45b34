//! The data format of explanations. Field names are stable.

use schemars::JsonSchema;
use serde::Serialize;

use faber_core::assemble::figures::{Figures, PackingTrace};
use faber_core::budget::level::Level;
use faber_core::category::{Category, Load};
use faber_core::context_id::ContextId;
use faber_core::layer::LayerKind;
use faber_core::resolve::catalog::Excluded;
use faber_core::select::reason::Reason;
use faber_output::json::{FindingData, SourceData};

/// `faber explain --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainData {
    /// `faber.explain/1`.
    pub schema: &'static str,
    /// The role.
    pub role: String,
    /// The active platform.
    pub platform: Option<PlatformData>,
    /// The active team.
    pub team: Option<String>,
    /// The request.
    pub request: String,
    /// The contexts: loaded ones in bundle order, requested ones that are only catalogued, excluded
    /// ones, then the rest. With a context on the command line, that one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CandidateData>,
    /// Origins of bundle lines, with `--line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineData>,
    /// The comparison, with `--what-if`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIfData>,
    /// Findings of the run.
    pub findings: Vec<FindingData>,
    /// The figures of the bundle.
    pub report: Figures,
}

/// The platform and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlatformData {
    /// Its name.
    pub name: String,
    /// Its source, with place.
    pub chosen_by: String,
}

/// The result for a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// In the bundle at some level.
    Selected,
    /// Not loaded, but listed in the catalog.
    Catalogued,
    /// Not used.
    Excluded,
}

/// One context with everything that affected its selection.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CandidateData {
    /// `category/name`.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// Its category.
    pub category: Category,
    /// Its state.
    pub state: State,
    /// How much of it is in the bundle.
    pub level: Level,
    /// The same in words.
    pub verdict: String,
    /// Its tokens in the bundle; for a requested context that is only catalogued, those of its line
    /// in the catalog.
    pub tokens: usize,
    /// The tokens of its full text; none if it cannot be used.
    pub full_tokens: Option<usize>,
    /// Whether `full_tokens` is an estimate, as for contexts that were not packed.
    pub estimated: bool,
    /// The highest layer that contributes.
    pub layer: Option<LayerKind>,
    /// Why it was requested; empty if it was not.
    pub reasons: Vec<Reason>,
    /// The documents that contribute, lowest first.
    pub sources: Vec<SourceData>,
    /// Its unused documents, or why the context is not used.
    pub left_out: Vec<Excluded>,
    /// What selects it.
    pub selectors: SelectorsData,
    /// The relevant values of front matter; defaults have no place.
    pub settings: Vec<SettingData>,
    /// Its relevance to request and error text, from 0 to 1; none if it cannot be used.
    pub relevance: Option<f64>,
    /// The relevance from which contexts load for it alone; none for one that is loaded, or that never loads for it.
    pub least_relevance: Option<f64>,
    /// The input of packing, if it was requested.
    pub packing: Option<PackingTrace>,
}

/// What selects a context.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SelectorsData {
    /// When it loads.
    pub load: Load,
    /// Where the role's prompt loads it with every request, as `path:line`.
    pub prompt: Vec<String>,
    /// The platform that it belongs to.
    pub platform: Option<String>,
    /// Keywords of its front matter and of prompts.
    pub keywords: Vec<TermData>,
    /// Errors of its front matter and of prompts.
    pub errors: Vec<TermData>,
    /// Patterns of files.
    pub globs: Vec<TermData>,
    /// Contexts that name it as related.
    #[schemars(with = "Vec<String>")]
    pub related_to: Vec<ContextId>,
}

/// A word or pattern, and where it is declared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TermData {
    /// As it is declared.
    pub term: String,
    /// `path:line` of the declaration.
    pub declared_at: String,
}

/// A relevant value of front matter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingData {
    /// The field of front matter.
    pub key: &'static str,
    /// Its value.
    pub value: serde_json::Value,
    /// `path:line`; none for a default.
    pub declared_at: Option<String>,
}

/// A line of the bundle.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineData {
    /// Its number, from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
    /// The part of the bundle that it is in.
    pub part: Part,
    /// The context, when that part is one.
    #[schemars(with = "Option<String>")]
    pub context: Option<ContextId>,
    /// Its origin; none for faber's own lines, input and request.
    pub origin: Option<LineOrigin>,
}

/// The parts of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The role's prompt.
    Prompt,
    /// A task or flow.
    Instruction,
    /// The heading or tag of a group of contexts.
    Frame,
    /// One context.
    Context,
    /// The catalog.
    Catalog,
    /// Past messages.
    Conversation,
    /// Material to work on.
    Input,
    /// The error text.
    Error,
    /// The request.
    Request,
}

/// The origin of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineOrigin {
    /// The file, from the workspace root.
    pub path: String,
    /// The line there, from 1.
    pub line: usize,
    /// The layer of that file.
    pub layer: LayerKind,
}

/// Two runs side by side.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WhatIfData {
    /// The options of the second run, as typed.
    pub asked: Vec<String>,
    /// The run without them.
    pub before: RunData,
    /// The run with them.
    pub after: RunData,
    /// The contexts with changes.
    pub changes: Vec<ChangeData>,
    /// The number of contexts without changes.
    pub unchanged: usize,
}

/// One run in short.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunData {
    /// The active platform.
    pub platform: Option<String>,
    /// Tokens of the bundle.
    pub total_used: usize,
    /// The maximum.
    pub limit: usize,
    /// The sum of the worth of its contexts.
    pub utility: f64,
    /// How many contexts the catalog lists.
    pub listed: usize,
    /// The date for checking validity.
    pub reference_date: String,
    /// BLAKE3 of the bundle.
    pub digest: String,
}

/// What happens to a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is added to the bundle.
    Comes,
    /// It is removed from the bundle.
    Goes,
    /// Its level, size or reason for exclusion changes.
    Changes,
}

/// A context with a change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangeData {
    /// `category/name`.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// The kind of change.
    pub change: Change,
    /// Before; none if the context does not exist.
    pub before: Option<SideData>,
    /// After; none if the context does not exist.
    pub after: Option<SideData>,
}

/// A context in one of two runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SideData {
    /// Its state.
    pub state: State,
    /// How much of it is in the bundle.
    pub level: Level,
    /// Its tokens.
    pub tokens: usize,
    /// Its state, in words.
    pub verdict: String,
}
