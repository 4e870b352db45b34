//! Publishes contexts and roles as Agent Skills, for clients without faber.
//!
//! [`gather`](gather::gather) selects skills, [`render`](render::skills) makes their files,
//! [`layout`] arranges them, [`mod@write`] updates a folder.

pub(crate) mod archive;
pub mod check;
pub mod gather;
pub mod layout;
pub mod plugin;
pub mod render;
pub mod skill;
pub mod write;
