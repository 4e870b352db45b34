//! Findings and search results in all output formats.

pub mod format;
pub mod hits;
