//! Context queries: which pieces of knowledge to tell for a question, at which level of detail.
//!
//! [`answer`] and [`expand`] ask a library; everything else is a function of the candidates that a search
//! found.

pub mod answer;
pub mod choose;
pub mod data;
pub mod expand;
pub mod markdown;
mod reasoning;
pub mod utility;
