//! All access to files and programs.
#![expect(clippy::disallowed_methods, reason = "this is the window")]

pub(crate) mod archive;
pub mod atomic;
pub mod audit;
pub mod cache;
pub mod clipboard;
pub mod encoder;
pub mod file_cache;
pub mod files;
pub mod foreign;
pub mod generation;
pub mod git;
pub mod hook_store;
pub(crate) mod http;
pub mod input;
pub(crate) mod kept;
mod listing;
mod lock;
mod mapped;
pub mod mount;
pub mod notes;
pub mod pack_prune;
pub mod pack_store;
mod program;
pub(crate) mod reachable;
pub mod repository;
pub mod root;
pub mod snapshot;
pub mod summarizer;
pub mod trust;
pub mod watcher;

use std::io::{self, ErrorKind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::Utf8Path;

use faber_core::error::Error;

pub(crate) fn failed<'p>(
    action: &'static str,
    path: &'p Utf8Path,
) -> impl Fn(io::Error) -> Error + Copy + 'p {
    move |source| Error::Io { action, path: path.to_owned(), source }
}

/// The data is valid even if another thread panicked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove_file(path: &Utf8Path) -> Result<bool, Error> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true).map_err(failed("remove", path)),
    }
}

fn create_state_folder(folder: &Utf8Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    cache::write_markers(folder, &[(".gitignore", "*\n")])
}
