//! Packs of a workspace: [`mount`] makes the files of those that are here a part of it, and fetches nothing; [`fetch`]
//! finds and fetches what `faber.lock` is to have; [`declare`] changes declarations in a configuration; [`home`] is the
//! workspace or user that has both.

mod chains;
pub mod declare;
pub mod fetch;
pub mod home;
pub mod mount;
mod skills;
