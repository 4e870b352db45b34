//! HTML pages: an explanation with its graph, or a graph alone.
//!
//! A page is one self-contained file. Its script draws the data formats and computes nothing twice.

mod data;
mod digest;
mod page;

pub(crate) use data::Page;
pub(crate) use page::page;
