//! Notes as Markdown files: [`remember`] and [`extract`] make drafts, [`decide`] approves or
//! rejects them.

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
