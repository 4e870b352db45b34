//! Renders bundles as text, from blocks of lines with origins.

pub mod block;
pub mod body;
pub mod catalog;
pub mod style;
pub mod topics;
