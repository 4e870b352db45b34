//! Findings and search results in all output formats.

pub(crate) mod format;
pub(crate) mod hits;
