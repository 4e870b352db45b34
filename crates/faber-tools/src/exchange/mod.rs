//! Import and export, through an [`ExchangePiece`](piece::ExchangePiece).

mod alongside;
pub mod export;
pub mod gather;
mod language;
pub mod mcp;
pub mod private;
#[cfg(test)]
mod proptests;
pub mod record;
pub mod source;
pub mod target;
pub(crate) mod update;
pub mod write;

pub use faber_formats::{
    companion, data, format, found_source, front, import, links, managed, piece, read, settings,
    view,
};
