//! Context queries: which passages answer a question, at which level of detail.
//!
//! [`answer`] and [`expand`] use a library; everything else is a function of the candidates.

pub mod answer;
pub mod choose;
pub mod data;
pub mod expand;
pub mod markdown;
mod reasoning;
pub(crate) mod utility;
