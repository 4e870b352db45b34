//! Parsing of single files.

pub mod agent;
pub mod directive;
pub mod fence;
pub mod fields;
pub mod frontmatter;
pub mod include;
pub mod prose;
pub mod references;
mod repair;
mod restrictions;
pub mod rules;

pub use restrictions::{ACCESS_KEYS, mentions_access};
