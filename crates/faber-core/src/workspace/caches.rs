//! Caches of a workspace, shared by its sessions.

use std::sync::{Arc, OnceLock};

use jiff::civil::Date;

use crate::budget::extract_cache::ExtractCache;
use crate::digest_map::{BlobStore, DigestMap};
use crate::parse::rules::PromptCache;
use crate::select::relevance::Ranker;
use crate::tokens::TokenCache;
use crate::workspace::analysis_cache::{Analyses, AnalysisCache};
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

    /// `None` if the workspace is opened once.
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
