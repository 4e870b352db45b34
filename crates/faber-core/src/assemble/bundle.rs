//! The composed bundle.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::assemble::figures::Figures;
use crate::assemble::history_block::KeptHistory;
use crate::assemble::needs::McpNeed;
use crate::assemble::packing_trace::PackingTrace;
use crate::budget::level::{Level, Section};
use crate::context_id::ContextId;
use crate::error::Error;
use crate::render::block::{BundleBlock, bundle_text};
use crate::render::body::{self, BodyContents, Vendor};
use crate::render::catalog::CatalogEntry;
use crate::resolve::catalog::Excluded;
use crate::select::reason::Reason;

#[derive(Debug)]
pub struct Bundle {
    pub blocks: Vec<BundleBlock>,
    pub loaded: Vec<Loaded>,
    pub catalogued: Vec<Catalogued>,
    pub excluded: Vec<Excluded>,
    pub needs: Vec<McpNeed>,
    pub figures: Figures,
    pub relevance: BTreeMap<ContextId, f64>,
    pub traces: Vec<PackingTrace>,
    pub stable_blocks: usize,
    pub history: Vec<KeptHistory>,
    pub note: Option<String>,
    /// Indexes of messages.
    pub archivable: Vec<usize>,
    /// Text that `budget.summarizer` could summarize.
    pub older: Option<String>,
    pub answer: u64,
}

impl Bundle {
    pub fn text(&self) -> String {
        bundle_text(&self.blocks)
    }

    /// # Errors
    ///
    /// See [`body::body`].
    pub fn request_body(&self, vendor: Vendor) -> Result<Value, Error> {
        let history = self.figures.history.as_ref();
        let contents = BodyContents {
            model: self.figures.model.as_deref(),
            answer: self.answer,
            blocks: &self.blocks,
            stable_blocks: self.stable_blocks,
            note: self.note.as_deref(),
            summary: history.and_then(|history| history.summary.as_deref()),
            turns: self.history.iter().map(|kept| kept.turn.clone()).collect(),
        };
        body::body(contents, vendor)
    }
}

#[derive(Clone, Debug)]
pub struct Loaded {
    pub id: ContextId,
    pub reasons: Vec<Reason>,
    pub level: Level,
    pub section: Section,
    pub tokens: usize,
    pub full_tokens: usize,
    pub priority: i64,
    pub block: usize,
}

#[derive(Clone, Debug)]
pub struct Catalogued {
    pub entry: CatalogEntry,
    pub reasons: Vec<Reason>,
    pub crowded_out: bool,
    pub named: bool,
}
