//! Search over all that a role may read. A [`view::SearchView`] decides access; all views share one
//! index.

mod analyze;
pub mod answer;
pub(crate) mod bytes;
pub(crate) mod chunk;
mod conversation;
mod evidence;
pub mod found;
pub mod index;
pub mod item;
pub(crate) mod part;
mod postings;
pub(crate) mod prepare;
pub mod rank;
pub mod resources;
pub mod retention;
pub mod roles;
pub mod scope;
pub mod section;
pub mod stored;
pub mod view;
