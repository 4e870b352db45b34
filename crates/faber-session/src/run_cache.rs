//! Results that stay valid while all inputs are unchanged.

use bytes::Bytes;
use camino::Utf8Path;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::discover::cache::{Cache, encode};
use crate::discover::snapshot::{Recorder, Revalidation, Snapshot};
use crate::settings::Settings;
use faber_core::config::Freshness;

const VERSION: u32 = 3;
const RUNS: &str = "runs";

pub struct RunCache<'a> {
    disk: &'a Cache,
    vars: &'a [(String, String)],
    name: String,
}

#[derive(Serialize)]
struct RunKey<'a, R> {
    version: u32,
    root: &'a Utf8Path,
    kind: &'a str,
    settings: &'a Settings,
    vars: Vec<&'a (String, String)>,
    request: &'a R,
}

#[derive(Serialize, Deserialize)]
struct CachedRun<T> {
    snapshots: Vec<String>,
    result: T,
    payload: usize,
}

pub struct Cached<T> {
    pub result: T,
    pub payload: Bytes,
    pub snapshot: Option<Snapshot<'static>>,
}

impl<'a> RunCache<'a> {
    /// `request` has all inputs besides settings, `FABER_` variables and files.
    pub fn new(
        disk: &'a Cache,
        root: &Utf8Path,
        settings: &'a Settings,
        kind: &str,
        request: &impl Serialize,
    ) -> Self {
        let vars = settings.vars.iter().filter(|(name, _)| name.starts_with("FABER_")).collect();
        let key = RunKey { version: VERSION, root, kind, settings, vars, request };
        let hash = blake3::hash(&encode(&key)).to_hex();
        Self { disk, vars: &settings.vars, name: format!("{RUNS}/{}", &hash[..32]) }
    }

    pub fn get<T: DeserializeOwned>(&self) -> Option<T> {
        self.get_by(|_| Freshness::Auto).map(|cached| cached.result)
    }

    pub fn get_by<T: DeserializeOwned>(
        &self,
        freshness: impl FnOnce(&T) -> Freshness,
    ) -> Option<Cached<T>> {
        let bytes = self.disk.map(&self.name)?;
        let cached: CachedRun<T> = rmp_serde::from_slice(&bytes).ok()?;
        let CachedRun { snapshots, result, payload } = cached;
        let payload = bytes.slice(bytes.len().checked_sub(payload)?..bytes.len());
        let freshness = freshness(&result);
        if freshness == Freshness::Trust {
            return Some(Cached { result, payload, snapshot: None });
        }
        let current = snapshots.iter().map(|name| self.current(name, freshness));
        let snapshot = current.collect::<Option<Vec<_>>>()?.pop();
        Some(Cached { result, payload, snapshot })
    }

    fn current(&self, name: &str, freshness: Freshness) -> Option<Snapshot<'static>> {
        let bytes = self.disk.map(&Snapshot::place(name))?;
        let then: Snapshot<'_> = rmp_serde::from_slice(&bytes).ok()?;
        match then.revalidate(self.vars, freshness) {
            Revalidation::Same => Some(then.into_owned()),
            Revalidation::Touched(now) => {
                now.write(self.disk);
                Some(now)
            }
            Revalidation::Changed => None,
        }
    }

    pub fn put<T: Serialize>(&self, recorder: &Recorder, result: &T) {
        let Some(snapshot) = recorder.stable_snapshot(self.vars) else {
            return self.put_with(None, result, &[]);
        };
        let mut snapshots = Vec::from_iter(recorder.kept_snapshot().map(str::to_owned));
        if !snapshot.is_empty() {
            snapshots.push(snapshot.write(self.disk));
        }
        if let (Some(files), Some(snapshot)) = (recorder.take_files_to_keep(), snapshots.last()) {
            files.write(self.disk, snapshot);
        }
        self.write(snapshots, result, &[]);
    }

    pub fn put_with<T: Serialize>(
        &self,
        snapshot: Option<&Snapshot<'_>>,
        result: &T,
        payload: &[u8],
    ) {
        match snapshot {
            Some(snapshot) => self.write(vec![snapshot.write(self.disk)], result, payload),
            // `Freshness::Trust` must not find it.
            None => self.disk.forget(&self.name),
        }
    }

    fn write<T: Serialize>(&self, snapshots: Vec<String>, result: &T, payload: &[u8]) {
        let entry = CachedRun { snapshots, result, payload: payload.len() };
        self.disk.write(&self.name, &[&encode(&entry), payload].concat());
        if self.name.ends_with('0') {
            self.disk.trim(RUNS);
            self.disk.trim(&Snapshot::place(""));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(settings: &Settings, request: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let home = Utf8Path::from_path(folder.path()).unwrap();
        let disk = Cache::open("/w".into(), home, "test").unwrap();
        RunCache::new(&disk, "/w".into(), settings, "assemble", &request).name
    }

    #[test]
    fn a_key_has_all_that_a_result_depends_on_and_nothing_else() {
        let var = |name: &str| (name.to_owned(), "1".to_owned());
        let first = Settings::default();
        let cache = Some("/c".into());
        let same = Settings { vars: vec![var("PATH")], cache, ..first.clone() };
        assert_eq!(name(&first, "a"), name(&same, "a"));
        let strict = Settings { strict: true, ..first.clone() };
        let with_var = Settings { vars: vec![var("FABER_ROLE")], ..first.clone() };
        let mut names = [&first, &strict, &with_var].map(|it| name(it, "a")).to_vec();
        names.push(name(&first, "b"));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 4);
    }
}
