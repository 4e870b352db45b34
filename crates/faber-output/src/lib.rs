//! What people and CI systems are shown: findings and failures, tables, and the streams they go to.

pub mod emit;
pub mod streams;
pub mod table;
