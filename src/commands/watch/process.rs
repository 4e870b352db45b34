//! What a watch has of the process that it runs in.

use std::sync::Mutex;

use faber_session::settings::Clocks;

#[derive(Clone, Copy, Debug)]
pub struct Process<'a> {
    pub clocks: Clocks,
    /// Locked while a file is written, so that a signal does not interrupt it.
    pub writing: &'a Mutex<()>,
}
