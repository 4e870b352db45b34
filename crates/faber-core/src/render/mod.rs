//! Bundles as text. Until the very end a bundle is a list of blocks, each of lines with an origin.

pub mod block;
pub mod body;
pub mod catalog;
pub mod style;
pub mod topics;
