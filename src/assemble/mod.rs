//! The corridor from end to end: a workspace and a request in, an assembly out.

#[cfg(test)]
mod arbitrary;
pub mod compose;
pub mod declared;
mod directives;
pub mod figures;
pub mod finish;
pub mod history;
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
mod refuse;
pub mod renderings;
mod secrets;
pub mod shortfall;
pub mod summaries;
pub mod triggers;
mod upfront;
pub mod weighed;

use std::collections::{BTreeMap, BTreeSet};

use more::More;

use crate::budget::level::{Level, Section};
use crate::category::Category;
use crate::config::{self, Amount, Config, Order};
use crate::conversation::message::Message;
use crate::diagnostic::{Diagnostic, Reported, Severity};
use crate::document::ContextId;
use crate::error::Error;
use crate::prompt::{self, Instruction, Prompt};
use crate::render::body::Vendor;
use crate::render::catalog::Entry;
use crate::render::style::Style;
use crate::resolve::catalog::{self, Catalog};
use crate::resolve::include::{self, Expander};
use crate::resolve::index::{From, Resolution};
use crate::role::Lineage;
use crate::select::choose::{self, Inputs, Request};
use crate::select::reason::Reason;
use crate::select::selection::{Group, Selection};
use crate::settings::Settings;
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::tokens;
use crate::workspace::{Pack, Workspace};
use crate::yaml::Node;

use declared::Declared;
use finish::Composed;
use parts::Parts;
use shortfall::{Advice, Shortfall};
use summaries::Summarizer;
pub use triggers::Triggers;

/// Findings that assembling does not go on with: what they are about decides who sees what, or is
/// missing in a way that no reader of the bundle could notice.
const FATAL: [&str; 9] = [
    "invalid-config",
    "config-key-not-allowed",
    "forbidden-file",
    "path-escape",
    "include-cycle",
    "include-depth",
    "role-cycle",
    "extends-cycle",
    "invalid-agent",
];

/// Material to work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// How the user named it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What one assembly is to do.
#[derive(Clone, Debug)]
pub struct Job {
    /// The role; by default the configured one, or the only one.
    pub role: Option<String>,
    /// `--platform`.
    pub platform: Option<String>,
    /// What is asked for.
    pub request: Request,
    /// Material to work on.
    pub inputs: Vec<Input>,
    /// A task or flow: `tasks` or `flows`, and its name.
    pub instruction: Option<(&'static str, String)>,
    /// Whether the prompt keeps what faber has carried out.
    pub keep_directives: bool,
    /// `--budget`.
    pub budget: Option<Amount>,
    /// `--model`.
    pub model: Option<String>,
    /// The format that tokens are counted in.
    pub style: Style,
    /// `--order`.
    pub order: Option<Order>,
    /// What was said before, in the order in which it was read.
    pub history: Vec<Message>,
    /// Whether the request was the newest message of that.
    pub newest_asks: bool,
    /// The API that the bundle is a request body for; none for a bundle that is one text.
    pub body: Option<Vendor>,
    /// What its reader has at hand to get more.
    pub more: More,
    /// What the bundle is to have.
    pub parts: Parts,
    /// Whether to keep what selecting and packing went by; only who explains an assembly asks.
    pub weigh: bool,
    /// What to find out when something does not fit.
    pub advice: Advice,
}

/// A context that is in the bundle at some level.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The context.
    pub id: ContextId,
    /// Why.
    pub reasons: Vec<Reason>,
    /// Where it stands.
    pub group: Group,
    /// At which level.
    pub level: Level,
    /// The section whose budget it takes.
    pub section: Section,
    /// Tokens in the bundle, faber's line above it included.
    pub tokens: usize,
    /// Tokens that all of it would take.
    pub full_tokens: usize,
    /// Its priority in the budget.
    pub priority: i64,
    /// Position of its block.
    pub block: usize,
}

/// A context that is only named.
#[derive(Clone, Debug)]
pub struct Catalogued {
    /// What and where.
    pub entry: Entry,
    /// Why it was selected or is suggested, when it was or is.
    pub reasons: Vec<Reason>,
    /// Whether it was selected and did not fit.
    pub crowded_out: bool,
    /// Whether the catalog has a line for it, or only counts it.
    pub named: bool,
}

/// A bundle and everything that is known about it.
#[derive(Debug)]
pub struct Assembly {
    /// The role.
    pub role: String,
    /// All layers and documents.
    pub pack: Pack,
    /// All contexts of the view.
    pub catalog: Catalog,
    /// The bundle, and what became of every context.
    pub bundle: Composed,
    /// What was asked for.
    pub job: Job,
    /// The keywords and errors that prompts declare for contexts, with `job.weigh`.
    pub declared: Vec<Declared>,
    /// What the request brought or selected and is not there whole, with [`Advice::Budget`].
    pub shortfall: Option<Shortfall>,
}

impl Assembly {
    /// The files that lines of the bundle come from or stand for.
    pub fn files(&self) -> BTreeSet<FileId> {
        let lines = self.bundle.blocks.iter().flat_map(|block| &block.lines);
        let origins = lines.filter_map(|line| Some(line.origin?.file));
        let contexts = self.bundle.loaded.iter().map(|loaded| &self.catalog.contexts[&loaded.id]);
        let sources = contexts.flat_map(|context| context.sources.iter().map(|source| source.file));
        origins.chain(sources).collect()
    }
}

