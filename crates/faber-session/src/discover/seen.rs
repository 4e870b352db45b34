//! What can be seen at a path, and whether the same is still to be seen.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{FileType, Metadata};

use camino::Utf8Path;

use crate::discover::files::MAX_FILE_BYTES;
use crate::discover::stamp::Stamp;
use faber_core::config::Freshness;

/// The hash of a content or of a listing: the first half of BLAKE3.
pub(super) type Hash = [u8; 16];

/// What stands in a row instead of a [`Kind`] for a file, one that a link leads to, and a folder.
const CONTENT: u8 = 4;
/// See [`CONTENT`].
const LINKED: u8 = 5;
/// See [`CONTENT`].
const LISTING: u8 = 6;

/// All kinds.
const KINDS: [Kind; 4] = [Kind::Missing, Kind::File, Kind::Folder, Kind::Other];

/// What there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, a pipe, a device.
    Other,
}

impl Kind {
    /// That of a directory entry or of metadata.
    pub(super) fn of(kind: FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::Other,
        }
    }

    /// What there is at `path`, links followed.
    pub(super) fn at(path: &Utf8Path) -> Self {
        std::fs::metadata(path).map_or(Self::Missing, |metadata| Self::of(metadata.file_type()))
    }
}

/// What was seen at one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// What there is.
    Kind(Kind),
    /// A regular file, read; by a link, when it lies outside of the workspace.
    Content { stamp: Stamp, hash: Hash, linked: bool },
    /// A folder, listed.
    Listing { stamp: Stamp, hash: Hash },
}

impl Seen {
    /// How many bytes it takes.
    pub(super) const BYTES: usize = 1 + Stamp::BYTES + size_of::<Hash>();

    pub(super) fn stamp(&self) -> Option<&Stamp> {
        match self {
            Self::Kind(_) => None,
            Self::Content { stamp, .. } | Self::Listing { stamp, .. } => Some(stamp),
        }
    }

    /// The same with the stamp that it has now; none when it is no longer the same, or when its
    /// stamp says nothing yet.
    pub(super) fn again(self, path: &Utf8Path, freshness: Freshness) -> Option<Self> {
        let now = self.now(path, freshness)?;
        (now == self || now.stamp().is_none_or(Stamp::is_settled)).then_some(now)
    }

    /// The same with the stamp that it has now; none when it is no longer the same.
    pub(super) fn now(self, path: &Utf8Path, freshness: Freshness) -> Option<Self> {
        let (stamp, old_hash, linked) = match self {
            Self::Kind(kind) => return (Kind::at(path) == kind).then_some(self),
            Self::Content { stamp, hash, linked } => (stamp, hash, linked),
            Self::Listing { stamp, hash } => (stamp, hash, false),
        };
        let mut metadata = std::fs::symlink_metadata(path).ok()?;
        if linked && metadata.is_symlink() {
            metadata = std::fs::metadata(path).ok()?;
        }
        let now = Stamp::of(&metadata);
        if now == stamp && freshness != Freshness::Verify {
            return Some(self);
        }
        let now = match self {
            Self::Content { .. } if metadata.is_file() && now.size <= MAX_FILE_BYTES => {
                Self::Content { stamp: now, hash: hash(&std::fs::read(path).ok()?), linked }
            }
            Self::Listing { .. } => listing(path)?.0,
            _ => return None,
        };
        let (Self::Content { hash, .. } | Self::Listing { hash, .. }) = now else {
            return None;
        };
        (hash == old_hash).then_some(now)
    }

    /// Adds it to `row` as [`Self::BYTES`] bytes.
    pub(super) fn write(self, row: &mut Vec<u8>) {
        let (tag, stamp, hash) = match self {
            Self::Kind(kind) => (kind as u8, Stamp::default(), Hash::default()),
            Self::Content { stamp, hash, linked: false } => (CONTENT, stamp, hash),
            Self::Content { stamp, hash, linked: true } => (LINKED, stamp, hash),
            Self::Listing { stamp, hash } => (LISTING, stamp, hash),
        };
        row.push(tag);
        row.extend_from_slice(&stamp.bytes());
        row.extend_from_slice(&hash);
    }

    /// What [`Self::write`] has made `row` of; none when it was something else.
    pub(super) fn read(row: &[u8]) -> Option<Self> {
        let (tag, rest) = row.split_first()?;
        let (stamp, hash) = rest.split_first_chunk()?;
        let (stamp, hash) = (Stamp::from_bytes(stamp), hash.try_into().ok()?);
        Some(match *tag {
            CONTENT => Self::Content { stamp, hash, linked: false },
            LINKED => Self::Content { stamp, hash, linked: true },
            LISTING => Self::Listing { stamp, hash },
            tag => Self::Kind(KINDS.into_iter().find(|kind| *kind as u8 == tag)?),
        })
    }
}

/// What lies in a folder: names, and what there is under them.
pub(super) type Names = BTreeSet<(OsString, Kind)>;

/// The listing of a folder: names and kinds. None when it cannot be listed, or has links, whose
/// targets a listing does not show.
pub(super) fn listing(path: &Utf8Path) -> Option<(Seen, Names)> {
    let metadata = std::fs::symlink_metadata(path).ok().filter(Metadata::is_dir)?;
    let mut names = Names::new();
    for entry in std::fs::read_dir(path).ok()? {
        let entry = entry.ok()?;
        let kind = Kind::of(entry.file_type().ok().filter(|kind| !kind.is_symlink())?);
        names.insert((entry.file_name(), kind));
    }
    let mut hasher = blake3::Hasher::new();
    for (name, kind) in &names {
        hasher.update(name.as_encoded_bytes()).update(&[0, *kind as u8]);
    }
    Some((Seen::Listing { stamp: Stamp::of(&metadata), hash: half(&hasher.finalize()) }, names))
}

/// Whether no link leads to the folder at `path`.
pub(super) fn is_plain(path: &Utf8Path) -> std::io::Result<bool> {
    path.canonicalize_utf8().map(|real| real == *path)
}

pub(super) fn hash(bytes: &[u8]) -> Hash {
    half(&blake3::hash(bytes))
}

fn half(hash: &blake3::Hash) -> Hash {
    let (half, _) = hash.as_bytes().split_at(16);
    half.try_into().expect("a half has 16 bytes")
}
