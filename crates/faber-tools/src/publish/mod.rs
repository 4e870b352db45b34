//! Publishes contexts and roles as Agent Skills. Start at [`layout`].

pub(crate) mod archive;
pub mod check;
pub mod gather;
pub mod layout;
pub mod plugin;
pub mod render;
pub mod skill;
pub mod write;
