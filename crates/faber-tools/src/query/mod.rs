//! Passages that answer a question, at a level of detail.

pub mod answer;
pub mod choose;
pub mod data;
pub mod expand;
pub mod markdown;
mod reasoning;
pub(crate) mod utility;
