use std::io::{Read, Write};

pub struct Stdio {
    pub input: Box<dyn Read + Send>,
    pub output: Box<dyn Write + Send>,
    pub err: Box<dyn Write + Send>,
    pub call_err: Box<dyn Write + Send>,
}
