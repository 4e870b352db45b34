//! Notes that people and agents leave, as Markdown files of the history.
//!
//! [`remember`] makes a draft of a text unless it is known; [`extract`] finds such texts in a
//! conversation; [`review`] lists drafts; [`decide`] approves or rejects them.

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
