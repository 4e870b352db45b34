//! The command line: arguments and settings.

pub mod args;
pub mod complete;
mod deferred;
mod examples;
pub mod scripts;
pub mod settings;
pub(crate) mod values;
