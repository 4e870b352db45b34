//! Conversations in the formats of the Anthropic and OpenAI APIs, from `stream` (reading) to
//! `turn`, `choose` and `visible` (access).

pub mod choose;
pub(crate) mod form;
pub mod message;
pub mod piece;
pub mod stream;
pub mod turn;
pub mod visible;
