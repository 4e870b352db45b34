//! A file of another tool, before it is read.

use camino::Utf8PathBuf;
use faber_core::source::FileId;

use crate::format::Recognized;

#[derive(Clone, Debug)]
pub struct FoundSource {
    pub path: Utf8PathBuf,
    pub base: Utf8PathBuf,
    pub what: Recognized,
    pub file: FileId,
    pub others: Vec<Utf8PathBuf>,
    pub link_to: Option<Utf8PathBuf>,
}

impl FoundSource {
    pub fn in_base(&self) -> Utf8PathBuf {
        self.base.join(&self.path)
    }
}
