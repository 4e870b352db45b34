//! What single files say.

pub mod agent;
pub mod fence;
pub mod fields;
pub mod frontmatter;
mod prose;
pub mod references;
mod repair;
pub mod rules;
