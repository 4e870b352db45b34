//! Tools on a workspace: search, context queries, notes, exchange with other tools, graphs, and
//! explanations of a bundle.

pub mod exchange;
pub mod explain;
pub mod front_edit;
pub mod graph;
pub mod hook;
pub mod keywords;
pub mod label;
pub mod memory;
pub mod publish;
pub mod query;
pub mod search;
pub mod tune;
