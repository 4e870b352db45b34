//! The process, as a watch needs it.

use std::sync::Mutex;

use faber_session::settings::Clocks;

#[derive(Clone, Copy, Debug)]
pub struct Process<'a> {
    pub clocks: Clocks,
    pub is_reader_gone: fn() -> bool,
    /// Locked while writing, so that signals do not interrupt it.
    pub writing: &'a Mutex<()>,
}
