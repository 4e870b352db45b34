//! The data format of explanations. Field names are a promise to programs.

use schemars::JsonSchema;
use serde::Serialize;

use faber_core::assemble::figures::Figures;
use faber_core::budget::level::{Level, Section};
use faber_core::category::{Category, Load};
use faber_core::document::ContextId;
use faber_core::layer::LayerKind;
use faber_core::select::reason::Reason;
use faber_output::json::{ExcludedData, FindingData, SourceData};

/// `faber explain --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainData {
    /// `faber.explain/1`.
    pub schema: &'static str,
    /// The role.
    pub role: String,
    /// The platform in force.
    pub platform: Option<PlatformData>,
    /// The team in force.
    pub team: Option<String>,
    /// The request.
    pub request: String,
    /// The contexts: what is loaded in emission order, what was asked for and is only named, what
    /// is excluded, then the rest. With a context on the command line, that one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CandidateData>,
    /// Where lines of the bundle come from, with `--line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineData>,
    /// What would be otherwise, with `--what-if`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIfData>,
    /// What was noticed.
    pub findings: Vec<FindingData>,
    /// The figures of the bundle.
    pub report: Figures,
}

/// The platform, and what chose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlatformData {
    /// Its name.
    pub name: String,
    /// What chose it, with its place.
    pub chosen_by: String,
}

/// What became of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// In the bundle at some level.
    Selected,
    /// Known to the reader, not loaded.
    Catalogued,
    /// Not used.
    Excluded,
}

/// One context and everything that decided about it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CandidateData {
    /// `category/name`.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// Its category.
    pub category: Category,
    /// What became of it.
    pub state: State,
    /// How much of it is in the bundle.
    pub level: Level,
    /// The same in words.
    pub verdict: String,
    /// Its tokens in the bundle; of a context that is named although it was asked for, those of
    /// its line in the catalog.
    pub tokens: usize,
    /// The tokens that all of it would take; none when nothing of it could be used.
    pub full_tokens: Option<usize>,
    /// Whether `full_tokens` is an estimate, because it decides nothing.
    pub estimated: bool,
    /// The highest layer that contributes.
    pub layer: Option<LayerKind>,
    /// Why it was asked for; empty when nothing did.
    pub reasons: Vec<Reason>,
    /// The documents that contribute, lowest first.
    pub sources: Vec<SourceData>,
    /// Documents of it that are not used, or why none of it is.
    pub left_out: Vec<ExcludedData>,
    /// What selects it.
    pub selectors: SelectorsData,
    /// The values of its front matter that decide; those that decide by default have no place.
    pub settings: Vec<SettingData>,
    /// How much it has to do with request and error text, from 0 to 1; none when nothing of it can be
    /// used.
    pub relevance: Option<f64>,
    /// What packing decided on, when something asked for it.
    pub packing: Option<PackingData>,
}

/// What selects a context.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SelectorsData {
    /// What makes it load.
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

/// One value that decides.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingData {
    /// The field of front matter.
    pub key: &'static str,
    /// Its value.
    pub value: serde_json::Value,
    /// `path:line`; none for a default.
    pub declared_at: Option<String>,
}

/// What packing decided on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PackingData {
    /// The section whose budget it takes.
    pub section: Section,
    /// Its priority; 1 is highest.
    pub priority: i64,
    /// The weight of its strongest reason.
    pub weight: f64,
    /// How much it has to do with the request, at least what its reasons stand for.
    pub relevance: f64,
    /// Whether the bundle must have it.
    pub required: bool,
    /// What it adds to the utility of the bundle.
    pub utility: f64,
    /// Every form that it could have, the most valuable first.
    pub offers: Vec<OfferData>,
}

/// One form of a context.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OfferData {
    /// The level.
    pub level: Level,
    /// Its exact tokens.
    pub tokens: usize,
    /// What it would add to the utility of the bundle.
    pub utility: f64,
    /// Whether packing could take it.
    pub allowed: bool,
    /// Whether it was taken.
    pub taken: bool,
}

/// A line of the bundle.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineData {
    /// Its number, from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
    /// The part of the bundle that it stands in.
    pub part: Part,
    /// The context, when that part is one.
    #[schemars(with = "Option<String>")]
    pub context: Option<ContextId>,
    /// The place that it comes from; none for what faber says itself, and for input and request.
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
    /// What stands above or around a group of contexts.
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
#[derive(Debug, Serialize, JsonSchema)]
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
    /// What is otherwise in the second, as it was typed.
    pub asked: Vec<String>,
    /// The run as it is.
    pub before: RunData,
    /// The run as it would be.
    pub after: RunData,
    /// The contexts for which something changes.
    pub changes: Vec<ChangeData>,
    /// How many stay as they are.
    pub unchanged: usize,
}

/// One run in short.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunData {
    /// The platform in force.
    pub platform: Option<String>,
    /// Tokens of the bundle.
    pub total_used: usize,
    /// The most that it may have.
    pub limit: usize,
    /// What it is worth.
    pub utility: f64,
    /// The date that validity is judged by.
    pub reference_date: String,
    /// BLAKE3 of the bundle.
    pub digest: String,
}

/// What happens to a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It would be in the bundle.
    Comes,
    /// It would no longer be in the bundle.
    Goes,
    /// It would be at another level, of another size or out for another reason.
    Changes,
}

/// A context for which something changes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangeData {
    /// `category/name`.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// What happens.
    pub change: Change,
    /// What it is; none when there is no such context.
    pub before: Option<SideData>,
    /// What it would be; none when there would be no such context.
    pub after: Option<SideData>,
}

/// A context in one of two runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SideData {
    /// What became of it.
    pub state: State,
    /// How much of it is in the bundle.
    pub level: Level,
    /// Its tokens.
    pub tokens: usize,
    /// What became of it, in words.
    pub verdict: String,
}
