//! One self-contained file of an explanation with its graph, or a graph alone. The script only
//! draws data.

mod data;
mod page;

pub(crate) use data::Page;
pub(crate) use page::page;
