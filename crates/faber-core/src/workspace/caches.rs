//! Caches of texts and analyses, shared by the sessions of a workspace.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use camino::Utf8Path;
use jiff::civil::Date;

use crate::budget::extract_cache::ExtractCache;
use crate::digest_map::{BlobStore, DigestMap};
use crate::file_text::FileText;
use crate::parse::rules::PromptCache;
use crate::select::relevance::Ranker;
use crate::source::{FileId, SourceMap};
use crate::tokens::TokenCache;
use crate::yaml::{Node, YamlCache};

const COUNTS: &str = "counts";
const PARTS: &str = "parts";
const TERMS: &str = "terms";
const YAML: &str = "yaml";
const EXTRACTS: &str = "extracts";
const CLEAN: &str = "clean";
const PROMPTS: &str = "prompts";

/// About 100 000 contexts.
const MAX_BYTES: usize = 128 << 20;
const MAX_COUNTS: usize = 16 << 20;

/// Results never depend on them.
#[derive(Debug, Default)]
pub struct TextCaches {
    store: Option<Arc<dyn BlobStore>>,
    tokens: OnceLock<Arc<TokenCache>>,
    ranker: OnceLock<Arc<Ranker>>,
    yaml: OnceLock<YamlCache>,
    extracts: OnceLock<ExtractCache>,
    prompts: OnceLock<PromptCache>,
    clean: OnceLock<DigestMap>,
    analyses: Option<Arc<AnalysisCache>>,
}

impl TextCaches {
    pub fn stored_in(store: Arc<dyn BlobStore>) -> Self {
        Self { store: Some(store), ..Self::default() }
    }

    /// For processes that open the workspace repeatedly.
    pub fn resident() -> Self {
        Self { analyses: Some(Arc::default()), ..Self::default() }
    }

    pub fn tokens(&self) -> &Arc<TokenCache> {
        let make = || TokenCache { counts: self.map(COUNTS), parts: self.map(PARTS) };
        self.tokens.get_or_init(|| Arc::new(make()))
    }

    pub fn ranker(&self) -> &Arc<Ranker> {
        self.ranker.get_or_init(|| Arc::new(Ranker::new(self.map(TERMS))))
    }

    pub(super) fn yaml(&self) -> Option<&YamlCache> {
        let make = || YamlCache(self.map(YAML));
        self.is_long_lived().then(|| self.yaml.get_or_init(make))
    }

    pub fn prompts(&self) -> Option<&PromptCache> {
        let make = || PromptCache(self.map(PROMPTS));
        self.is_long_lived().then(|| self.prompts.get_or_init(make))
    }

    fn is_long_lived(&self) -> bool {
        self.store.is_some() || self.analyses.is_some()
    }

    pub fn extracts(&self) -> &ExtractCache {
        self.extracts.get_or_init(|| ExtractCache(self.map(EXTRACTS)))
    }

    pub(super) fn clean(&self) -> &DigestMap {
        self.clean.get_or_init(|| self.map(CLEAN))
    }

    pub(super) fn analyses(&self, config: &Node, today: Date) -> Option<Analyses> {
        self.analyses.as_ref().map(|cache| cache.analyses(config, today))
    }

    fn map(&self, name: &str) -> DigestMap {
        self.store.as_ref().map(|store| DigestMap::open(&**store, name)).unwrap_or_default()
    }

    pub fn save(&self) {
        let Some(store) = &self.store else { return };
        let tokens = self.tokens.get();
        let maps = [
            (COUNTS, MAX_COUNTS, tokens.map(|tokens| &tokens.counts)),
            (PARTS, MAX_COUNTS, tokens.map(|tokens| &tokens.parts)),
            (TERMS, MAX_BYTES, self.ranker.get().map(|ranker| ranker.map())),
            (YAML, MAX_BYTES, self.yaml.get().map(|it| &it.0)),
            (EXTRACTS, MAX_BYTES, self.extracts.get().map(|it| &it.0)),
            (CLEAN, MAX_COUNTS, self.clean.get()),
            (PROMPTS, MAX_BYTES, self.prompts.get().map(|it| &it.0)),
        ];
        for (name, most, map) in maps {
            if let Some(map) = map {
                map.save(&**store, name, most);
            }
        }
    }
}

#[derive(Debug, Default)]
pub struct AnalysisCache {
    latest: Mutex<Option<Arc<Basis>>>,
}

#[derive(Debug)]
struct Basis {
    config: Node,
    today: Date,
    files: Mutex<HashMap<FileId, Arc<FileAnalyses>>>,
}

