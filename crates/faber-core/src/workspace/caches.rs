//! What is not computed twice while a process works with one workspace.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use jiff::civil::Date;

use crate::budget::extract_cache::ExtractCache;
use crate::parse::rules::PromptCache;
use crate::select::relevance::Ranker;
use crate::tokens::TokenCache;
use crate::workspace::analysis_cache::{Analyses, AnalysisCache};
use crate::yaml::{Node, YamlCache};

/// The name of token counts in a [`Store`].
const COUNTS: &str = "counts";
/// The name of the terms of contexts there.
const TERMS: &str = "terms";

/// The name of what YAML was read as there.
const YAML: &str = "yaml";

/// The name of extracts of contexts there.
const EXTRACTS: &str = "extracts";

/// The name of the rules of prompts there.
const PROMPTS: &str = "prompts";

/// A place for what caches hold that outlives the process.
pub trait Store: Debug + Send + Sync {
    /// What was put under a name.
    fn get(&self, name: &str) -> Option<Bytes>;
    /// Replaces what is under a name.
    fn put(&self, name: &str, bytes: &[u8]);
}

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
        self.tokens.get_or_init(|| Arc::new(TokenCache::from_bytes(self.stored(COUNTS))))
    }

    /// What scores contexts, with their terms.
    pub fn ranker(&self) -> &Arc<Ranker> {
        self.ranker.get_or_init(|| Arc::new(Ranker::from_bytes(self.stored(TERMS))))
    }

    /// What YAML was read as; none for a workspace that is opened once.
    pub(super) fn yaml(&self) -> Option<&YamlCache> {
        let make = || YamlCache::from_bytes(self.stored(YAML));
        self.is_opened_again().then(|| self.yaml.get_or_init(make))
    }

    /// The rules of prompts; none for a workspace that is opened once.
    pub fn prompts(&self) -> Option<&PromptCache> {
        let make = || PromptCache::from_bytes(self.stored(PROMPTS));
        self.is_opened_again().then(|| self.prompts.get_or_init(make))
    }

    fn is_opened_again(&self) -> bool {
        self.store.is_some() || self.analyses.is_some()
    }

    /// Extracts of contexts.
    pub fn extracts(&self) -> &ExtractCache {
        self.extracts.get_or_init(|| ExtractCache::from_bytes(self.stored(EXTRACTS)))
    }

    /// Results for a workspace that is opened with this configuration on this day.
    pub(super) fn analyses(&self, config: &Node, today: Date) -> Option<Analyses> {
        self.analyses.as_ref().map(|cache| cache.analyses(config, today))
    }

    fn stored(&self, name: &str) -> Bytes {
        self.store.as_ref().and_then(|store| store.get(name)).unwrap_or_default()
    }

    /// Stores what was added.
    pub fn save(&self) {
        let counts = self.tokens.get().and_then(|tokens| tokens.to_bytes());
        let terms = self.ranker.get().and_then(|ranker| ranker.to_bytes());
        let yaml = self.yaml.get().and_then(YamlCache::to_bytes);
        let extracts = self.extracts.get().and_then(ExtractCache::to_bytes);
        let prompts = self.prompts.get().and_then(PromptCache::to_bytes);
        let texts = [(YAML, yaml), (EXTRACTS, extracts), (PROMPTS, prompts)];
        let all = [(COUNTS, counts), (TERMS, terms)].into_iter().chain(texts);
        for (name, added) in all {
            if let (Some(store), Some(added)) = (&self.store, added) {
                store.put(name, &added);
            }
        }
    }
}
