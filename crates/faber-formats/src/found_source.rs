//! A file of another tool, before it is read.

use camino::Utf8PathBuf;
use faber_core::source::FileId;

use crate::format::Recognized;

#[derive(Clone, Debug)]
pub struct FoundSource {
    /// Relative to [`Self::base`].
    pub path: Utf8PathBuf,
    /// Absolute.
    pub base: Utf8PathBuf,
    pub what: Recognized,
    pub file: FileId,
    /// Other files of a skill, relative to [`Self::base`].
    pub others: Vec<Utf8PathBuf>,
    /// Target of a link, relative to [`Self::base`].
    pub link_to: Option<Utf8PathBuf>,
}
