//! Output: findings and failures, assemblies as data and as a report, tables, and streams.

pub mod emit;
pub mod json;
pub mod report;
pub mod streams;
pub mod table;
pub mod text;
