//! Reads inputs that the user names.

use std::fs::Metadata;
use std::io::Read;

use camino::Utf8Path;

use crate::discover::files::{Files, unreadable_input};
use crate::discover::snapshot::{ReadFile, Recorder};
use crate::input_text::{DecodedText, decode_lossy};
use faber_core::error::{Error, reason};
use faber_core::file_text::digest;
use faber_core::world::{MAX_FILE_BYTES, Unreadable};

pub(super) fn input_bytes(path: &Utf8Path, recorder: &Recorder) -> Result<Vec<u8>, Unreadable> {
    let (bytes, metadata) = read_bytes(path, is_file_or_fifo, MAX_FILE_BYTES)?;
    if !metadata.is_file() {
        recorder.mark_uncacheable();
    } else if recorder.is_recording() {
        let read = ReadFile { bytes: bytes.len(), digest: digest(&bytes) };
        recorder.content(path, &metadata, path.is_symlink(), read);
    }
    Ok(bytes)
}

/// Errors have `path` as typed.
///
/// # Errors
///
/// If unreadable.
pub fn read_typed(cwd: &Utf8Path, path: &Utf8Path) -> Result<String, Error> {
    Files::new(cwd).read_input(path)
}

/// As [`read_typed`], but of any size, and invalid UTF-8 is replaced.
///
/// # Errors
///
/// If unreadable.
pub fn read_any(cwd: &Utf8Path, path: &Utf8Path) -> Result<DecodedText, Error> {
    let read = read_bytes(&cwd.join(path), is_file_or_fifo, u64::MAX);
    let text = read.and_then(|(bytes, _)| decode_lossy(&bytes).map_err(Unreadable::NotUtf8));
    text.map_err(|trouble| unreadable_input(path, &trouble))
}

fn is_file_or_fifo(found: &Metadata) -> bool {
    found.is_file() || is_fifo(found)
}

#[cfg(unix)]
fn is_fifo(found: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_fifo(_: &Metadata) -> bool {
    false
}

/// Pipes can be read only once.
pub fn is_pipe(path: &Utf8Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| is_fifo(&found))
}

pub(super) fn read_bytes(
    path: &Utf8Path,
    is_allowed: fn(&Metadata) -> bool,
    limit: u64,
) -> Result<(Vec<u8>, Metadata), Unreadable> {
    let fail = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Unreadable::Missing,
        _ => Unreadable::Io(reason(&error)),
    };
    let metadata = std::fs::metadata(path).map_err(fail)?;
    if metadata.is_dir() {
        return Err(Unreadable::Special("a directory"));
    }
    if !is_allowed(&metadata) {
        return Err(Unreadable::Special("a pipe, socket or device"));
    }
    if metadata.len() > limit {
        return Err(Unreadable::TooLarge(metadata.len()));
    }
    let file = std::fs::File::open(path).map_err(fail)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > limit {
        return Err(Unreadable::TooLarge(bytes.len() as u64));
    }
    Ok((bytes, metadata))
}
