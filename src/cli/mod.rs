//! The command line: what can be typed, and what it means.

pub mod args;
pub mod complete;
pub mod scripts;
pub mod settings;
mod values;
