//! Tells whether a run would have the same result.

pub(crate) mod file_stat;
pub(crate) mod observation;
mod recorder;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

use crate::discover::cache::{Cache, encode};
use faber_core::config::Freshness;
use faber_core::file_text::{Digest, digest};
use faber_core::world::Kind;
use file_stat::{COARSE_TICK, FileStat, since_1970};
use observation::{Observation, is_plain};

pub(crate) use recorder::ReadFile;
pub use recorder::Recorder;

/// Index of the folder, end of the name, observation.
const ROW: usize = 4 + 4 + Observation::BYTES;
const SNAPSHOTS: &str = "snapshots";
const AT_ONCE: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot<'a> {
    folders: Vec<String>,
    #[serde(borrow)]
    names: Cow<'a, str>,
    #[serde(borrow, serialize_with = "as_bytes")]
    rows: Cow<'a, [u8]>,
    plain: Vec<Utf8PathBuf>,
    variables: BTreeMap<String, Option<Digest>>,
    #[serde(skip, default = "yes")]
    is_complete: bool,
    #[serde(skip, default = "yes")]
    is_settled: bool,
    #[serde(skip)]
    began: Duration,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Revalidation {
    Same,
    Touched(Snapshot<'static>),
    Changed,
}

#[derive(Clone, Copy, Debug)]
struct Difference {
    row: usize,
    now: Option<Observation>,
}

fn as_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

fn yes() -> bool {
    true
}

fn value_of(name: &str, vars: &[(String, String)]) -> Option<Digest> {
    let (_, value) = vars.iter().find(|(key, _)| key == name)?;
    Some(digest(value.as_bytes()))
}

fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

impl Snapshot<'static> {
    fn new<'p>(
        observed: impl Iterator<Item = (&'p str, Observation)>,
        plain: Vec<Utf8PathBuf>,
        variables: BTreeMap<String, Option<Digest>>,
    ) -> Option<Self> {
        let mut observed: Vec<_> = observed.map(|(path, it)| (split(path), it)).collect();
        observed.sort_unstable_by_key(|(path, _)| *path);
        let mut folders: Vec<String> = Vec::new();
        let mut names = String::new();
        let mut rows = Vec::with_capacity(observed.len() * ROW);
        for ((folder, name), observation) in observed {
            if folders.last().is_none_or(|last| last != folder) {
                folders.push(folder.to_owned());
            }
            names.push_str(name);
            for number in [folders.len() - 1, names.len()] {
                rows.extend_from_slice(&u32::try_from(number).ok()?.to_le_bytes());
            }
            observation.write(&mut rows);
        }
        let (names, rows) = (names.into(), rows.into());
        let (is_complete, is_settled, began) = (true, true, Duration::ZERO);
        Some(Self { folders, names, rows, plain, variables, is_complete, is_settled, began })
    }

    /// Rereads files that changed just before they were observed.
    pub fn differences(&mut self) -> Vec<Utf8PathBuf> {
        let now = since_1970();
        let (is_settled, began) = (self.is_settled, self.began);
        let freshness = |observed: &Observation| match observed.stat() {
            Some(stat) if !is_settled && stat.racy_until() + COARSE_TICK >= began => {
                Freshness::Verify
            }
            _ => Freshness::Auto,
        };
        let differences = self.compare(freshness, |_| true).unwrap_or_default();
        let is_link = |path: &&Utf8PathBuf| is_plain(path).is_ok_and(|plain| !plain);
        let mut differing: Vec<_> = self.plain.iter().filter(is_link).cloned().collect();
        differing.extend(self.gone(&differences));
        if !differences.is_empty() {
            *self = self.with(&differences);
        }
        let settled = |stat: &FileStat| now.is_some_and(|now| stat.racy_until() < now);
        self.is_settled = differing.is_empty()
            && self.observations().all(|(_, it)| it.stat().is_none_or(settled));
        differing.sort();
        differing.dedup();
        differing
    }

    /// `None` if variables or links changed.
    pub(crate) fn changes(
        &mut self,
        vars: &[(String, String)],
    ) -> Option<(Vec<Utf8PathBuf>, bool)> {
        if !self.has_variables(vars) {
            return None;
        }
        let (plain, differences) = rayon::join(
            || self.is_plain(),
            || self.compare(|_| Freshness::Auto, |_| true).unwrap_or_default(),
        );
        if !plain {
            return None;
        }
        let gone: Vec<_> = self.gone(&differences).collect();
        let is_touched = differences.len() > gone.len();
        if is_touched {
            *self = self.with(&differences);
        }
        Some((gone, is_touched))
    }
}

