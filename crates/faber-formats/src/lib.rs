//! Reads files of other tools as contexts, without I/O: what `faber import` writes, and what packs of other forms
//! have.
//!
//! [`format`](mod@format) recognizes a file by its path, [`read`] makes [pieces](piece::ExchangePiece) of it, and [`import`]
//! decides the files of a workspace that follow from all of them. [`view`] is
//! the same for a folder that is used where it is.

pub mod data;
pub mod format;
pub mod front;
pub mod import;
pub mod links;
pub mod managed;
mod mention;
mod origins;
pub mod piece;
pub mod read;
pub mod select;
pub mod view;
