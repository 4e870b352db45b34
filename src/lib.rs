//! The command line of faber, which compiles directories of Markdown into prompt bundles.

pub mod cli;
pub mod commands;
pub mod emit;
pub(crate) mod html_report;
