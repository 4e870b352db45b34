//! Search over everything that a role may know: the index, its upkeep, and ranking.
//!
//! A [`view::View`] lists what can be found: the contexts as all layers have left them, tasks, flows
//! and history. The texts of all views lie in one index by what they say, not by where they lie, so
//! a text that several views share is there once, and one that changes is another text. Who may see
//! what is decided by the view alone, statistics included: what is hidden leaves no trace in a score.

mod analyze;
pub mod answer;
pub mod chunk;
mod container;
mod conversation;
pub mod found;
pub mod item;
pub mod library;
pub mod part;
pub mod prepare;
pub mod rank;
pub mod scope;
pub mod section;
pub mod view;
