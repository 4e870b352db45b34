//! What is not computed twice while a process works with one workspace.

use std::sync::{Arc, OnceLock};

use jiff::civil::Date;

use crate::budget::extract_cache::ExtractCache;
use crate::digest_map::{DigestMap, Store};
use crate::parse::rules::PromptCache;
use crate::select::relevance::Ranker;
use crate::tokens::TokenCache;
use crate::workspace::analysis_cache::{Analyses, AnalysisCache};
use crate::yaml::{Node, YamlCache};

/// The name of token counts in a [`Store`].
const COUNTS: &str = "counts";
/// The name of token counts of parts of texts there.
const PARTS: &str = "parts";
/// The name of the terms of contexts there.
const TERMS: &str = "terms";

/// The name of what YAML was read as there.
const YAML: &str = "yaml";

/// The name of extracts of contexts there.
const EXTRACTS: &str = "extracts";

/// The name of texts without findings of security rules there.
const CLEAN: &str = "clean";

/// The name of the rules of prompts there.
const PROMPTS: &str = "prompts";

/// About the most bytes of what follows from contexts: the terms of a hundred thousand.
const MAX_BYTES: usize = 128 << 20;
/// About the most bytes of what has a few bytes for a text or line: more than most workspaces have lines.
const MAX_COUNTS: usize = 16 << 20;

/// The caches that all sessions of one workspace share. Results never depend on what they hold.
///
/// By default they are in memory only, and forget what follows from the texts of files.
#[derive(Debug, Default)]
pub struct TextCaches {
    store: Option<Arc<dyn Store>>,
    tokens: OnceLock<Arc<TokenCache>>,
    ranker: OnceLock<Arc<Ranker>>,
    yaml: OnceLock<YamlCache>,
    extracts: OnceLock<ExtractCache>,
    prompts: OnceLock<PromptCache>,
    clean: OnceLock<DigestMap>,
    analyses: Option<Arc<AnalysisCache>>,
}

impl TextCaches {
    /// Caches that read from a store when they are first needed.
    pub fn stored_in(store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..Self::default() }
    }

    /// Caches of a process that opens the workspace again and again: in memory only, with what follows
    /// from the texts of files.
    pub fn resident() -> Self {
        Self { analyses: Some(Arc::default()), ..Self::default() }
    }

    /// Token counts.
    pub fn tokens(&self) -> &Arc<TokenCache> {
        let make = || Arc::new(TokenCache::new(self.map(COUNTS), self.map(PARTS)));
        self.tokens.get_or_init(make)
    }

    /// What scores contexts, with their terms.
    pub fn ranker(&self) -> &Arc<Ranker> {
        self.ranker.get_or_init(|| Arc::new(Ranker::new(self.map(TERMS))))
    }

    /// What YAML was read as; none for a workspace that is opened once.
    pub(super) fn yaml(&self) -> Option<&YamlCache> {
        let make = || YamlCache::new(self.map(YAML));
        self.is_opened_again().then(|| self.yaml.get_or_init(make))
    }

    /// The rules of prompts; none for a workspace that is opened once.
    pub fn prompts(&self) -> Option<&PromptCache> {
        let make = || PromptCache::new(self.map(PROMPTS));
        self.is_opened_again().then(|| self.prompts.get_or_init(make))
    }

    fn is_opened_again(&self) -> bool {
        self.store.is_some() || self.analyses.is_some()
    }

    /// Extracts of contexts.
    pub fn extracts(&self) -> &ExtractCache {
        self.extracts.get_or_init(|| ExtractCache::new(self.map(EXTRACTS)))
    }

    /// The digests of texts in which security rules find nothing.
    pub(super) fn clean(&self) -> &DigestMap {
        self.clean.get_or_init(|| self.map(CLEAN))
    }

    /// Results for a workspace that is opened with this configuration on this day.
    pub(super) fn analyses(&self, config: &Node, today: Date) -> Option<Analyses> {
        self.analyses.as_ref().map(|cache| cache.analyses(config, today))
    }

    fn map(&self, name: &str) -> DigestMap {
        self.store.as_ref().map(|store| DigestMap::open(&**store, name)).unwrap_or_default()
    }

    /// Stores what was added.
    pub fn save(&self) {
        let Some(store) = &self.store else { return };
        let tokens = self.tokens.get();
        let maps = [
            (COUNTS, MAX_COUNTS, tokens.map(|tokens| tokens.counts())),
            (PARTS, MAX_COUNTS, tokens.map(|tokens| tokens.parts())),
            (TERMS, MAX_BYTES, self.ranker.get().map(|ranker| ranker.map())),
            (YAML, MAX_BYTES, self.yaml.get().map(YamlCache::map)),
            (EXTRACTS, MAX_BYTES, self.extracts.get().map(ExtractCache::map)),
            (CLEAN, MAX_COUNTS, self.clean.get()),
            (PROMPTS, MAX_BYTES, self.prompts.get().map(PromptCache::map)),
        ];
        for (name, most, map) in maps {
            if let Some(map) = map {
                map.save(&**store, name, most);
            }
        }
    }
}
