//! Search over everything that a role may read: index, updates and ranking.
//!
//! A [`view::SearchView`] lists the items. One index stores the texts of all views by content. The
//! view alone decides access, and hidden items do not affect scores.

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
