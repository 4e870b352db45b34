//! The figures of one assembly. Field names are those of the data format.

use schemars::JsonSchema;
use serde::Serialize;

use crate::budget::level::{Level, Section};
use crate::conversation::trigger::Trigger;
use crate::document::ContextId;

/// Tokens by section, and what was done to make them fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    /// The encoding that tokens are counted in.
    pub encoding: &'static str,
    /// Whether a safety margin is added because the model's tokenizer is not public.
    pub estimated: bool,
    /// The model, when one was named.
    pub model: Option<String>,
    /// The safety margin, percent.
    pub margin: u32,
    /// Tokens of contexts.
    pub context: ContextTokens,
    /// Tokens of the conversation.
    pub conversation: ConversationTokens,
    /// The reserve for the answer.
    pub response: ResponseTokens,
    /// The whole.
    pub summary: Summary,
    /// Shares of the sections, to compare with; that of the catalog is a limit.
    pub sections: SectionLimits,
    /// What is not in the bundle whole.
    pub degraded: Vec<Degraded>,
    /// What the user's own command summarized.
    pub summarized: Vec<Summarized>,
    /// How much there is of inputs and error text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<MaterialFigures>,
    /// What became of past messages, with `--history`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryFigures>,
    /// What was done, step by step, to make a conversation fit.
    pub recovery: Vec<Recovery>,
    /// Tokens at the start of the bundle that no request changes.
    pub stable_prefix_tokens: usize,
    /// Sum of weight times level value over all contexts.
    pub utility: f64,
    /// BLAKE3 of the bundle.
    pub digest: String,
    /// The date that validity was judged by.
    pub reference_date: String,
    /// Who asked.
    pub principal: PrincipalFigures,
    /// The version of faber.
    pub version: &'static str,
}

/// Tokens of contexts by section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContextTokens {
    /// The role's prompt, task and flow.
    pub system: usize,
    /// The user overlay.
    pub profile: usize,
    /// Platform, standards, specialists, custom contexts.
    pub location: usize,
    /// Related contexts.
    pub related: usize,
    /// The catalog.
    pub catalog: usize,
    /// All of these.
    pub total: usize,
}

/// Tokens of the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConversationTokens {
    /// Past messages.
    pub history: usize,
    /// The request and its input.
    pub message: usize,
    /// Both.
    pub total: usize,
}

/// What became of past messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryFigures {
    /// How many there are.
    pub messages: usize,
    /// How many are in the bundle whole.
    pub whole: usize,
    /// How many are there in a shorter form.
    pub shortened: usize,
    /// How many are not there.
    pub left_out: usize,
    /// Tokens that all of them would take.
    pub full_tokens: usize,
    /// What the size of the whole input has set off.
    pub triggers: Vec<Trigger>,
    /// How many are archived with `--archive`.
    pub archivable: usize,
    /// A summary that the command in `budget.summarizer` has written of what is not there whole. It
    /// is an input of the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// A text that the request brings along.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MaterialFigures {
    /// The name of an input, or `error text`.
    pub name: String,
    /// Its tokens in the bundle, what stands around it included.
    pub tokens: usize,
    /// The tokens that all of it would take.
    pub full_tokens: usize,
}

/// Something that was done to make a conversation fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recovery {
    /// What gave way.
    pub step: Step,
    /// The same in words.
    pub detail: String,
    /// Tokens that this saved.
    pub tokens_saved: usize,
}

/// What gives way to make a conversation fit, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Related contexts.
    Related,
    /// The full text of other contexts.
    Location,
    /// Older messages.
    History,
    /// All that is not required.
    Minimal,
}

impl Step {
    /// The name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Related => "related",
            Self::Location => "location",
            Self::History => "history",
            Self::Minimal => "minimal",
        }
    }
}

/// The reserve for the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResponseTokens {
    /// Tokens kept free.
    pub reserved: u64,
}

/// The whole bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Tokens of the bundle, counted as one text.
    pub total_used: usize,
    /// The most that it may have.
    pub limit: usize,
    /// The one in percent of the other, with one decimal.
    pub utilization_percent: f64,
    /// Tokens that shortening and leaving out saved.
    pub efficiency_saved: usize,
}

/// Limits by section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionLimits {
    /// The role's prompt, task and flow.
    pub system: u64,
    /// The user overlay.
    pub profile: u64,
    /// Platform, standards, specialists, custom contexts.
    pub location: u64,
    /// Related contexts.
    pub related: u64,
    /// The catalog.
    pub catalog: u64,
}

/// A selected context that is not in the bundle whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Degraded {
    /// The context.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// What it would be if it fitted.
    pub from: Level,
    /// What it is.
    pub to: Level,
    /// The difference in tokens.
    pub tokens_saved: usize,
}

/// A summary that the command in `budget.summarizer` has written. It is an input of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summarized {
    /// The context.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// The summary.
    pub text: String,
}

/// Who asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PrincipalFigures {
    /// The user, when known.
    pub user: Option<String>,
    /// The user's groups.
    pub groups: Vec<String>,
    /// Whether the user's own overlay took part: not with `--no-user` and not in CI.
    pub user_layer: bool,
}

impl ConversationTokens {
    /// Adds tokens to a part and to the total; sections of contexts do not count here.
    pub fn add(&mut self, section: Section, tokens: usize) {
        match section {
            Section::History => self.history += tokens,
            Section::Message => self.message += tokens,
            _ => return,
        }
        self.total += tokens;
    }
}

impl ContextTokens {
    /// Adds tokens to a section and to the total; conversation sections do not count here.
    pub fn add(&mut self, section: Section, tokens: usize) {
        let field = match section {
            Section::System => &mut self.system,
            Section::Profile => &mut self.profile,
            Section::Location => &mut self.location,
            Section::Related => &mut self.related,
            Section::Catalog => &mut self.catalog,
            Section::History | Section::Message => return,
        };
        *field += tokens;
        self.total += tokens;
    }
}
