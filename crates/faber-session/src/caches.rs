use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::cache::Cache;
use crate::discover::encoder::EncoderFile;
use crate::discover::file_cache::FileCache;
use crate::discover::repository::GitAnswers;
use crate::encoder::TextEncoder;
use crate::settings::Settings;
use faber_core::digest_map::BlobStore;
use faber_core::tokens::TokenCache;
use faber_core::workspace::caches::TextCaches;
use faber_encoder::InvalidFile;

#[derive(Debug, Default)]
pub struct Caches {
    disk: Option<Arc<Disk>>,
    pub(crate) core: Arc<TextCaches>,
    pub(crate) files: Option<Arc<FileCache>>,
    encoder: OnceLock<Result<Option<TextEncoder>, InvalidFile>>,
    data: Option<Utf8PathBuf>,
    pub git: Arc<GitAnswers>,
    pub(crate) summaries: Mutex<BTreeMap<String, String>>,
}

#[derive(Debug)]
struct Disk {
    root: Utf8PathBuf,
    home: Utf8PathBuf,
    program: String,
    cache: OnceLock<Option<Cache>>,
}

impl Disk {
    fn cache(&self) -> Option<&Cache> {
        let open = || Cache::open(&self.root, &self.home, &self.program);
        self.cache.get_or_init(open).as_ref()
    }
}

impl BlobStore for Disk {
    fn get(&self, name: &str) -> Option<Bytes> {
        self.cache()?.get(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        if let Some(cache) = self.cache() {
            cache.put(name, bytes);
        }
    }
}

impl Caches {
    pub fn new(root: &Utf8Path, settings: &Settings) -> Self {
        let data = settings.data.clone();
        let Some(home) = &settings.cache else { return Self { data, ..Self::default() } };
        let (root, home) = (root.to_owned(), home.clone());
        let program = settings.program.clone();
        let disk = Arc::new(Disk { root, home, program, cache: OnceLock::new() });
        let core = Arc::new(TextCaches::stored_in(disk.clone()));
        Self { disk: Some(disk), core, data, ..Self::default() }
    }

    pub fn resident() -> Self {
        let core = Arc::new(TextCaches::resident());
        Self { core, files: Some(Arc::default()), ..Self::default() }
    }

    /// Call after possible changes on disk.
    pub fn invalidate(&self) {
        if let Some(files) = &self.files {
            files.invalidate();
        }
    }

    pub fn disk(&self) -> Option<&Cache> {
        self.disk.as_ref()?.cache()
    }

    /// # Errors
    ///
    /// [`InvalidFile`] if damaged.
    pub fn encoder(&self) -> Result<Option<&TextEncoder>, InvalidFile> {
        let open = || {
            let Some(folder) = &self.data else { return Ok(None) };
            let store = || Some(self.disk.clone()? as Arc<dyn BlobStore>);
            let found = EncoderFile::new(folder).open()?;
            Ok(found.map(|encoder| TextEncoder::new(encoder, store())))
        };
        self.encoder.get_or_init(open).as_ref().map(Option::as_ref).map_err(|invalid| *invalid)
    }

    pub fn tokens(&self) -> &Arc<TokenCache> {
        self.core.tokens()
    }

    pub fn save(&self) {
        self.core.save();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::tokens::{Counter, Encoding};

    #[test]
    fn token_counts_outlive_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let settings = Settings { cache: Some(root.join("home")), ..Settings::default() };
        let knows = |caches: &Caches, text: &str| {
            Counter::exact(Encoding::O200kBase, caches.tokens()).count(text);
            caches.tokens().counts().added_count() == 0
        };
        let first = Caches::new(root, &settings);
        assert_eq!(Counter::exact(Encoding::O200kBase, first.tokens()).count("one two"), 2);
        first.save();
        let second = Caches::new(root, &settings);
        assert!(knows(&second, "one two") && !knows(&second, "three"));
        assert!(!knows(&Caches::default(), "one two"), "in memory only");
        let other = Settings { program: "another build".to_owned(), ..settings };
        assert!(!knows(&Caches::new(root, &other), "one two"), "sealed by another program");
    }
}
