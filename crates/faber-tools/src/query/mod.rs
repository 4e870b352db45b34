//! Context queries: which pieces of knowledge to tell for a question, at which level of detail.
//!
//! Everything here is a function of the candidates that a search found; nothing asks for files,
//! time or the index.

pub mod answer;
pub mod choose;
pub mod data;
pub mod markdown;
mod reasoning;
pub mod utility;
