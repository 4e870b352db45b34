//! Process state that a watch uses.

use std::sync::Mutex;

use faber_session::settings::Clocks;

#[derive(Clone, Copy, Debug)]
pub struct Process<'a> {
    pub clocks: Clocks,
    /// Nothing reads standard output any more.
    pub is_reader_gone: fn() -> bool,
    /// Locked during writes, so that signals do not interrupt them.
    pub writing: &'a Mutex<()>,
}
