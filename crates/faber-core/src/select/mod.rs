//! Selects contexts, with reasons.

pub mod choose;
pub mod globs;
pub mod headings;
pub mod keywords;
mod languages;
pub mod reason;
pub mod relevance;
pub mod request;
pub mod selection;
mod siblings;
mod status;
pub mod targets;
