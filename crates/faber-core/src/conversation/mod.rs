//! Conversations: the messages before a request, in the formats of the Anthropic and OpenAI APIs.
//!
//! `message` reads one message, `stream` a file of them. `turn` pairs tool calls with their
//! results, so that they are never separated; `form` has the full and shorter forms of a turn;
//! `trigger` and `choose` decide which turns fit.

pub mod choose;
pub(crate) mod form;
pub mod message;
pub mod piece;
mod stamp;
pub mod stream;
pub(crate) mod trigger;
pub mod turn;
