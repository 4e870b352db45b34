//! An open workspace: its files and configuration, what was seen of the disk and is kept of it, what
//! changes in it, and the log of calls. Files are read and written in [`discover`] alone.

pub mod archive;
pub mod audit;
pub mod discover;
pub mod job;
pub mod memo;
pub mod settings;
pub mod view;
pub mod workspace;
