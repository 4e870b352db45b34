//! Everything that a run has seen, and whether a run now would see the same.
//!
//! It is kept as rows of one size, which are read in place and several at a time: with thousands of files,
//! to make values of them first takes longer than to look at the files.

use std::borrow::Cow;
use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

use crate::discover::seen::{self, Hash, Seen};
use faber_core::config::Freshness;

/// Bytes of a row: the number of the folder and where the name ends, and what was seen.
const ROW: usize = 4 + 4 + Seen::BYTES;
/// How many paths are looked at in one go.
const AT_ONCE: usize = 128;

/// Everything that a run has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sight<'a> {
    /// What paths begin with, up to and with the last slash.
    folders: Vec<String>,
    /// The rest of all paths, one behind the other.
    #[serde(borrow)]
    names: Cow<'a, str>,
    #[serde(borrow, serialize_with = "as_bytes")]
    rows: Cow<'a, [u8]>,
    /// Folders to which no link leads.
    plain: Vec<Utf8PathBuf>,
    variables: BTreeMap<String, Option<Hash>>,
}

/// How a sight compares with what there is now.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything is as it was.
    Same,
    /// Files were touched, and have the same content; the sight with their new stamps.
    Touched(Sight<'static>),
    /// Something is different.
    Changed,
}

/// A path whose stamp has changed and nothing else, by the number of its row.
type Touched = (usize, Seen);

fn as_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// The value of a variable as far as it matters whether it is still the same.
pub(super) fn value_of(name: &str, vars: &[(String, String)]) -> Option<Hash> {
    let (_, value) = vars.iter().find(|(key, _)| key == name)?;
    Some(seen::hash(value.as_bytes()))
}

impl Sight<'static> {
    /// What was seen at some paths, folders to which no link led, and variables as [`value_of`] has
    /// them. None when it is too much to be kept.
    pub(super) fn new<'p>(
        seen: impl Iterator<Item = (&'p str, Seen)>,
        plain: Vec<Utf8PathBuf>,
        variables: BTreeMap<String, Option<Hash>>,
    ) -> Option<Self> {
        let split = |path: &'p str| path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
        let mut seen: Vec<_> = seen.map(|(path, seen)| (split(path), seen)).collect();
        seen.sort_unstable_by_key(|(path, _)| *path);
        let mut folders: Vec<String> = Vec::new();
        let mut names = String::new();
        let mut rows = Vec::with_capacity(seen.len() * ROW);
        for ((folder, name), seen) in seen {
            if folders.last().is_none_or(|last| last != folder) {
                folders.push(folder.to_owned());
            }
            names.push_str(name);
            for number in [folders.len() - 1, names.len()] {
                rows.extend_from_slice(&u32::try_from(number).ok()?.to_le_bytes());
            }
            seen.write(&mut rows);
        }
        Some(Self { folders, names: names.into(), rows: rows.into(), plain, variables })
    }
}

