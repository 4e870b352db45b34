//! Trials: whether a context helps. A plan has pairs of bundles for the cases of a pack, with and without a context or
//! from two versions of it; a model is asked elsewhere, and its verdicts come back.
//!
//! [`plan`] makes the pairs and [`config`] the files for the tools that ask models. [`verdicts`] reads what comes back,
//! [`report`] compares, and [`evidence`] keeps it for `faber validate`.

pub mod config;
pub mod evidence;
pub mod plan;
pub mod report;
pub(crate) mod statistics;
pub mod verdicts;
