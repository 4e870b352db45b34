//! Findings and search results in all output formats.

pub mod format;
pub(crate) mod hits;
