//! From a workspace and a request to a bundle.

#[cfg(test)]
mod arbitrary;
pub mod compose;
pub mod declared;
mod directives;
pub mod figures;
pub mod finish;
pub mod history;
mod hold;
pub mod insecure;
mod items;
mod ladder;
#[cfg(test)]
mod laws;
mod listing;
mod material;
pub mod measure;
pub mod more;
pub mod needs;
pub mod offers;
pub mod parts;
pub mod reader;
mod refuse;
pub mod renderings;
pub mod shortfall;
pub mod summaries;
pub mod triggers;
mod upfront;
pub mod weighed;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use more::FollowUp;

use crate::budget::level::{Level, Section};
use crate::category::Category;
use crate::config::{Amount, Config, Order};
use crate::conversation::message::Message;
use crate::diagnostic::{Diagnostic, Reported};
use crate::document::ContextId;
use crate::error::Error;
use crate::pack::Pack;
use crate::parse::rules::PromptCache;
use crate::prompt::{self, Instruction, Prompt};
use crate::render::body::Vendor;
use crate::render::catalog::CatalogEntry;
use crate::render::style::Style;
use crate::resolve::catalog::{self, Catalog};
use crate::resolve::include::{self, Expander};
use crate::resolve::index::{From, Resolution};
use crate::role::Lineage;
use crate::rules::missing_platform_context;
use crate::select::choose::{self, Request, SelectionInput};
use crate::select::reason::Reason;
use crate::select::relevance::Ranker;
use crate::select::selection::{Selected, Selection};
use crate::source::{FileId, SourceMap, Span, Spanned};

use declared::Declarations;
use finish::Bundle;
use parts::BundleParts;
use reader::Reader;
use shortfall::{Advice, Shortfall};
pub use triggers::RequestTriggers;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name that the user gave it.
    pub name: String,
    pub text: String,
}

/// What one assembly is to do.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Job {
    /// The role; by default the configured one, or the only one.
    pub role: Option<String>,
    pub platform: Option<String>,
    pub request: Request,
    pub inputs: Vec<Input>,
    /// A task or flow: `tasks` or `flows`, and its name.
    pub instruction: Option<(&'static str, String)>,
    /// Whether the prompt keeps directives that faber has carried out.
    pub keep_directives: bool,
    pub budget: Option<Amount>,
    pub model: Option<String>,
    /// The format that tokens are counted in.
    pub style: Style,
    pub order: Option<Order>,
    /// The conversation, oldest message first.
    pub history: Vec<Message>,
    /// Whether the request is the newest message of `history`.
    pub newest_asks: bool,
    /// The API of a request body; `None` for a text.
    pub body: Option<Vendor>,
    pub more: FollowUp,
    /// The parts of the bundle to print.
    pub parts: BundleParts,
    /// What the reader has already, which is left out.
    pub reader: Reader,
    /// Whether to record the decisions of selection and packing, for `explain`.
    pub weigh: bool,
    /// What to find out if something does not fit.
    pub advice: Advice,
}

impl Job {
    /// A job with a request, for the configured role or the only one.
    pub fn new(request: Request) -> Self {
        Self { request, ..Self::default() }
    }
}

/// A context in the bundle.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub id: ContextId,
    pub reasons: Vec<Reason>,
    pub level: Level,
    pub section: Section,
    pub tokens: usize,
    /// Tokens of its full text.
    pub full_tokens: usize,
    pub priority: i64,
    pub block: usize,
}

/// A context that is only catalogued.
#[derive(Clone, Debug)]
pub struct Catalogued {
    pub entry: CatalogEntry,
    /// Why it is selected or suggested.
    pub reasons: Vec<Reason>,
    /// Whether it was selected and did not fit.
    pub crowded_out: bool,
    /// Whether the catalog names it, or only counts it.
    pub named: bool,
}

/// A bundle with all information about it.
#[derive(Debug)]
pub struct Assembly {
    pub role: String,
    pub pack: Pack,
    pub catalog: Catalog,
    pub bundle: Bundle,
    pub job: Job,
    /// What prompts declare for contexts.
    pub declared: Declarations,
    /// What the request brought or selected and is not there whole, with [`Advice::Budget`].
    pub shortfall: Option<Shortfall>,
    /// What is selected and left out because the reader has it.
    pub known: Vec<Selected>,
}

impl Assembly {
    /// The files that lines of the bundle come from.
    pub fn files(&self) -> BTreeSet<FileId> {
        let lines = self.bundle.blocks.iter().flat_map(|block| &block.lines);
        let origins = lines.filter_map(|line| Some(line.origin?.file));
        let contexts = self.bundle.loaded.iter().map(|loaded| &self.catalog.contexts[&loaded.id]);
        let sources = contexts.flat_map(|context| context.sources.iter().map(|source| source.file));
        origins.chain(sources).collect()
    }
}

pub struct Read {
    pub prompt: Prompt,
    pub instruction: Option<Instruction>,
    /// The keywords and errors of each context.
    pub triggers: RequestTriggers,
}

/// The input of a selection besides the view.
#[derive(Clone, Copy)]
pub struct Selecting<'a> {
    pub sources: &'a SourceMap,
    pub config: &'a Config,
    pub prompt: &'a Prompt,
    pub request: &'a Request,
    /// What scores contexts.
    pub ranker: &'a Arc<Ranker>,
}

/// A task or flow that is asked for, with its file.
#[derive(Clone, Debug)]
pub struct InstructionFile {
    /// `tasks` or `flows`.
    pub folder: &'static str,
    pub name: String,
    pub file: FileId,
}

