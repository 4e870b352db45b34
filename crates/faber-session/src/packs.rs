//! Packs: [`mount`] adds their files, [`fetch`] updates `faber.lock` and the store, [`declare`]
//! edits declarations, and [`home`] is where they are declared.

mod chains;
pub mod declare;
pub mod fetch;
pub mod home;
pub mod mount;
mod skills;
