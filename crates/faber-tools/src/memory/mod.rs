//! Knowledge that grows: notes that people and agents leave, and what becomes of them.
//!
//! A note is a Markdown file of the history. [`remember`] makes a draft of a text, unless a context or another note
//! says the same; [`extract`] finds such texts in a conversation. [`review`] lists drafts, [`decide`] approves or
//! rejects one. What two sentences have to do with each other is decided in `compare`.

mod compare;
pub mod decide;
pub mod dialogue;
pub mod extract;
pub mod known;
mod language;
mod note;
mod phrase;
pub(crate) mod phrases;
pub mod remember;
pub mod review;
mod statement;
