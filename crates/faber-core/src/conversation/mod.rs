//! Conversations in the formats of the Anthropic and OpenAI APIs. Start at `stream` and `turn`.

pub mod choose;
pub(crate) mod form;
pub mod message;
pub mod piece;
pub mod stream;
pub mod turn;
pub mod visible;
