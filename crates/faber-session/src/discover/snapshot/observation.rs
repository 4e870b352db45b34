use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{FileType, Metadata};

use camino::Utf8Path;

use super::file_stat::FileStat;
use faber_core::config::Freshness;
use faber_core::file_text::{Digest, digest};
use faber_core::world::{Kind, MAX_FILE_BYTES};

/// Lower tags are [`Kind`]s.
const CONTENT: u8 = 4;
const LINKED: u8 = 5;
const LISTING: u8 = 6;

const KINDS: [Kind; 4] = [Kind::Missing, Kind::File, Kind::Folder, Kind::Other];

pub(crate) fn kind_of(kind: FileType) -> Kind {
    match kind {
        kind if kind.is_file() => Kind::File,
        kind if kind.is_dir() => Kind::Folder,
        _ => Kind::Other,
    }
}

pub(crate) fn kind_at(path: &Utf8Path) -> Kind {
    std::fs::metadata(path).map_or(Kind::Missing, |metadata| kind_of(metadata.file_type()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observation {
    Kind(Kind),
    Content { stat: FileStat, hash: Digest, linked: bool },
    Listing { stat: FileStat, hash: Digest },
}

impl Observation {
    pub(crate) const BYTES: usize = 1 + FileStat::BYTES + size_of::<Digest>();

    pub(crate) fn stat(&self) -> Option<&FileStat> {
        match self {
            Self::Kind(_) => None,
            Self::Content { stat, .. } | Self::Listing { stat, .. } => Some(stat),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Kind(kind) => *kind,
            Self::Content { .. } => Kind::File,
            Self::Listing { .. } => Kind::Folder,
        }
    }

    /// `None` if the content changed.
    pub(crate) fn revalidate(self, path: &Utf8Path, freshness: Freshness) -> Option<Self> {
        let (stat, old_hash, linked) = match self {
            Self::Kind(kind) => return (kind_at(path) == kind).then_some(self),
            Self::Content { stat, hash, linked } => (stat, hash, linked),
            Self::Listing { stat, hash } => (stat, hash, false),
        };
        let mut metadata = std::fs::symlink_metadata(path).ok()?;
        if linked && metadata.is_symlink() {
            metadata = std::fs::metadata(path).ok()?;
        }
        let now = FileStat::of(&metadata);
        if now == stat && freshness != Freshness::Verify {
            return Some(self);
        }
        let now = match self {
            Self::Content { .. } if metadata.is_file() && now.size <= MAX_FILE_BYTES => {
                Self::Content { stat: now, hash: digest(&std::fs::read(path).ok()?), linked }
            }
            Self::Listing { .. } => listing(path)?.0,
            _ => return None,
        };
        let (Self::Content { hash, .. } | Self::Listing { hash, .. }) = now else {
            return None;
        };
        (hash == old_hash).then_some(now)
    }

    pub(crate) fn write(self, row: &mut Vec<u8>) {
        let (tag, stat, hash) = match self {
            Self::Kind(kind) => (kind as u8, FileStat::default(), Digest::default()),
            Self::Content { stat, hash, linked: false } => (CONTENT, stat, hash),
            Self::Content { stat, hash, linked: true } => (LINKED, stat, hash),
            Self::Listing { stat, hash } => (LISTING, stat, hash),
        };
        row.push(tag);
        row.extend_from_slice(&stat.to_bytes());
        row.extend_from_slice(&hash);
    }

    pub(crate) fn read(row: &[u8]) -> Option<Self> {
        let (tag, rest) = row.split_first()?;
        let (stat, hash) = rest.split_first_chunk()?;
        let (stat, hash) = (FileStat::from_bytes(stat), hash.try_into().ok()?);
        Some(match *tag {
            CONTENT => Self::Content { stat, hash, linked: false },
            LINKED => Self::Content { stat, hash, linked: true },
            LISTING => Self::Listing { stat, hash },
            tag => Self::Kind(KINDS.into_iter().find(|kind| *kind as u8 == tag)?),
        })
    }
}

pub(crate) type FolderNames = BTreeSet<(OsString, Kind)>;

/// `None` with links: a listing does not cover their targets.
pub(crate) fn listing(path: &Utf8Path) -> Option<(Observation, FolderNames)> {
    let metadata = std::fs::symlink_metadata(path).ok().filter(Metadata::is_dir)?;
    let mut names = FolderNames::new();
    for entry in std::fs::read_dir(path).ok()? {
        let entry = entry.ok()?;
        let kind = kind_of(entry.file_type().ok().filter(|kind| !kind.is_symlink())?);
        names.insert((entry.file_name(), kind));
    }
    let mut hasher = blake3::Hasher::new();
    for (name, kind) in &names {
        hasher.update(name.as_encoded_bytes()).update(&[0, *kind as u8]);
    }
    let hash = hasher.finalize().as_bytes()[..16].try_into().ok()?;
    Some((Observation::Listing { stat: FileStat::of(&metadata), hash }, names))
}

pub(crate) fn is_plain(path: &Utf8Path) -> std::io::Result<bool> {
    path.canonicalize_utf8().map(|real| real == *path)
}
