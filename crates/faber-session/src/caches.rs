//! What is not computed twice while a process works with one workspace.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::cache::Cache;
use crate::discover::file_cache::FileCache;
use crate::settings::Settings;
use crate::workspace::analysis_cache::AnalysisCache;
use faber_core::select::relevance::Ranker;
use faber_core::tokens::TokenCache;

/// The file of token counts in the cache on disk.
const COUNTS: &str = "counts";
/// The file of the terms of contexts there.
const TERMS: &str = "terms";

/// The caches that all sessions of one workspace share. Results never depend on what they hold.
///
/// By default they are in memory only.
#[derive(Debug, Default)]
pub struct Caches {
    on_disk: Option<Place>,
    disk: OnceLock<Option<Cache>>,
    tokens: OnceLock<Arc<TokenCache>>,
    ranker: OnceLock<Arc<Ranker>>,
    /// Texts of files, for a process that stays.
    pub(crate) files: Option<Arc<FileCache>>,
    /// Results that follow from the text of a file, for a process that stays.
    pub(crate) analyses: Option<Arc<AnalysisCache>>,
    /// Answers of the user's summarizer in this process, by the name of their file.
    pub(crate) summaries: Mutex<BTreeMap<String, String>>,
}

/// Where the cache on disk is, and whose it is.
#[derive(Debug)]
struct Place {
    root: Utf8PathBuf,
    home: Utf8PathBuf,
    program: String,
}

impl Caches {
    /// The caches of the workspace at `root`, on disk too unless the settings have no cache folder.
    pub fn new(root: &Utf8Path, settings: &Settings) -> Self {
        let on_disk = settings.cache.as_ref().map(|home| Place {
            root: root.to_owned(),
            home: home.clone(),
            program: settings.program.clone(),
        });
        Self { on_disk, ..Self::default() }
    }

    /// Caches of a process that opens the workspace again and again and hears of changes, such as a
    /// language server: in memory only, and texts of files with what follows from them among them.
    pub fn resident() -> Self {
        Self { files: Some(Arc::default()), analyses: Some(Arc::default()), ..Self::default() }
    }

    /// Something on disk may have changed.
    pub fn invalidate(&self) {
        if let Some(files) = &self.files {
            files.invalidate();
        }
    }

    /// The cache on disk, opened when it is first asked for; none when there is to be none or can be
    /// none.
    pub fn disk(&self) -> Option<&Cache> {
        let open = || {
            let Place { root, home, program } = self.on_disk.as_ref()?;
            Cache::open(root, home, program)
        };
        self.disk.get_or_init(open).as_ref()
    }

    /// Token counts, read from disk when they are first asked for.
    pub fn tokens(&self) -> &Arc<TokenCache> {
        self.tokens.get_or_init(|| {
            let stored = self.disk().and_then(|disk| disk.read(COUNTS)).unwrap_or_default();
            Arc::new(TokenCache::from_bytes(stored))
        })
    }

    /// What scores contexts, with the terms of contexts that are on disk when it is first asked for.
    pub fn ranker(&self) -> &Arc<Ranker> {
        self.ranker.get_or_init(|| {
            let stored = self.disk().and_then(|disk| disk.read(TERMS)).unwrap_or_default();
            Arc::new(Ranker::from_bytes(stored))
        })
    }

    /// Writes token counts and terms of contexts to disk if some were added.
    pub fn save(&self) {
        let counts = self.tokens.get().and_then(|tokens| tokens.to_bytes());
        let terms = self.ranker.get().and_then(|ranker| ranker.to_bytes());
        for (name, added) in [(COUNTS, counts), (TERMS, terms)] {
            if let (Some(disk), Some(added)) = (self.disk(), added) {
                disk.write(name, &added);
            }
        }
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
            Counter::exact(Encoding::O200kBase, caches.tokens()).is_cached(text)
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
