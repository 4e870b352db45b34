//! Assembles a bundle for a request.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::assemble::builder::BundleBuilder;
use crate::assemble::bundle::Bundle;
use crate::assemble::compose::BuilderInput;
use crate::assemble::insecure::SecurityScan;
use crate::assemble::listing::{self, Listing};
use crate::assemble::{
    Advice, Assembly, InstructionFile, InstructionKind, Job, Pack, PromptDeclarations, Read,
    ResolvedPack, SelectInputs, check_platform, files_of, platform_without_context, shortfall,
    summaries,
};
use crate::config::{self, Config};
use crate::context_id::ContextId;
use crate::diagnostic::{Diagnostic, Severity};
use crate::error::Error;
use crate::escape::Visible;
use crate::findings;
use crate::parse::directive;
use crate::parse::frontmatter::{self, FrontKind};
use crate::prompt::Prompt;
use crate::resolve::catalog::{ContextSet, Excluded};
use crate::role::Lineage;
use crate::rule::Rule;
use crate::rules::{
    config_key_not_allowed, extends_cycle, forbidden_file, include_cycle, include_depth,
    invalid_agent, invalid_config, path_escape, role_cycle, unavailable_pack,
};
use crate::select::selection::{Selected, Selection};
use crate::source::{FileId, SourceMap};
use crate::workspace::Workspace;
use crate::workspace::caches::TextCaches;
use crate::world::World;
use crate::yaml::Node;

static OF_CONFIG: [&Rule; 2] = [&invalid_config::RULE, &config_key_not_allowed::RULE];

/// May lose text unnoticeably, so fatal.
static OF_TEXT: [&Rule; 5] = [
    &forbidden_file::RULE,
    &path_escape::RULE,
    &include_cycle::RULE,
    &include_depth::RULE,
    &extends_cycle::RULE,
];

static OF_ROLE: [&Rule; 3] = [&role_cycle::RULE, &invalid_agent::RULE, &unavailable_pack::RULE];

struct Choice {
    selection: Selection,
    declared: PromptDeclarations,
    known: Vec<Selected>,
}

/// From command and text.
pub type Summarize<'a> = &'a (dyn Fn(&str, &str) -> Result<String, String> + Sync);

impl<W: World> Workspace<W> {
    /// Adds findings, even on failure.
    ///
    /// # Errors
    ///
    /// [`Error::Findings`] for fatal findings ([`Options::strict`](super::Options::strict): all
    /// errors) and security errors (unless
    /// [`Options::allow_insecure`](super::Options::allow_insecure)); [`Error::Budget`] if required
    /// texts do not fit; errors of selecting and reading.
    pub fn assemble(
        &mut self,
        mut job: Job,
        summarize: Option<Summarize<'_>>,
    ) -> Result<Assembly, Error> {
        job.end_lines();
        let caches = Arc::clone(&self.caches);
        let role = self.role_name(job.role.as_deref())?;
        let mut found = Vec::new();
        let (lineage, view, read) = self.resolve_role(&role, &job, &mut found)?;
        let result = (|| {
            check_platform(&view.pack, &view.catalog, [])?;
            found.extend(platform_without_context(&view.pack, &lineage, &view.catalog));
            self.stop_at_fatal(&found, None)?;
            if let Some(instruction) = &read.instruction {
                job.request.loads.clone_from(&instruction.loads);
            }
            let (sources, config) = (&self.sources, &self.config);
            let (prompt, request, ranker) = (&read.prompt, &job.request, caches.ranker());
            let omitted = job.reader.omitted_of(&view.catalog, sources);
            let select = |barred: &BTreeSet<ContextId>| {
                view.select(&SelectInputs { sources, config, prompt, request, ranker, barred })
            };
            let (selection, (topics, tokens, extracts)) = rayon::join(
                || select(&omitted),
                || (listing::topics(&view.catalog), caches.tokens(), caches.extracts()),
            );
            let selection = selection?.drain_into(&mut found);
            self.stop_at_fatal(&found, None)?;
            let config = self.with_prompt_budget(&read.prompt);
            let (job, viewer, topics) = (&job, &view.pack.view, &topics);
            let input = BuilderInput { job, view: viewer, topics, tokens, extracts };
            let mut builder = BundleBuilder::new(&self.sources, &view.catalog, &config, input)?
                .with_triggers(&read.triggers);
            let choice = |mut selection: Selection| {
                let declared = PromptDeclarations::of(&selection);
                let known = job.reader.take_from(&mut selection, &view.catalog, &self.sources);
                Choice { selection: job.parts.of(selection), declared, known }
            };
            let without = |insecure: &[Excluded]| {
                let ids = insecure.iter().map(|gone| &gone.id);
                let mut selection = select(&omitted.iter().chain(ids).cloned().collect())?.value;
                for gone in insecure {
                    selection.leave_out(gone.clone());
                }
                Ok(choice(selection))
            };
            let scan = self.security_scan(&view.catalog, &caches);
            let compose = |selection: &Selection| {
                let listing = builder.listing(selection);
                self.compose(&mut builder, &read, &listing, summarize)
            };
            let (choice, bundle, insecure) =
                self.compose_securely(choice(selection), scan, without, compose)?;
            let Choice { selection, mut declared, known } = choice;
            if job.trace {
                view.declare(&self.sources, &read.prompt, &mut declared);
            }
            self.check_texts(files_of(&bundle, &view.catalog), &lineage, &mut found)?;
            let advise = (job.advice == Advice::Budget).then_some(&bundle);
            let shortfall = advise.and_then(|bundle| {
                shortfall::shortfall(&builder, &read, &builder.listing(&selection), bundle)
            });
            let refused = self.refuse_insecure(&insecure);
            found.extend(insecure);
            refused?;
            let (passages, mut unmet) = (selection.passages.clone(), selection.unmet.clone());
            unmet.extend(builder.window_note());
            Ok((bundle, declared, shortfall, known, passages, unmet))
        })();
        self.found.extend(found);
        let (bundle, declared, shortfall, known, passages, unmet) = result?;
        let ResolvedPack { pack, catalog, .. } = view;
        Ok(Assembly {
            role,
            pack,
            catalog,
            bundle,
            job,
            declared,
            shortfall,
            known,
            passages,
            unmet,
        })
    }

