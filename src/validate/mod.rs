//! `faber validate`: everything that is wrong with a workspace, found in one run.

pub mod rule;
pub mod rules;
pub mod security;
