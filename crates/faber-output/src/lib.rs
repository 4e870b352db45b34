//! Prints results, diagnostics and errors.

pub mod emit;
pub mod json;
pub mod report;
pub mod streams;
pub mod table;
pub mod text;
