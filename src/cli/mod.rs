//! The command line: arguments and settings.

pub mod args;
pub(crate) mod complete;
mod deferred;
mod examples;
pub mod mistakes;
pub(crate) mod scripts;
pub mod settings;
pub(crate) mod values;