#[derive(Debug)]
struct FileAnalyses {
    path: Arc<Utf8Path>,
    text: FileText,
    results: Mutex<HashMap<&'static str, Arc<dyn Any + Send + Sync>>>,
}

#[derive(Debug)]
pub struct Analyses {
    basis: Arc<Basis>,
    current: Mutex<HashMap<FileId, Arc<FileAnalyses>>>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AnalysisCache {
    pub(crate) fn analyses(&self, config: &Node, today: Date) -> Analyses {
        let mut latest = lock(&self.latest);
        let known = latest.take().filter(|it| it.config == *config && it.today == today);
        let new = || Arc::new(Basis { config: config.clone(), today, files: Mutex::default() });
        let basis = Arc::clone(latest.insert(known.unwrap_or_else(new)));
        Analyses { basis, current: Mutex::default() }
    }
}

impl Analyses {
    /// `compute` depends only on the file and `what`.
    pub(crate) fn get_or_compute<T: Send + Sync + 'static>(
        &self,
        sources: &SourceMap,
        file: FileId,
        what: &'static str,
        compute: impl FnOnce() -> T,
    ) -> Arc<T> {
        let row = self.row(sources, file);
        let known = lock(&row.results).get(what).cloned();
        if let Some(known) = known.and_then(|known| known.downcast::<T>().ok()) {
            return known;
        }
        let new = Arc::new(compute());
        lock(&row.results).insert(what, Arc::clone(&new) as Arc<dyn Any + Send + Sync>);
        new
    }

    fn row(&self, sources: &SourceMap, file: FileId) -> Arc<FileAnalyses> {
        if let Some(row) = lock(&self.current).get(&file) {
            return Arc::clone(row);
        }
        let source = sources.get(file);
        let known = lock(&self.basis.files).get(&file).cloned();
        let is_it = |row: &Arc<FileAnalyses>| {
            row.path.as_str() == source.path.as_str() && row.text == source.text
        };
        let row = known.filter(is_it).unwrap_or_else(|| {
            let (path, text) = (Arc::clone(&source.path), source.text.clone());
            let row = Arc::new(FileAnalyses { path, text, results: Mutex::default() });
            lock(&self.basis.files).insert(file, Arc::clone(&row));
            row
        });
        lock(&self.current).insert(file, Arc::clone(&row));
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_hold_for_the_same_text_under_the_same_number() {
        let cache = AnalysisCache::default();
        let day = Date::constant(2026, 1, 1);
        let config = crate::config::defaults(&mut SourceMap::default(), None);
        let ask = |texts: &[(&str, &str)], at: usize, made: u8, day: Date| {
            let mut sources = SourceMap::default();
            let add = |&(path, text): &(&str, &str)| sources.add(path.into(), text.to_owned());
            let files: Vec<FileId> = texts.iter().map(add).collect();
            *cache.analyses(&config, day).get_or_compute(&sources, files[at], "a", || made)
        };
        let two = [("a.md", "x"), ("b.md", "y")];
        assert_eq!((ask(&two, 1, 1, day), ask(&two, 1, 2, day)), (1, 1));
        assert_eq!(ask(&[("a.md", "x"), ("b.md", "z")], 1, 3, day), 3, "another text");
        assert_eq!(ask(&[("b.md", "z"), ("b.md", "x")], 1, 4, day), 4, "another number before");
        let last = [("a.md", "x"), ("c.md", "x")];
        assert_eq!(ask(&last, 1, 5, day), 5, "another path");
        assert_eq!(ask(&last, 1, 6, day.tomorrow().unwrap()), 6, "another day");
    }

    #[test]
    fn sessions_of_different_dates_share_no_results() {
        let cache = AnalysisCache::default();
        let config = crate::config::defaults(&mut SourceMap::default(), None);
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), "x".to_owned());
        let [first, second] = [1, 2].map(|day| {
            let today = Date::constant(2026, 1, day);
            (cache.analyses(&config, today), today)
        });
        let ask = |of: &Analyses, made: u8| *of.get_or_compute(&sources, file, "a", || made);
        assert_eq!(ask(&first.0, 1), 1);
        assert_eq!(ask(&second.0, 2), 2, "a result of the first date");
        assert_eq!(ask(&cache.analyses(&config, second.1), 3), 2);
        assert_eq!(ask(&first.0, 4), 1);
        assert_eq!(ask(&cache.analyses(&config, first.1), 5), 5);
        assert_eq!(ask(&second.0, 6), 2);
    }
}
