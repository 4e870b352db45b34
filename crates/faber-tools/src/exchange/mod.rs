//! What other tools keep for their agents, in and out.
//!
//! Both ways lead over a [`Piece`]: reading makes one of a file of a tool or of a resolved context,
//! writing makes a file of it. So what one format can say and another cannot is seen in one place,
//! and what both can say comes back as it was.

pub mod export;
pub mod format;
pub mod gather;
pub mod import;
#[cfg(test)]
mod laws;
pub mod links;
pub mod managed;
pub mod mcp;
pub mod mention;
pub mod piece;
pub mod read;
pub mod target;
pub mod update;
pub mod write;

pub use piece::Piece;
