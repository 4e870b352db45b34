//! What people and CI systems are shown: findings and failures, assemblies as data and as a
//! report, tables, and the streams that all of it goes to.

pub mod emit;
pub mod json;
pub mod report;
pub mod streams;
pub mod table;