impl Sight<'_> {
    /// The path in a row, put into `path`, and what was seen there. None when it is not as
    /// [`Self::new`] makes it.
    fn row(&self, at: usize, path: &mut String) -> Option<Seen> {
        let number = |at: usize| {
            let bytes = self.rows.get(at..at + 4)?.try_into().ok()?;
            usize::try_from(u32::from_le_bytes(bytes)).ok()
        };
        let start = at * ROW;
        let from = if at == 0 { 0 } else { number(start - ROW + 4)? };
        let name = self.names.get(from..number(start + 4)?)?;
        path.clear();
        path.push_str(self.folders.get(number(start)?)?);
        path.push_str(name);
        Seen::read(self.rows.get(start + 8..start + ROW)?)
    }

    fn count(&self) -> usize {
        self.rows.len() / ROW
    }

    /// A name that all sights of the same have, whatever their stamps.
    pub fn name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut path = String::new();
        for at in 0..self.count() {
            let Some(seen) = self.row(at, &mut path) else { continue };
            hasher.update(path.as_bytes());
            match seen {
                Seen::Kind(kind) => hasher.update(&[0, 0, kind as u8]),
                Seen::Content { hash, linked, .. } => {
                    hasher.update(&[0, 1, u8::from(linked)]).update(&hash)
                }
                Seen::Listing { hash, .. } => hasher.update(&[0, 2]).update(&hash),
            };
        }
        hasher.update(format!("{:?}{:?}", self.plain, self.variables).as_bytes());
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// Looks at everything again. What has its old stamp is read only to verify it.
    pub fn look_again(&self, vars: &[(String, String)], freshness: Freshness) -> Verdict {
        if self.variables.iter().any(|(name, seen)| value_of(name, vars) != *seen) {
            return Verdict::Changed;
        }
        let (plain, touched) = rayon::join(|| self.is_plain(), || self.touched(freshness));
        match touched.filter(|_| plain) {
            None => Verdict::Changed,
            Some(touched) if touched.is_empty() => Verdict::Same,
            Some(touched) => Verdict::Touched(self.with(&touched)),
        }
    }

    /// Whether still no link leads to any of the folders.
    fn is_plain(&self) -> bool {
        self.plain.iter().all(|path| {
            let missing = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
            seen::is_plain(path).unwrap_or_else(missing)
        })
    }

    /// The rows that have another stamp than before, when nothing else is different.
    fn touched(&self, freshness: Freshness) -> Option<Vec<Touched>> {
        let steps = 0..self.count().div_ceil(AT_ONCE);
        let look = |step: usize| {
            let mut path = String::new();
            let mut touched = Vec::new();
            for at in step * AT_ONCE..self.count().min((step + 1) * AT_ONCE) {
                let then = self.row(at, &mut path)?;
                let now = then.again(Utf8Path::new(&path), freshness)?;
                if now != then {
                    touched.push((at, now));
                }
            }
            Some(touched)
        };
        let touched: Option<Vec<Vec<Touched>>> = steps.into_par_iter().map(look).collect();
        Some(touched?.concat())
    }

    /// The same with other stamps.
    fn with(&self, touched: &[Touched]) -> Sight<'static> {
        let mut rows = self.rows.to_vec();
        let mut row = Vec::with_capacity(Seen::BYTES);
        for &(at, seen) in touched {
            row.clear();
            seen.write(&mut row);
            rows[at * ROW + 8..(at + 1) * ROW].copy_from_slice(&row);
        }
        Sight {
            folders: self.folders.clone(),
            names: self.names.clone().into_owned().into(),
            rows: rows.into(),
            plain: self.plain.clone(),
            variables: self.variables.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::seen::Kind;

    fn sight(seen: &[(&str, Seen)]) -> Sight<'static> {
        Sight::new(seen.iter().copied(), Vec::new(), BTreeMap::new()).unwrap()
    }

    #[test]
    fn rows_are_what_was_seen_by_folder() {
        let [missing, file] = [Kind::Missing, Kind::File].map(Seen::Kind);
        let sight = sight(&[("/a/é", file), ("x", missing), ("/a", missing), ("/a/b/c", file)]);
        let encoded = rmp_serde::to_vec(&sight).unwrap();
        let read: Sight<'_> = rmp_serde::from_slice(&encoded).unwrap();
        assert!(matches!((&read.names, &read.rows), (Cow::Borrowed(_), Cow::Borrowed(_))));
        let row = |at| {
            let mut path = String::new();
            let seen = read.row(at, &mut path);
            seen.map(|seen| (path, seen))
        };
        let expected = [("x", missing), ("/a", missing), ("/a/é", file), ("/a/b/c", file)];
        for (at, (path, seen)) in expected.into_iter().enumerate() {
            assert_eq!(row(at), Some((path.to_owned(), seen)));
        }
        assert_eq!(row(4), None);
        assert_eq!((read.count(), &read), (4, &sight));
    }

    #[test]
    fn names_go_by_everything_but_stamps() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let at = |seconds| {
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.as_file().set_modified(time).unwrap();
            let stamp = crate::discover::stamp::Stamp::of(&file.as_file().metadata().unwrap());
            Seen::Content { stamp, hash: [7; 16], linked: false }
        };
        let (old, new) = (at(1), at(2));
        let then = sight(&[("/a", old), ("/b", old)]);
        let touched = then.with(&[(1, new)]);
        assert_eq!(touched, sight(&[("/a", old), ("/b", new)]));
        assert_eq!(touched.row(1, &mut String::new()), Some(new));
        assert_eq!(touched.name(), then.name());
        assert_ne!(sight(&[("/a", old)]).name(), then.name());
    }
}
