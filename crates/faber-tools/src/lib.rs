//! Search, queries, notes, exchange, publishing, graphs and explanations.

pub mod exchange;
pub mod explain;
pub mod front_edit;
pub mod graph;
pub mod hook;
pub mod keywords;
pub mod label;
pub mod listed_folder;
pub mod memory;
pub mod publish;
pub mod query;
pub mod search;
pub mod tune;
