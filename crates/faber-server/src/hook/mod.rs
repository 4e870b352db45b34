//! Answers clients at events. [`client`] describes the clients.

pub mod answer;
pub mod client;
pub mod hook_file;
pub(crate) mod jsonc;
mod notes;
mod plugin_file;
pub mod read;
pub mod run;
pub mod transcript;
