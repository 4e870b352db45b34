//! Bundles as text. Until the end a bundle is a list of blocks of lines with origins.

pub mod block;
pub mod body;
pub mod catalog;
pub mod style;
pub mod topics;
