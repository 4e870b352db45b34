//! Whether a context helps, by pairs of bundles with and without it.
//!
//! [`plan`] makes pairs, [`config`] writes files for evaluation tools, [`verdicts`] reads their
//! output, [`report`] compares, and [`evidence`] stores results.

pub mod config;
pub mod evidence;
pub mod plan;
pub mod report;
pub(crate) mod statistics;
pub mod verdicts;
