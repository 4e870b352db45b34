//! An explanation with its graph, or a graph alone, in one self-contained file; the script only
//! draws data.

mod data;
mod digest;
mod page;

pub(crate) use data::Page;
pub(crate) use page::page;
