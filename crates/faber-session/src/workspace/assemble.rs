//! From a workspace and a request to a bundle.

use std::sync::Arc;

use crate::settings::Settings;
use crate::workspace::Workspace;
use crate::workspace::summarizer::Summarizer;
use faber_core::assemble::compose::{Compose, ComposeInput, ModelCounter};
use faber_core::assemble::declared::Declarations;
use faber_core::assemble::finish::Composed;
use faber_core::assemble::shortfall::{self, Advice, Shortfall};
use faber_core::assemble::{
    Assembly, InstructionFile, Job, ResolvedPack, Selecting, check_platform, insecure,
    platform_without_context, summaries,
};
use faber_core::config::{self, Config};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::pack::Pack;
use faber_core::prompt::Prompt;
use faber_core::role::Lineage;
use faber_core::rule::Rule;
use faber_core::rules::{
    config_key_not_allowed, extends_cycle, forbidden_file, include_cycle, include_depth,
    invalid_agent, invalid_config, path_escape, role_cycle,
};
use faber_core::source::SourceMap;
use faber_core::yaml::Node;

/// Findings that assembling does not go on with: what they are about decides who sees what, or is
/// missing in a way that no reader of the bundle could notice.
static FATAL: [&Rule; 9] = [
    &invalid_config::RULE,
    &config_key_not_allowed::RULE,
    &forbidden_file::RULE,
    &path_escape::RULE,
    &include_cycle::RULE,
    &include_depth::RULE,
    &role_cycle::RULE,
    &extends_cycle::RULE,
    &invalid_agent::RULE,
];

/// What composing gives besides findings.
struct Made {
    bundle: Composed,
    declared: Declarations,
    shortfall: Option<Shortfall>,
}

/// Assembles.
///
/// Findings are left in `workspace.found`, also when this fails.
///
/// # Errors
///
/// [`Error::Findings`] when some are of the kind that assembling does not go on with (with
/// `settings.strict`, when any is an error), or are security errors in a text of the bundle (unless
/// `settings.allow_insecure`), [`Error::Budget`] when what is required does not fit,
/// and what selecting and reading can fail with.
///
/// # Panics
///
/// Never: a pack that was asked for by role has a lineage.
pub(crate) fn assemble(
    workspace: &mut Workspace,
    settings: &Settings,
    mut job: Job,
) -> Result<Assembly, Error> {
    let caches = Arc::clone(&workspace.caches);
    let counter = ModelCounter::new(&workspace.config, job.model.as_deref(), caches.tokens());
    let counter = counter.ok().map(|model| model.counter);
    if let Some(counter) = &counter {
        counter.warm_up(&job.request.text);
    }
    let role = workspace.role_name(job.role.as_deref())?;
    let mut pack = workspace.pack(Some(&role), job.platform.as_deref(), settings)?;
    let lineage = pack.lineage.clone().expect("a pack of a role has a lineage");
    let instruction = instruction(workspace, &mut pack, &lineage, &job)?;
    let mut found = Vec::new();
    let homes = workspace.role_homes();
    let view = ResolvedPack::new(&workspace.sources, homes, pack, &mut found);
    let read =
        view.read(&workspace.sources, instruction, job.keep_directives).drain_into(&mut found);
    let result = (|| {
        check_platform(&view.pack, &lineage, &view.catalog)?;
        found.extend(platform_without_context(&view.pack, &lineage, &view.catalog));
        stop_at(workspace, &found, settings.strict)?;
        if let Some(instruction) = &read.instruction {
            job.request.loads.clone_from(&instruction.loads);
        }
        let (sources, config) = (&workspace.sources, &workspace.config);
        let (prompt, request) = (&read.prompt, &job.request);
        let ranker = caches.ranker();
        let selecting = Selecting { sources, config, prompt, request, ranker };
        let selection = view.select(&selecting)?.drain_into(&mut found);
        stop_at(workspace, &found, settings.strict)?;
        let declared = Declarations {
            terms: view.declared(&workspace.sources, &read.prompt.rules, job.weigh),
            loads: view.loads(&workspace.sources, &read.prompt.loads, job.weigh),
            withheld: selection.withheld.clone(),
        };
        let config = with_prompt_budget(workspace, &read.prompt);
        let input = ComposeInput { job: &job, view: &view.pack.view, tokens: caches.tokens() };
        let mut compose = Compose::new(&workspace.sources, &view.catalog, &config, input)?
            .with_triggers(&read.triggers);
        // A budget of the role's prompt is the workspace's and must not name a command.
        let selection = job.parts.of(selection);
        let bundle = match &workspace.config.budget.summarizer {
            None => compose.run(&read, selection.clone())?,
            Some(command) => {
                let summarizer = Summarizer::new(command, workspace, settings);
                let answer = |text: &str| summarizer.answer(text);
                let (bundle, failure) =
                    summaries::compose(&mut compose, &read, &selection, command, &answer)?;
                if failure.is_some() {
                    workspace.files.recorder().mark_uncacheable();
                }
                found.extend(failure);
                bundle
            }
        };
        let advise = (job.advice == Advice::Budget).then_some(&bundle);
        let shortfall =
            advise.and_then(|bundle| shortfall::shortfall(&compose, &read, &selection, bundle));
        let validate = workspace.config.validate.as_ref();
        let insecure = insecure::findings(&bundle.blocks, &workspace.sources, validate);
        let refused = refuse_insecure(&insecure, &workspace.sources, settings);
        found.extend(insecure);
        refused?;
        Ok(Made { bundle, declared, shortfall })
    })();
    workspace.found.extend(found);
    let Made { bundle, declared, shortfall } = result?;
    if let Some(counter) = counter {
        // A run with this request will find that all of it has been counted.
        counter.count(&job.request.text);
    }
    let ResolvedPack { pack, catalog, .. } = view;
    Ok(Assembly { role, pack, catalog, bundle, job, declared, shortfall })
}

