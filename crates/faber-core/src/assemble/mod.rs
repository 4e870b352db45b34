//! From a workspace and a request to a bundle.

pub mod builder;
pub mod bundle;
pub mod compose;
pub mod counter;
mod degradation;
mod directives;
pub mod figures;
mod history;
pub mod insecure;
mod item;
mod job;
pub mod listing;
mod material;
pub mod needs;
pub mod offers;
mod packing;
mod preselect;
#[cfg(test)]
mod proptests;
pub mod reader;
pub(crate) mod renderings;
mod resolved;
mod share;
pub(crate) mod shortfall;
#[cfg(test)]
mod strategies;
pub(crate) mod summaries;
mod token_boundary;

use std::collections::BTreeSet;

use crate::category::Category;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::resolve::catalog::{self, Context, ContextSet};
use crate::role::{Lineage, Role};
use crate::rules::missing_platform_context;
use crate::select::relevance::Passages;
use crate::select::selection::Selected;
use crate::source::{FileId, SourceMap, Span};
use crate::suggest;
use crate::workspace::caches::TextCaches;

use bundle::Bundle;
use shortfall::Shortfall;

pub use job::{Advice, BundlePart, BundleParts, Input, InstructionKind, Job};
pub use listing::RequestTriggers;
pub use resolved::{
    Declared, InstructionFile, Pack, PromptDeclarations, Read, ResolvedPack, SelectInputs,
};

#[derive(Debug)]
pub struct Assembly {
    pub role: String,
    pub pack: Pack,
    pub catalog: ContextSet,
    pub bundle: Bundle,
    pub job: Job,
    pub declared: PromptDeclarations,
    pub shortfall: Option<Shortfall>,
    pub known: Vec<Selected>,
    pub passages: Passages,
    /// Notes on pins and budgets without effect.
    pub unmet: Vec<String>,
}

impl Assembly {
    pub fn files(&self) -> BTreeSet<FileId> {
        files_of(&self.bundle, &self.catalog)
    }

    /// Up to `bytes`, by number; a gap is one `[…]`.
    pub fn matching_lines(
        &self,
        context: &Context,
        bytes: usize,
        sources: &SourceMap,
        caches: &TextCaches,
    ) -> Vec<(usize, String)> {
        let text = context.body.text(sources);
        let focus = caches.extracts().focus(&context.body, &text, &self.passages, sources);
        let excerpt = focus.and_then(|focus| focus.excerpt(bytes));
        let lines = excerpt.map(|(excerpt, _)| excerpt.lines).unwrap_or_default();
        lines.into_iter().map(|line| (line.from, line.text)).collect()
    }
}

pub(crate) fn files_of(bundle: &Bundle, catalog: &ContextSet) -> BTreeSet<FileId> {
    let lines = bundle.blocks.iter().flat_map(|block| &block.lines);
    let origins = lines.filter_map(|line| Some(line.origin?.file));
    let contexts = bundle.loaded.iter().map(|loaded| &catalog.contexts[&loaded.id]);
    let sources = contexts.flat_map(|context| context.sources.iter().map(|source| source.file));
    origins.chain(sources).collect()
}

pub(crate) fn check_platform<'a>(
    pack: &'a Pack,
    catalog: &'a ContextSet,
    others: impl IntoIterator<Item = &'a str>,
) -> Result<(), Error> {
    let Some(platform) = &pack.platform else { return Ok(()) };
    let agent = pack.lineage.iter().filter_map(|lineage| lineage.role().agent.as_ref());
    let declared = agent.flat_map(|agent| &agent.platforms).map(|platform| &*platform.value);
    let described = catalog.contexts.values().filter_map(|context| context.platform.as_deref());
    let known: BTreeSet<&str> = declared.chain(described).chain(others).collect();
    if known.contains(&platform.name.as_str()) {
        return Ok(());
    }
    Err(Error::unknown("platform", &platform.name, known))
}

pub(crate) fn platform_without_context(
    pack: &Pack,
    lineage: &Lineage,
    catalog: &ContextSet,
) -> Option<Diagnostic> {
    let platform = pack.platform.as_ref()?;
    let is_it = |context: &catalog::Context| {
        context.id.category == Category::Platform
            && context.platform.as_ref() == Some(&platform.name)
    };
    if catalog.contexts.values().any(is_it) {
        return None;
    }
    let role = lineage.role();
    let declared = role.agent.iter().flat_map(|agent| &agent.platforms);
    let declared = declared.filter(|it| it.value == platform.name).map(|it| it.span).next();
    let at = platform.at.or(declared).unwrap_or_else(|| Span::start_of(role.prompt));
    let described = catalog.contexts.values().filter_map(|context| context.platform.as_deref());
    Some(undescribed_platform(&platform.name, at, role, described))
}

pub fn undescribed_platform<'a>(
    name: &str,
    at: Span,
    role: &Role,
    described: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("no context describes the platform `{name}` of `{}`", role.name);
    let help = suggest::help(
        suggest::closest(name, described),
        format!(
            "add `{}/contexts/platforms/platform-{name}.md`, or remove the platform",
            role.root
        ),
    );
    missing_platform_context::RULE.at(at, message).help(help)
}
