//! Findings and hits in the forms that people and programs take them in.

pub mod format;
pub mod hits;
