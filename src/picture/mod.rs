//! Pages to look at in a browser: an explanation with its graph, or a graph alone.
//!
//! A page is one file that needs nothing else. It decides nothing either: its script draws what the
//! data formats say, so nothing is computed in a second way.

mod data;
mod digest;
mod page;

pub use data::{Page, PageGraph, PageLines};
pub use page::page;
