//! The input and output of a server, owned because threads use them.

use std::io::{Read, Write};

/// The input and output of a server, owned because threads use them.
pub struct Stdio {
    pub input: Box<dyn Read + Send>,
    pub output: Box<dyn Write + Send>,
    pub err: Box<dyn Write + Send>,
    /// The same, for messages while calls are answered.
    pub aside: Box<dyn Write + Send>,
}
