//! Reads files of other tools as contexts, without I/O. [`read`] splits files into
//! [pieces](piece::ExchangePiece), [`import`] plans workspace files, [`view`] converts a folder in
//! memory.

pub mod companion;
pub mod data;
pub mod format;
pub mod found_source;
pub mod front;
pub mod import;
pub mod links;
pub mod managed;
pub mod mdx;
mod mention;
mod origins;
pub mod piece;
pub mod read;
pub mod select;
pub mod settings;
pub mod view;
