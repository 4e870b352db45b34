//! Packs of a workspace. [`mount`] adds their files offline, [`fetch`] updates `faber.lock` and the
//! store, [`declare`] edits declarations, and [`home`] is the workspace or user that declares them.

mod chains;
pub mod declare;
pub mod fetch;
pub mod home;
pub mod mount;
mod skills;