impl Snapshot<'_> {
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Any later change alters a stat. If not, compare again within 150 ms.
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    pub(crate) fn name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (path, observation) in self.observations() {
            hasher.update(path.as_str().as_bytes());
            match observation {
                Observation::Kind(kind) => hasher.update(&[0, 0, kind as u8]),
                Observation::Content { hash, linked, .. } => {
                    hasher.update(&[0, 1, u8::from(linked)]).update(&hash)
                }
                Observation::Listing { hash, .. } => hasher.update(&[0, 2]).update(&hash),
            };
        }
        hasher.update(&encode(&(&self.plain, &self.variables)));
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// Reads files with equal stats only for [`Freshness::Verify`].
    pub fn revalidate(&self, vars: &[(String, String)], freshness: Freshness) -> Revalidation {
        if !self.has_variables(vars) {
            return Revalidation::Changed;
        }
        let is_same = |difference: &Difference| {
            let stat = difference.now.as_ref().map(Observation::stat);
            stat.is_some_and(|stat| stat.is_none_or(FileStat::is_settled))
        };
        let touched = || self.compare(|_| freshness, is_same);
        let (plain, touched) = rayon::join(|| self.is_plain(), touched);
        match touched.filter(|_| plain) {
            None => Revalidation::Changed,
            Some(touched) if touched.is_empty() => Revalidation::Same,
            Some(touched) => Revalidation::Touched(self.with(&touched)),
        }
    }

    pub fn differences_at(&self, paths: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let differs = |path: &&Utf8PathBuf| {
            let observed = self.find(path);
            observed.is_some_and(|it| it.revalidate(path, Freshness::Verify).is_none())
        };
        paths.iter().filter(differs).cloned().collect()
    }

    pub fn watched_folders(&self) -> Vec<Utf8PathBuf> {
        let folder = |(path, observed): (Utf8PathBuf, Observation)| match observed {
            Observation::Listing { .. } | Observation::Kind(Kind::Folder) => Some(path),
            _ => path.parent().map(Utf8Path::to_owned),
        };
        let mut folders: Vec<_> = self.observations().filter_map(folder).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    pub fn has_read(&self, path: &Utf8Path) -> bool {
        matches!(self.find(path), Some(Observation::Content { .. }))
    }

    pub(crate) fn place(name: &str) -> String {
        format!("{SNAPSHOTS}/{name}")
    }

    pub(crate) fn write(&self, disk: &Cache) -> String {
        let name = self.name();
        disk.write(&Self::place(&name), &encode(self));
        name
    }

    pub(crate) fn is_settled_now(&self) -> bool {
        self.observations().all(|(_, it)| it.stat().is_none_or(FileStat::is_settled))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.plain.is_empty() && self.variables.is_empty()
    }

    fn has_variables(&self, vars: &[(String, String)]) -> bool {
        self.variables.iter().all(|(name, digest)| value_of(name, vars) == *digest)
    }

    fn is_plain(&self) -> bool {
        self.plain.iter().all(|path| {
            let missing = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
            is_plain(path).unwrap_or_else(missing)
        })
    }

    fn compare(
        &self,
        freshness: impl Fn(&Observation) -> Freshness + Sync,
        accepted: impl Fn(&Difference) -> bool + Sync,
    ) -> Option<Vec<Difference>> {
        let compare = |path: &mut String, row: usize| {
            let Some(then) = self.row(row, path) else { return Some(None) };
            let now = then.revalidate(Utf8Path::new(path), freshness(&then));
            let difference = Difference { row, now };
            (now != Some(then)).then(|| accepted(&difference).then_some(difference))
        };
        let rows = (0..self.count()).into_par_iter().with_min_len(AT_ONCE);
        rows.map_init(String::new, compare).filter_map(|differs| differs).collect()
    }

    fn gone(&self, differences: &[Difference]) -> impl Iterator<Item = Utf8PathBuf> {
        let gone = differences.iter().filter(|difference| difference.now.is_none());
        gone.filter_map(|difference| self.path(difference.row))
    }

    fn with(&self, differences: &[Difference]) -> Snapshot<'static> {
        let mut snapshot = self.clone().into_owned();
        let rows = snapshot.rows.to_mut();
        let mut encoded = Vec::with_capacity(Observation::BYTES);
        for difference in differences {
            let Some(now) = difference.now else { continue };
            encoded.clear();
            now.write(&mut encoded);
            let row = difference.row * ROW;
            rows[row + 8..row + ROW].copy_from_slice(&encoded);
        }
        snapshot
    }

    pub(crate) fn into_owned(self) -> Snapshot<'static> {
        let Snapshot { folders, names, rows, plain, variables, is_complete, is_settled, began } =
            self;
        let (names, rows) = (names.into_owned().into(), rows.into_owned().into());
        Snapshot { folders, names, rows, plain, variables, is_complete, is_settled, began }
    }

    fn count(&self) -> usize {
        self.rows.len() / ROW
    }

    fn observations(&self) -> impl Iterator<Item = (Utf8PathBuf, Observation)> {
        (0..self.count()).filter_map(|row| {
            let mut path = String::new();
            let observed = self.row(row, &mut path)?;
            Some((Utf8PathBuf::from(path), observed))
        })
    }

    pub(crate) fn plain(&self) -> &[Utf8PathBuf] {
        &self.plain
    }

    pub(crate) fn find(&self, path: &Utf8Path) -> Option<Observation> {
        let wanted = split(path.as_str());
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.parts(middle)?.cmp(&wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.observation(middle),
            }
        }
        None
    }

    fn path(&self, row: usize) -> Option<Utf8PathBuf> {
        let mut path = String::new();
        self.row(row, &mut path)?;
        Some(path.into())
    }

    fn row(&self, row: usize, path: &mut String) -> Option<Observation> {
        let (folder, name) = self.parts(row)?;
        path.clear();
        path.push_str(folder);
        path.push_str(name);
        self.observation(row)
    }

    fn parts(&self, row: usize) -> Option<(&str, &str)> {
        let number = |at: usize| {
            let bytes = self.rows.get(at..at + 4)?.try_into().ok()?;
            usize::try_from(u32::from_le_bytes(bytes)).ok()
        };
        let start = row * ROW;
        let from = if row == 0 { 0 } else { number(start - ROW + 4)? };
        Some((self.folders.get(number(start)?)?, self.names.get(from..number(start + 4)?)?))
    }

    fn observation(&self, row: usize) -> Option<Observation> {
        Observation::read(self.rows.get(row * ROW + 8..(row + 1) * ROW)?)
    }
}
