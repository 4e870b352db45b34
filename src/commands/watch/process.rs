//! Process state that a watch uses.

use std::sync::Mutex;

use faber_session::settings::Clocks;

#[derive(Clone, Copy, Debug)]
pub struct Process<'a> {
    pub clocks: Clocks,
    /// Locked while a file is written, so that signals do not interrupt it.
    pub writing: &'a Mutex<()>,
}