/// Assembles.
///
/// Findings are left in `workspace.found`, also when this fails.
///
/// # Errors
///
/// [`Error::Findings`] when some are of the kind that assembling does not go on with (with
/// `settings.strict`, when any is an error), [`Error::Budget`] when what is required does not fit,
/// and what selecting and reading can fail with.
///
/// # Panics
///
/// Never: a pack that was asked for by role has a lineage.
pub fn assemble(
    workspace: &mut Workspace,
    settings: &Settings,
    mut job: Job,
) -> Result<Assembly, Error> {
    let encoding = compose::counter(&workspace.config, job.model.as_deref());
    let encoding = encoding.ok().map(|(counter, ..)| counter.encoding);
    if let Some(encoding) = encoding {
        encoding.warm_up(&job.request.text);
    }
    let role = workspace.role_name(job.role.as_deref())?;
    let mut pack = workspace.pack(Some(&role), job.platform.as_deref(), settings)?;
    let lineage = pack.lineage.clone().expect("a pack of a role has a lineage");
    let instruction = match &job.instruction {
        Some((folder, name)) => Some((
            *folder,
            name.clone(),
            workspace.instruction((&lineage, &pack.view), folder, name)?,
        )),
        None => None,
    };
    for name in &job.request.with {
        workspace.follow_roles_of(&mut pack, name);
    }
    if let Some((.., file)) = &instruction {
        let text = workspace.sources.get(*file).text.clone();
        workspace.follow_roles_of(&mut pack, &text);
    }
    let mut found = Vec::new();
    let view = Resolved::new(workspace, &pack, &mut found);
    let read = view.read(workspace, &pack, instruction, job.keep_directives).drain_into(&mut found);
    let result = (|| {
        check_platform(&pack, &lineage, &view.catalog)?;
        found.extend(platform_without_context(&pack, &lineage, &view.catalog));
        stop_at(workspace, &found, settings.strict)?;
        if let Some(instruction) = &read.instruction {
            job.request.loads.clone_from(&instruction.loads);
        }
        let selection =
            view.select(workspace, &pack, &read.prompt, &job.request)?.drain_into(&mut found);
        stop_at(workspace, &found, settings.strict)?;
        let declared = view.declared(workspace, &pack, &read.prompt.rules, job.weigh);
        let config = with_prompt_budget(workspace, &read.prompt);
        let mut compose =
            compose::Compose::new(&workspace.sources, &view.catalog, &config, (&job, &pack.view))?
                .with_triggers(&read.triggers);
        // A budget of the role's prompt is the workspace's and must not name a command.
        let selection = job.parts.of(selection);
        let bundle = match &workspace.config.budget.summarizer {
            None => compose.run(&read, selection.clone())?,
            Some(command) => {
                let summarizer = Summarizer::new(command, workspace.files.root(), settings);
                let (bundle, failure) =
                    summaries::compose(&mut compose, &read, &selection, &summarizer)?;
                if failure.is_some() {
                    workspace.files.journal().elusive();
                }
                found.extend(failure);
                bundle
            }
        };
        let advise = (job.advice == Advice::Budget).then_some(&bundle);
        let shortfall =
            advise.and_then(|bundle| shortfall::shortfall(&compose, &read, &selection, bundle));
        let validate = workspace.config.validate.as_ref();
        found.extend(secrets::warnings(&bundle.blocks, &workspace.sources, validate));
        Ok((bundle, declared, shortfall))
    })();
    let catalog = view.catalog;
    workspace.found.extend(found);
    let (bundle, declared, shortfall) = result?;
    if let Some(encoding) = encoding {
        // A run with this request will find that all of it has been counted.
        tokens::count(encoding, &job.request.text);
    }
    Ok(Assembly { role, pack, catalog, bundle, job, declared, shortfall })
}

/// The texts that open a bundle.
pub struct Read {
    /// The role's prompt.
    pub prompt: Prompt,
    /// The task or flow.
    pub instruction: Option<Instruction>,
    /// What makes contexts load, by context.
    pub triggers: Triggers,
}

/// A pack after the fold, with what is needed to look further into it.
pub struct Resolved {
    /// The contexts.
    pub catalog: Catalog,
    role_roots: Vec<camino::Utf8PathBuf>,
    role_homes: Vec<camino::Utf8PathBuf>,
    /// Whether the principal may see a document.
    visible: BTreeMap<FileId, bool>,
}

impl Resolved {
    /// Folds the layers of `pack`.
    pub fn new(workspace: &Workspace, pack: &Pack, found: &mut Vec<Diagnostic>) -> Self {
        let role_roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        let visible = pack.documents.iter();
        let visible = visible.map(|d| (d.file, pack.view.may_see(&d.front.fields))).collect();
        let (catalog, role_homes) = (Catalog::default(), workspace.role_homes());
        let mut resolved = Self { catalog, role_roots, role_homes, visible };
        let catalog = resolved.with_expander(&workspace.sources, pack, |expander| {
            let documents: Vec<_> = pack.documents.iter().collect();
            catalog::resolve(&documents, &pack.layers, &pack.view, expander)
        });
        resolved.catalog = catalog.drain_into(found);
        resolved
    }