/// The task or flow of the request. Roles that it or the request names become part of `pack`.
///
/// # Errors
///
/// [`Error::Unknown`] when the task or flow is unknown.
fn instruction(
    workspace: &mut Workspace,
    pack: &mut Pack,
    lineage: &Lineage,
    job: &Job,
) -> Result<Option<InstructionFile>, Error> {
    let instruction = match &job.instruction {
        Some((folder, name)) => {
            let file = workspace.instruction(lineage, &pack.view, folder, name)?;
            Some(InstructionFile { folder, name: name.clone(), file })
        }
        None => None,
    };
    for name in &job.request.with {
        workspace.follow_roles_of(pack, name);
    }
    if let Some(InstructionFile { file, .. }) = &instruction {
        let text = workspace.sources.get(*file).text.clone();
        workspace.follow_roles_of(pack, &text);
    }
    Ok(instruction)
}

/// Stops at findings that assembling does not go on with.
///
/// # Errors
///
/// [`Error::Findings`] when there are some.
pub fn stop_at(workspace: &Workspace, found: &[Diagnostic], strict: bool) -> Result<(), Error> {
    let is_fatal = |diagnostic: &Diagnostic| {
        let refused = strict || FATAL.contains(&diagnostic.rule());
        diagnostic.severity() == Severity::Error && refused
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
    let (count, help) = (fatal.len(), places(&fatal, sources));
    Err(Error::Findings { count, help })
}

/// Refuses to give away texts that have security errors, unless that is allowed.
///
/// # Errors
///
/// [`Error::Findings`] when some of `found` are errors.
pub fn refuse_insecure(
    found: &[Diagnostic],
    sources: &SourceMap,
    settings: &Settings,
) -> Result<(), Error> {
    let errors = found.iter().filter(|found| found.severity() == Severity::Error);
    let errors: Vec<_> = errors.filter(|_| !settings.allow_insecure).collect();
    if errors.is_empty() {
        return Ok(());
    }
    let places = places(&errors, sources);
    let help = format!("{places}; `--allow-insecure` goes on in spite of security errors");
    Err(Error::Findings { count: errors.len(), help })
}

/// The rules and places of the first findings, and how many more there are.
fn places(fatal: &[&Diagnostic], sources: &SourceMap) -> String {
    let name = |diagnostic: &&Diagnostic| {
        format!("{} at {}", diagnostic.code(), sources.place(diagnostic.primary.span))
    };
    let mut names: Vec<String> = fatal.iter().take(5).map(name).collect();
    if fatal.len() > names.len() {
        names.push(format!("{} more", fatal.len() - names.len()));
    }
    names.join(", ")
}

/// The configuration with the budget of the role's prompt over it; flags still win.
fn with_prompt_budget(workspace: &Workspace, prompt: &Prompt) -> Config {
    let Some(budget) = &prompt.budget else { return workspace.config.clone() };
    let node = Node::nest("budget", budget.clone());
    let merged = config::merge(workspace.config_node.clone(), node);
    let mcp_servers = workspace.config.mcp_servers.clone();
    Config { mcp_servers, ..config::typed(&merged, &workspace.sources) }
}
