//! The command line of faber, which compiles directories of Markdown into prompt bundles.

pub mod cli;
pub mod commands;
mod emit;
mod html_report;
