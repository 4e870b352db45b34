//! HTML pages: an explanation with its graph, or a graph alone.
//!
//! A page is one self-contained file; its script only draws data.

mod data;
mod digest;
mod page;

pub(crate) use data::Page;
pub(crate) use page::page;
