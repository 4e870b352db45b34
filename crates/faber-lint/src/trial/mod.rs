//! Trials measure whether a context helps. A plan has pairs of bundles that differ in one context
//! or in the version of the pack; models run elsewhere, and their verdicts are read back.
//!
//! [`plan`] makes the pairs, [`config`] writes files for evaluation tools, [`verdicts`] reads their
//! output, [`report`] compares, and [`evidence`] stores the results for `faber validate`.

pub mod config;
pub mod evidence;
pub mod plan;
pub mod report;
pub(crate) mod statistics;
pub mod verdicts;
