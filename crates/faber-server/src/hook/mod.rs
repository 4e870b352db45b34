//! Hooks: clients run faber at events of a conversation, and pass its answers to their models.
//! [`client`] describes the clients, [`read`] parses events, [`run`] answers them.

pub mod answer;
pub mod client;
pub mod hook_file;
pub(crate) mod jsonc;
mod notes;
mod plugin_file;
pub mod read;
pub mod run;
pub mod transcript;
