//! Renders bundles as text, from lines with origins.

pub mod block;
pub mod body;
pub mod catalog;
pub mod style;
pub mod topics;
