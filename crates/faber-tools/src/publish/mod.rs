//! Publishes contexts and roles as Agent Skills: `gather` selects, `render` makes files, [`layout`]
//! and [`mod@write`] place them.

pub(crate) mod archive;
pub mod check;
pub mod gather;
pub mod layout;
pub mod plugin;
pub mod render;
pub mod skill;
pub mod write;