    fn with_expander<T>(
        &self,
        sources: &SourceMap,
        pack: &Pack,
        run: impl FnOnce(&Expander<'_>) -> T,
    ) -> T {
        let may_see = |file: FileId| match self.visible.get(&file) {
            Some(&visible) => visible,
            None => pack.view.may_see(&include::access_of(sources, file)),
        };
        let role_root = self.role_roots.first().map(camino::Utf8PathBuf::as_path);
        run(&Expander { sources, role_root, role_homes: &self.role_homes, may_see: &may_see })
    }

    pub(crate) fn read(
        &self,
        workspace: &Workspace,
        pack: &Pack,
        instruction: Option<(&'static str, String, FileId)>,
        keep_directives: bool,
    ) -> Reported<Read> {
        let mut found = Vec::new();
        let value = self.with_expander(&workspace.sources, pack, |expander| {
            let platform = pack.platform.as_ref();
            let lineage = pack.lineage.as_ref();
            let read =
                lineage.map(|lineage| prompt::read(lineage, platform, keep_directives, expander));
            let mut prompt = read.map(|read| read.drain_into(&mut found)).unwrap_or_default();
            prompt.resolve(&self.catalog, expander);
            let instruction = instruction.map(|(folder, name, file)| {
                let what = if folder == "tasks" { "task" } else { "flow" };
                prompt::instruction(what, &name, file, expander, &mut found)
            });
            let triggers = Triggers::new(&self.catalog, &prompt.rules, expander);
            Read { prompt, instruction, triggers }
        });
        Reported { value, diagnostics: found }
    }

    fn select(
        &self,
        workspace: &Workspace,
        pack: &Pack,
        prompt: &Prompt,
        request: &Request,
    ) -> Result<Reported<Selection>, Error> {
        let custom = self.customs(workspace, pack);
        self.with_expander(&workspace.sources, pack, |expander| {
            choose::select(Inputs {
                catalog: &self.catalog,
                expander,
                platform: pack.platform.as_ref(),
                rules: &prompt.rules,
                loads: &prompt.loads,
                custom: &custom,
                request,
                config: &workspace.config.selection,
                weights: workspace.config.search.weights,
            })
        })
    }

    /// What `custom_contexts` names, with the context that a named file became.
    fn customs(
        &self,
        workspace: &Workspace,
        pack: &Pack,
    ) -> Vec<(Spanned<String>, Option<ContextId>)> {
        let of_file = |file: FileId| {
            let path = workspace.sources.path(file);
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
        pack.custom.iter().filter_map(|(reference, file)| named(reference, *file)).collect()
    }
}

/// Whether a reference names a context by file name or id; one by path that was not found has been
/// reported already.
fn is_name(text: &str) -> bool {
    use crate::parse::references::{Reference, parse};
    matches!(parse(text).0, Reference::Name { .. } | Reference::Id { .. })
}

/// A platform is known when the role declares it or a context is of it.
fn check_platform(pack: &Pack, lineage: &Lineage, catalog: &Catalog) -> Result<(), Error> {
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

/// The finding about a platform in force that no context of the view is about.
fn platform_without_context(
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
    Some(Diagnostic::warning("missing-platform-context", at, message).help(help))
}

/// Stops at findings that assembling does not go on with.
pub(crate) fn stop_at(
    workspace: &Workspace,
    found: &[Diagnostic],
    strict: bool,
) -> Result<(), Error> {
    let is_fatal = |diagnostic: &Diagnostic| {
        let refused = strict || FATAL.contains(&diagnostic.rule);
        diagnostic.severity == Severity::Error && refused
    };
    if !workspace.noticed().chain(found).any(is_fatal) {
        return Ok(());
    }
    let sources = &workspace.sources;
    let noticed = workspace.findings();
    let fatal: Vec<_> = noticed.iter().chain(found).filter(|found| is_fatal(found)).collect();
    if fatal.is_empty() {
        return Ok(());
    }
    let name = |diagnostic: &&Diagnostic| {
        format!("{} at {}", diagnostic.rule, sources.place(diagnostic.primary.span))
    };
    let mut names: Vec<String> = fatal.iter().take(5).map(name).collect();
    if fatal.len() > names.len() {
        names.push(format!("{} more", fatal.len() - names.len()));
    }
    Err(Error::Findings { count: fatal.len(), help: names.join(", ") })
}

/// The configuration with the budget of the role's prompt over it; flags still win.
fn with_prompt_budget(workspace: &Workspace, prompt: &Prompt) -> Config {
    let Some(budget) = &prompt.budget else { return workspace.config.clone() };
    let node = Node::nest("budget", budget.clone());
    let merged = config::merge(workspace.config_node.clone(), node);
    let mcp_servers = workspace.config.mcp_servers.clone();
    Config { mcp_servers, ..config::typed(&merged, &workspace.sources) }
}
