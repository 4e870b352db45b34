use std::io::{Read, Write};

/// Owned, since threads use them.
pub struct Stdio {
    pub input: Box<dyn Read + Send>,
    pub output: Box<dyn Write + Send>,
    pub err: Box<dyn Write + Send>,
    pub call_err: Box<dyn Write + Send>,
}
