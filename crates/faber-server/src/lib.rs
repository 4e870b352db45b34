//! Protocols: MCP and hooks for agents, LSP for editors.

pub mod hook;
pub mod lsp;
pub mod serve;
pub mod stdio;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The data is valid even if another thread panicked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
