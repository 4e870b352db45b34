//! What a server is connected to.

use std::io::{Read, Write};

/// The ends of a server. They are read and written by threads of their own, so they are its own.
pub struct Ends {
    /// Where messages come from.
    pub input: Box<dyn Read + Send>,
    /// Where messages go.
    pub output: Box<dyn Write + Send>,
    /// Where everything else goes.
    pub err: Box<dyn Write + Send>,
    /// The same, for what is said while calls are answered.
    pub aside: Box<dyn Write + Send>,
}
