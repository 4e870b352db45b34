//! Whether a context helps. [`plan`] makes bundles with and without it, [`config`] writes files for
//! evaluation tools, [`verdicts`] reads their output, [`report`] compares.

pub mod config;
pub mod evidence;
pub mod plan;
pub mod report;
pub(crate) mod statistics;
pub mod verdicts;