    fn security_scan<'a>(
        &'a self,
        contexts: &'a ContextSet,
        caches: &'a TextCaches,
    ) -> SecurityScan<'a> {
        let (sources, clean) = (&self.sources, caches.clean());
        SecurityScan { contexts, sources, severities: self.severities(), clean }
    }

    fn resolve_role(
        &mut self,
        role: &str,
        job: &Job,
        found: &mut Vec<Diagnostic>,
    ) -> Result<(Lineage, ResolvedPack, Read), Error> {
        let mut pack = self.pack(Some(role), job.platform.as_deref())?;
        let lineage = pack.lineage.clone().expect("a pack of a role has a lineage");
        let instruction = self.read_instruction(&mut pack, &lineage, job)?;
        let homes = self.role_homes();
        let mut view = ResolvedPack::new(&self.sources, homes, pack, found);
        view.use_pack_versions(&self.sources, &job.request.with);
        let read = view
            .read(&self.sources, instruction, job.keep_directives, self.caches.prompts())
            .drain_into(found);
        Ok((lineage, view, read))
    }

    fn check_texts(
        &self,
        mut used: BTreeSet<FileId>,
        lineage: &Lineage,
        found: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        used.extend(lineage.roles.iter().map(|role| role.prompt));
        let used = self.with_includes(used, lineage);
        for &file in used.iter().filter(|&&file| is_text(&self.sources, file)) {
            directive::unknown(&self.sources, file, found);
        }
        self.stop_at_fatal(found, Some(&used))
    }

    fn compose_securely(
        &self,
        mut choice: Choice,
        scan: SecurityScan<'_>,
        without: impl Fn(&[Excluded]) -> Result<Choice, Error>,
        mut compose: impl FnMut(&Selection) -> Result<(Bundle, Option<Diagnostic>), Error>,
    ) -> Result<(Choice, Bundle, Vec<Diagnostic>), Error> {
        let (mut gone, mut found) = (Vec::new(), Vec::new());
        loop {
            let (bundle, failure) = compose(&choice.selection)?;
            found.extend(failure);
            let insecure = scan.findings(&bundle.blocks);
            let unasked = match self.refuse_insecure(&insecure) {
                Err(_) if !self.options.strict => scan.unasked(&bundle),
                _ => Vec::new(),
            };
            if unasked.is_empty() {
                found.extend(insecure);
                return Ok((choice, bundle, found));
            }
            for (excluded, why) in unasked {
                gone.push(excluded);
                found.push(why);
            }
            choice = without(&gone)?;
        }
    }

    fn compose(
        &self,
        builder: &mut BundleBuilder<'_>,
        read: &Read,
        listing: &Listing<'_>,
        summarize: Option<Summarize<'_>>,
    ) -> Result<(Bundle, Option<Diagnostic>), Error> {
        match self.config.budget.summarizer.as_ref().zip(summarize) {
            None => Ok((builder.run(read, listing)?, None)),
            Some((command, summarize)) => {
                let answer = |text: &str| summarize(&command.value, text);
                summaries::compose(builder, read, listing, command, &answer)
            }
        }
    }

    fn read_instruction(
        &mut self,
        pack: &mut Pack,
        lineage: &Lineage,
        job: &Job,
    ) -> Result<Option<InstructionFile>, Error> {
        let read = |(kind, name): &(InstructionKind, String)| {
            let file = self.instruction(lineage, &pack.view, *kind, name)?;
            Ok(InstructionFile { kind: *kind, name: name.clone(), file })
        };
        let instruction = job.instruction.as_ref().map(read).transpose()?;
        for name in &job.request.with {
            self.follow_roles_of(pack, name);
        }
        if let Some(InstructionFile { file, .. }) = &instruction {
            let text = self.sources.get(*file).text.clone();
            self.follow_roles_of(pack, &text);
        }
        Ok(instruction)
    }

    /// # Errors
    ///
    /// [`Error::Findings`] if there are any.
    pub fn stop_at(&self, found: &[Diagnostic]) -> Result<(), Error> {
        let fatal = [&OF_CONFIG[..], &OF_TEXT, &OF_ROLE].concat();
        self.stop_at_errors(found, |found| self.options.strict || fatal.contains(&found.rule()))
    }

    /// # Errors
    ///
    /// [`Error::Findings`].
    pub fn stop_at_config(&self) -> Result<(), Error> {
        let stopped = self.stop_at_errors(&[], |found| OF_CONFIG.contains(&found.rule()));
        stopped.map_err(|error| match error {
            Error::Findings { found, places, .. } => {
                let help = "fix the configuration, which decides what may be seen";
                Error::Findings { found, places, help: Some(help.to_owned()) }
            }
            other => other,
        })
    }

    fn stop_at_fatal(
        &self,
        found: &[Diagnostic],
        used: Option<&BTreeSet<FileId>>,
    ) -> Result<(), Error> {
        let sources = &self.sources;
        let is_used = |found: &Diagnostic| {
            let mut labels = std::iter::once(&found.primary).chain(&found.related);
            labels.any(|label| {
                let path = sources.original_path(label.span.file);
                let is_it = |file: &FileId| sources.original_path(*file) == path;
                !is_text(sources, label.span.file)
                    || used.is_some_and(|used| used.iter().any(is_it))
            })
        };
        let always = [&OF_CONFIG[..], &OF_ROLE].concat();
        self.stop_at_errors(found, |found| {
            let rule = found.rule();
            let is_of_text = || OF_TEXT.contains(&rule) && is_used(found);
            self.options.strict || always.contains(&rule) || is_of_text()
        })
    }

    /// # Errors
    ///
    /// [`Error::Findings`].
    pub fn stop_at_errors(
        &self,
        found: &[Diagnostic],
        is_refused: impl Fn(&Diagnostic) -> bool,
    ) -> Result<(), Error> {
        let is_fatal = |diagnostic: &Diagnostic| {
            diagnostic.severity() == Severity::Error && is_refused(diagnostic)
        };
        if !self.noticed().chain(found).any(is_fatal) {
            return Ok(());
        }
        let mut fatal = self.findings_with(found);
        fatal.retain(is_fatal);
        if fatal.is_empty() {
            return Ok(());
        }
        Err(Error::Findings { places: places(&fatal, &self.sources), found: fatal, help: None })
    }

    /// # Errors
    ///
    /// [`Error::Findings`].
    pub fn refuse_insecure(&self, found: &[Diagnostic]) -> Result<(), Error> {
        let errors = found.iter().filter(|found| found.severity() == Severity::Error);
        let errors: Vec<_> = errors.filter(|_| !self.options.allow_insecure).cloned().collect();
        if errors.is_empty() {
            return Ok(());
        }
        let errors: Vec<_> = errors.into_iter().map(|found| self.of_pack(found)).collect();
        let found = findings::by_place(errors, &self.sources);
        let places = places(&found, &self.sources);
        let help = Some("`--allow-insecure` ignores security errors".to_owned());
        Err(Error::Findings { found, places, help })
    }

    fn with_prompt_budget(&self, prompt: &Prompt) -> Config {
        let Some(budget) = &prompt.budget else { return self.config.clone() };
        let merged = self.merged_with(budget.clone());
        let mcp_servers = self.config.mcp_servers.clone();
        Config { mcp_servers, ..config::typed(&merged, &self.sources) }
    }

    /// Environment and flags override the prompt.
    fn merged_with(&self, budget: Node) -> Node {
        let own = self.config_ends[1].iter().filter_map(|node| node.get("budget").cloned());
        let budgets = std::iter::once(budget).chain(own).map(|it| Node::nest("budget", it));
        budgets.fold(self.config_node.clone(), config::merge)
    }

    pub fn effective_config(&self, pack: &Pack) -> Node {
        let prompt = pack.lineage.as_ref().map(|lineage| lineage.role().prompt);
        let budget = prompt.and_then(|prompt| {
            let parsed = frontmatter::read(&self.sources, prompt, FrontKind::Prompt);
            parsed.value.front.fields.budget.clone()
        });
        let plain = || self.config_node.clone();
        let mut node = budget.map_or_else(plain, |budget| self.merged_with(budget));
        let config = config::typed(&node, &self.sources);
        let model = config.model.as_ref().and_then(|model| config.model(&model.value));
        let limits = config.budget.limits(model.map(|model| model.window), None);
        limits.show_in(&mut node, &self.sources);
        node
    }
}

fn is_text(sources: &SourceMap, file: FileId) -> bool {
    sources.path(file).extension() == Some("md")
}

fn places(fatal: &[Diagnostic], sources: &SourceMap) -> String {
    let name = |diagnostic: &Diagnostic| {
        let place = sources.place(diagnostic.primary.span);
        format!("{} at {}", diagnostic.code(), Visible(&place))
    };
    let mut names: Vec<String> = fatal.iter().take(5).map(name).collect();
    if fatal.len() > names.len() {
        names.push(format!("{} more", fatal.len() - names.len()));
    }
    names.join(", ")
}
