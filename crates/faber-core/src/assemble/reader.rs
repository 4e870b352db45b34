//! What the reader already has, and how it gets more.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::category::Category;
use crate::context_id::ContextId;
use crate::resolve::catalog::{Context, ContextSet};
use crate::select::reason::ReasonKind;
use crate::select::selection::{Selected, Selection};
use crate::source::SourceMap;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum SelectionFilter {
    #[default]
    All,
    /// Without those that resemble the request without evidence.
    Evident,
    /// Evident ones with a reason in the request.
    ForRequest,
    ForFiles,
    /// Matching errors, and troubleshooting guides.
    ForError,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reader {
    /// Content hashes by id.
    pub contexts: BTreeMap<String, String>,
    pub texts: BTreeSet<String>,
    pub files: BTreeSet<String>,
    pub omitted: BTreeSet<String>,
    pub wanted: SelectionFilter,
}

impl SelectionFilter {
    fn accepts(self, selected: &Selected, selection: &Selection) -> bool {
        let is_evident = |kind| kind != ReasonKind::Semantic || selection.is_evident(&selected.id);
        let mut reasons = selected.reasons.iter().filter(|reason| is_evident(reason.kind));
        match self {
            Self::All => true,
            Self::Evident => reasons.next().is_some(),
            Self::ForRequest => {
                reasons.any(|reason| !reason.stable) || selection.is_asked_for(&selected.id)
            }
            Self::ForFiles => selected.has(ReasonKind::Files),
            Self::ForError => {
                let guides = selected.id.category == Category::Troubleshooting;
                let is_asked_for = || Self::ForRequest.accepts(selected, selection);
                selected.has(ReasonKind::Error) || guides && is_asked_for()
            }
        }
    }
}

fn are_all_in(paths: &BTreeSet<String>, context: &Context, sources: &SourceMap) -> bool {
    let has = |file| {
        paths.contains(sources.path(file).as_str())
            || paths.contains(sources.original_path(file).as_str())
    };
    !paths.is_empty()
        && !context.sources.is_empty()
        && context.sources.iter().all(|one| has(one.file))
}

impl Reader {
    pub fn has(&self, context: &Context, sources: &SourceMap) -> bool {
        self.loads(context, sources) || {
            let given = self.contexts.get(&context.id.to_string());
            given.is_some_and(|hash| *hash == context.content_hash(sources))
        }
    }

    pub fn loads(&self, context: &Context, sources: &SourceMap) -> bool {
        are_all_in(&self.files, context, sources)
            || !self.texts.is_empty() && self.texts.contains(&context.content_hash(sources))
    }

    fn has_older(&self, context: &Context, sources: &SourceMap) -> bool {
        let given = self.contexts.get(&context.id.to_string());
        given.is_some_and(|hash| *hash != context.content_hash(sources))
    }

    /// The reader has its source, another tool's instructions.
    pub fn omits(&self, context: &Context, sources: &SourceMap) -> bool {
        are_all_in(&self.omitted, context, sources)
    }

    pub(crate) fn omitted_of(
        &self,
        catalog: &ContextSet,
        sources: &SourceMap,
    ) -> BTreeSet<ContextId> {
        let omitted = catalog.contexts.values().filter(|it| self.omits(it, sources));
        omitted.map(|context| context.id.clone()).collect()
    }

    pub(crate) fn take_from(
        &self,
        selection: &mut Selection,
        catalog: &ContextSet,
        sources: &SourceMap,
    ) -> Vec<Selected> {
        if *self == Self::default() {
            return Vec::new();
        }
        let is_listed = matches!(self.wanted, SelectionFilter::All | SelectionFilter::Evident);
        let (mut kept, mut has) = (Vec::new(), Vec::new());
        for selected in std::mem::take(&mut selection.selected) {
            let context = &catalog.contexts[&selected.id];
            if self.omits(context, sources) {
                continue;
            }
            let is_update = || {
                self.wanted == SelectionFilter::ForRequest
                    && SelectionFilter::Evident.accepts(&selected, selection)
                    && self.has_older(context, sources)
            };
            if !self.wanted.accepts(&selected, selection) && !is_update() {
                selection.catalogued.extend(is_listed.then_some(selected.id));
                continue;
            }
            let is_there = self.has(context, sources);
            if is_there { has.push(selected) } else { kept.push(selected) }
        }
        selection.selected = kept;
        if is_listed {
            selection.catalogued.sort();
            let is_there = |id: &ContextId| {
                let context = &catalog.contexts[id];
                self.has(context, sources) || self.omits(context, sources)
            };
            selection.catalogued.retain(|id| !is_there(id));
            selection.suggested.retain(|(id, _)| !is_there(id));
        }
        has
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum FollowUp {
    #[default]
    Commands,
    Tools,
    Nothing,
}

impl FollowUp {
    pub fn catalog(self) -> &'static str {
        match self {
            Self::Commands => {
                "Available, not loaded. `faber search WORDS` searches all contexts and reference files, \
                 `faber expand ID` prints one."
            }
            Self::Tools => {
                "Available, not loaded. `search_context` searches all texts, `expand_context` returns one, \
                 `list_contexts` lists all."
            }
            Self::Nothing => "Not loaded.",
        }
    }

    pub fn list(self) -> Option<&'static str> {
        match self {
            Self::Commands => Some("`faber list contexts`"),
            Self::Tools | Self::Nothing => None,
        }
    }

    /// `form`: "a summary"; `all`: "all 20 lines".
    pub fn note(self, form: Option<&str>, id: &str, all: &str) -> String {
        let form = form.map(|form| format!(" to {form}")).unwrap_or_default();
        let shortened = format!("Shortened{form}");
        match self {
            Self::Commands => format!("[{shortened}; `faber show {id}` prints {all}.]"),
            Self::Tools => format!("[{shortened}; `expand_context` with `{id}` gives {all}.]"),
            Self::Nothing => {
                format!("[{shortened}; the full text of `{id}` is not available here.]")
            }
        }
    }
}

pub const BEST_PARTS: &str = "its best matching parts";

pub fn all_of(lines: usize) -> String {
    match lines {
        1 => "all of it".to_owned(),
        lines => format!("all {lines} lines"),
    }
}
