//! Hooks: clients run faber at events of a conversation, and add its answers to what their models see.
//!
//! [`client`] has one row for each client. [`read`] reads events and recognizes their clients, [`run`] answers
//! them through [`faber_tools::hook`], [`answer`] writes the answers. [`hook_file`] is about the files in
//! which clients name their hooks, [`transcript`] about past conversations.

pub mod answer;
pub mod client;
pub mod hook_file;
pub(crate) mod jsonc;
mod notes;
pub mod read;
pub mod run;
pub mod transcript;
