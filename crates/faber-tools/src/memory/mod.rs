//! Notes, as Markdown files of the history: [`remember`] and [`extract`] make drafts, [`review`]
//! lists, [`decide`] approves or rejects them.

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
