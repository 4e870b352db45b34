//! Conversations: the messages that came before a request, in the shapes of the Anthropic and OpenAI
//! APIs alike.
//!
//! `message` reads one message, `stream` a whole file of them. `turn` pairs tool calls with their
//! results, so that nothing downstream can part them; `form` has what a turn says, whole and shorter;
//! `trigger` decides what a large input does to a conversation, and `choose` which turns fit.

pub mod choose;
pub mod form;
pub mod message;
pub mod piece;
mod stamp;
pub mod stream;
pub mod trigger;
pub mod turn;
