//! Search over everything that a role may know: index, updates and ranking.
//!
//! A [`view::SearchView`] lists the items: resolved contexts, tasks, flows and history. One index has the
//! texts of all views by content, so shared texts are stored once, and a changed text is another
//! text. Access is decided by the view alone, including statistics: hidden items do not affect
//! scores.

mod analyze;
pub mod answer;
pub(crate) mod chunk;
mod conversation;
mod evidence;
pub mod found;
pub mod item;
pub mod library;
pub(crate) mod part;
mod postings;
pub(crate) mod prepare;
pub mod rank;
pub mod retention;
pub mod roles;
pub mod scope;
pub mod section;
pub mod stored;
pub mod view;
