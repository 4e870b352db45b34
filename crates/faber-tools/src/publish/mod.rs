//! Contexts and roles as Agent Skills, for clients that know nothing of faber.
//!
//! [`gather`](gather::gather) decides what becomes a skill, [`render`](render::skills) makes the files of each skill
//! and hashes them once. [`layout`] puts them where the published formats want them, [`mod@write`] brings a folder up to
//! date. The MCP server serves the same skills.

pub(crate) mod archive;
pub mod check;
pub mod gather;
pub mod layout;
pub mod plugin;
pub mod render;
pub mod skill;
pub mod write;
