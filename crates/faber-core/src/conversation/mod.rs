//! Conversations in the formats of the Anthropic and OpenAI APIs: `stream` and `message` read them,
//! `turn` pairs tool calls with results, `choose` makes turns fit, `visible` applies access.

pub mod choose;
pub(crate) mod form;
pub mod message;
pub mod piece;
mod stamp;
pub mod stream;
pub(crate) mod trigger;
pub mod turn;
pub mod visible;
