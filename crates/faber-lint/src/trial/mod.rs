//! Whether a context helps. [`plan`] makes bundles with and without it, [`verdicts`] reads what
//! evaluation tools say, [`report`] compares.

pub mod config;
pub mod evidence;
pub mod plan;
pub mod report;
pub(crate) mod statistics;
pub mod verdicts;