/// A pack with its layers folded.
#[derive(Debug)]
pub struct ResolvedPack {
    /// The layers and their documents.
    pub pack: Pack,
    /// The contexts.
    pub catalog: Catalog,
    role_roots: Vec<camino::Utf8PathBuf>,
    role_homes: Vec<camino::Utf8PathBuf>,
    visible: BTreeMap<FileId, bool>,
}

impl ResolvedPack {
    /// Folds the layers of `pack`. Roles lie in the folders `role_homes`.
    pub fn new(
        sources: &SourceMap,
        role_homes: Vec<camino::Utf8PathBuf>,
        pack: Pack,
        found: &mut Vec<Diagnostic>,
    ) -> Self {
        let role_roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        let visible = pack.documents.iter();
        let visible = visible.map(|d| (d.file, pack.view.may_see(&d.front.fields))).collect();
        let catalog = Catalog::default();
        let mut resolved = Self { pack, catalog, role_roots, role_homes, visible };
        let catalog = resolved.with_expander(sources, |expander| {
            let pack = &resolved.pack;
            let documents: Vec<_> = pack.documents.iter().collect();
            catalog::resolve(&documents, &pack.layers, &pack.view, expander)
        });
        resolved.catalog = catalog.drain_into(found);
        resolved
    }

    fn with_expander<T>(&self, sources: &SourceMap, run: impl FnOnce(&Expander<'_>) -> T) -> T {
        let may_see = |file: FileId| match self.visible.get(&file) {
            Some(&visible) => visible,
            None => self.pack.view.may_see(&include::access_of(sources, file)),
        };
        let role_root = self.role_roots.first().map(camino::Utf8PathBuf::as_path);
        run(&Expander { sources, role_root, role_homes: &self.role_homes, may_see: &may_see })
    }

    /// Reads the prompt of the role and the requested task or flow.
    pub fn read(
        &self,
        sources: &SourceMap,
        instruction: Option<InstructionFile>,
        keep_directives: bool,
        known: Option<&PromptCache>,
    ) -> Reported<Read> {
        let mut found = Vec::new();
        let value = self.with_expander(sources, |expander| {
            let platform = self.pack.platform.as_ref();
            let lineage = self.pack.lineage.as_ref();
            let read = lineage
                .map(|lineage| prompt::read(lineage, platform, keep_directives, expander, known));
            let mut prompt = read.map(|read| read.drain_into(&mut found)).unwrap_or_default();
            prompt.resolve(&self.catalog, expander);
            let instruction = instruction.map(|InstructionFile { folder, name, file }| {
                let what = if folder == "tasks" { "task" } else { "flow" };
                prompt::instruction(what, &name, file, expander, &mut found)
            });
            let triggers = RequestTriggers::new(&self.catalog, &prompt.rules, expander);
            Read { prompt, instruction, triggers }
        });
        Reported { value, diagnostics: found }
    }

    /// Selects what the request needs.
    ///
    /// # Errors
    ///
    /// As [`choose::select`].
    pub fn select(&self, asked: &Selecting<'_>) -> Result<Reported<Selection>, Error> {
        let Selecting { sources, config, prompt, request, ranker } = *asked;
        let custom = self.customs(sources);
        self.with_expander(sources, |expander| {
            choose::select(SelectionInput {
                catalog: &self.catalog,
                expander,
                platform: self.pack.platform.as_ref(),
                rules: &prompt.rules,
                loads: &prompt.loads,
                custom: &custom,
                request,
                config: &config.selection,
                weights: config.search.weights,
                ranker,
            })
        })
    }

    /// What `custom_contexts` names, with the context that a named file became.
    fn customs(&self, sources: &SourceMap) -> Vec<(Spanned<String>, Option<ContextId>)> {
        let of_file = |file: FileId| {
            let path = sources.path(file);
            let from = From { path, role_root: None };
            match self.catalog.index.resolve(&format!("./{}", path.file_name()?), from) {
                Resolution::Context(id) => Some(id),
                _ => None,
            }
        };
        let named = |reference: &Spanned<String>, file: Option<FileId>| match file {
            Some(file) => Some((reference.clone(), Some(of_file(file)?))),
            None => is_name(&reference.value).then(|| (reference.clone(), None)),
        };
        self.pack.custom.iter().filter_map(|(reference, file)| named(reference, *file)).collect()
    }
}

/// Whether a reference is a file name or id; missing paths have been reported already.
fn is_name(text: &str) -> bool {
    use crate::parse::references::{Reference, parse};
    matches!(parse(text).0, Reference::Name { .. } | Reference::Id { .. })
}

/// A platform is known when the role declares it or a context is of it.
///
/// # Errors
///
/// [`Error::Unknown`] with the platforms that there are.
pub fn check_platform(pack: &Pack, lineage: &Lineage, catalog: &Catalog) -> Result<(), Error> {
    let Some(platform) = &pack.platform else { return Ok(()) };
    let declared =
        lineage.role().agent.iter().flat_map(|agent| &agent.platforms).map(|p| p.value.as_str());
    let described = catalog.contexts.values().filter_map(|context| context.platform.as_deref());
    let mut known: Vec<&str> = declared.chain(described).collect();
    known.sort_unstable();
    known.dedup();
    if known.contains(&platform.name.as_str()) {
        return Ok(());
    }
    Err(Error::unknown("platform", &platform.name, known))
}

/// The finding about an active platform without contexts in the view.
pub fn platform_without_context(
    pack: &Pack,
    lineage: &Lineage,
    catalog: &Catalog,
) -> Option<Diagnostic> {
    let platform = pack.platform.as_ref()?;
    let is_it = |context: &catalog::Resolved| {
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
    let name = &platform.name;
    let message = format!("no context describes the platform `{name}` of `{}`", role.name);
    let help = format!("add `{}/contexts/platforms/platform-{name}.md`", role.root);
    Some(missing_platform_context::RULE.at(at, message).help(help))
}
