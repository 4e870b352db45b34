//! Resolves and checks each role with at most one overlay of each kind: a full product is too
//! large. View `n` of a role takes the `n`th overlay of each kind, modulo their number. One more
//! view has no optional overlays.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rayon::prelude::*;

use crate::validate::Linter;
use crate::validate::check::{Check, EVERYWHERE, LintContext, PER_ROLE, ViewChoice, ViewInput};
use crate::validate::declared;
use crate::validate::rules::CHECKS;
use crate::validate::sizes::Summaries;
use faber_core::assemble::{Read, RequestTriggers};
use faber_core::config::{Config, Semantic};
use faber_core::diagnostic::Diagnostic;
use faber_core::document::{Document, Layer};
use faber_core::layer::LayerKind;
use faber_core::parse::references::{self, Reference};
use faber_core::prompt;
use faber_core::resolve::catalog::{self, ContextSet};
use faber_core::resolve::include::{Expander, Inclusion};
use faber_core::resolve::view::{Principal, View};
use faber_core::role::{self, Lineage, Platform};
use faber_core::rules::undeclared_tool;
use faber_core::select::choose;
use faber_core::select::request::Request;
use faber_core::select::selection::Selection;
use faber_core::source::{FileId, Span, Spanned};
use faber_core::workspace::survey::{FileKind, Inventory};
use faber_core::yaml::Node;
use faber_session::session::Workspace;
use faber_session::settings::Settings;

/// Skipped views are reported.
const MAX_RESOLVED: usize = 2_000_000;

/// Above this, checks run sequentially, to save memory.
pub(super) const SEQUENTIAL_ABOVE: usize = 20_000;

#[derive(Debug, Default)]
pub struct ViewFindings {
    pub found: Vec<Diagnostic>,
    pub noticed: Vec<Diagnostic>,
    pub left_out: usize,
}

pub(super) fn check_views(
    workspace: &Workspace,
    settings: &Settings,
    whole: &LintContext<'_>,
) -> ViewFindings {
    let survey = whole.survey;
    let mut noticed = Vec::new();
    let mut choices = choices(workspace, survey, &mut noticed);
    let plans = Plans::new(workspace, survey, settings);
    let mut left = MAX_RESOLVED;
    let all = choices.len();
    let mut first = true;
    choices.retain(|choice| {
        let size = plans.layers(choice).iter().map(|&at| plans.of_layer[at].len()).sum::<usize>();
        let fits = first || size <= left;
        left = left.saturating_sub(size);
        first = false;
        fits
    });
    let configs = plans.configs(&choices);
    let look = |choice: &ViewChoice| plans.look(choice, whole, &configs);
    let looked: Vec<_> = if survey.documents.len() > SEQUENTIAL_ABOVE {
        choices.iter().map(look).collect()
    } else {
        choices.par_iter().map(look).collect()
    };
    ViewFindings { found: merge(looked), noticed, left_out: all - choices.len() }
}

fn choices(
    workspace: &Workspace,
    survey: &Inventory,
    found: &mut Vec<Diagnostic>,
) -> Vec<ViewChoice> {
    let names = |kind: LayerKind, first: Option<&str>| -> Vec<String> {
        let of_kind = survey.layers.iter().filter(|layer| layer.kind == kind);
        let all: BTreeSet<&str> = of_kind.filter_map(|layer| layer.name.as_deref()).collect();
        let others = all.into_iter().filter(|name| Some(*name) != first);
        first.into_iter().chain(others).map(str::to_owned).collect()
    };
    let Config { settings, access, .. } = &workspace.config;
    let configured: Vec<String> = settings.teams.iter().map(|team| team.value.clone()).collect();
    let alone = names(LayerKind::Team, None).into_iter().map(|team| vec![team]);
    let mut teams: Vec<Vec<String>> = alone.filter(|team| *team != configured).collect();
    if !configured.is_empty() {
        teams.insert(0, configured.clone());
    }
    let workflows = names(LayerKind::Workflow, text(settings.workflow.as_ref()).as_deref());
    let users = names(LayerKind::User, text(access.user.as_ref()).as_deref());
    let has_optional = !users.is_empty()
        || (configured.is_empty() && !teams.is_empty())
        || (settings.workflow.is_none() && !workflows.is_empty());
    let mut ranked = Vec::new();
    let without_roles = survey.lineages.is_empty().then_some(None);
    for lineage in (0..survey.lineages.len()).map(Some).chain(without_roles) {
        let platforms =
            lineage.map(|at| platforms(workspace, &survey.lineages[at], found)).unwrap_or_default();
        let most = platforms.len().max(teams.len()).max(workflows.len()).max(users.len()).max(1);
        if has_optional {
            let platform = platforms.first().cloned();
            let (teams, workflow) = (configured.clone(), text(settings.workflow.as_ref()));
            let plain = ViewChoice { lineage, platform, teams, workflow, user: None };
            ranked.push((1, plain));
        }
        for n in 0..most {
            let platform = nth(&platforms, n);
            let (workflow, user) = (nth(&workflows, n), nth(&users, n));
            let teams = nth(&teams, n).unwrap_or_default();
            ranked.push((n, ViewChoice { lineage, platform, teams, workflow, user }));
        }
    }
    ranked.sort_by_key(|(n, _)| *n);
    ranked.into_iter().map(|(_, choice)| choice).collect()
}

fn nth<T: Clone>(all: &[T], n: usize) -> Option<T> {
    (!all.is_empty()).then(|| all[n % all.len()].clone())
}

fn platforms(
    workspace: &Workspace,
    lineage: &Lineage,
    found: &mut Vec<Diagnostic>,
) -> Vec<Platform> {
    let role = lineage.role();
    let (config, sources) = (&workspace.config, &workspace.sources);
    let detected = role::detect_platform(role, config, sources, found);
    let declared = role.agent.iter().flat_map(|agent| &agent.platforms);
    let declared = declared.map(|platform| Platform {
        name: platform.value.clone(),
        chosen_by: format!("platforms in {}", sources.place(platform.span)),
        at: Some(platform.span),
    });
    let mut platforms: Vec<Platform> = detected.into_iter().collect();
    for platform in declared {
        if !platforms.iter().any(|known| known.name == platform.name) {
            platforms.push(platform);
        }
    }
    platforms
}

fn text(field: Option<&Spanned<String>>) -> Option<String> {
    field.map(|field| field.value.clone())
}

type ConfigKey = Vec<usize>;
type Configs = BTreeMap<ConfigKey, (Config, Vec<Diagnostic>)>;

#[derive(Debug)]
pub struct VisibleContexts {
    pub lineage: Option<usize>,
    pub catalog: ContextSet,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ViewKey {
    pub lineage: Option<usize>,
    pub layer: Option<usize>,
}

pub fn see(linter: &Linter, ViewKey { lineage, layer }: ViewKey) -> VisibleContexts {
    let Linter { workspace, survey, settings, .. } = linter;
    let plans = Plans::new(workspace, survey, settings);
    let chosen = &workspace.config.settings;
    let platforms = lineage.map(|at| platforms(workspace, &survey.lineages[at], &mut Vec::new()));
    let mut choice = ViewChoice {
        lineage,
        platform: platforms.and_then(|platforms| platforms.into_iter().next()),
        teams: workspace.teams(),
        workflow: text(chosen.workflow.as_ref()),
        user: text(workspace.config.access.user.as_ref()),
    };
    let layer = layer.map(|at| &survey.layers[at]);
    if let Some((kind, Some(name))) = layer.map(|layer| (layer.kind, layer.name.clone())) {
        match kind {
            LayerKind::Platform => choice.platform = Some(Platform::named(name)),
            LayerKind::Team => choice.teams = vec![name],
            LayerKind::Workflow => choice.workflow = Some(name),
            LayerKind::User => choice.user = Some(name),
            _ => {}
        }
    }
    let lineage_of = lineage.map(|at| &survey.lineages[at]);
    let roots = lineage_of.map(Lineage::roots).unwrap_or_default();
    let view = View { principal: workspace.principal(), ..plans.view(&choice, lineage_of) };
    let at = plans.layers(&choice);
    let mut documents = plans.with_other_roles(&choice, &plans.documents(&at));
    documents.retain(|document| view.may_see(&document.front.fields));
    let shown: BTreeSet<FileId> = documents.iter().map(|document| document.file).collect();
    let hidden = |file: &FileId| !shown.contains(file);
    let of_documents: BTreeSet<FileId> = survey.documents.iter().map(|it| it.file).collect();
    let expander = Expander {
        sources: &workspace.sources,
        role_root: roots.first().map(camino::Utf8PathBuf::as_path),
        role_homes: &plans.role_homes,
        inclusion: &|file| {
            let is_hidden = of_documents.contains(&file) && hidden(&file);
            if is_hidden { Inclusion::Silent } else { plans.inclusion(&view, file) }
        },
    };
    let layers: Vec<Layer> = at.iter().map(|&at| survey.layers[at].clone()).collect();
    let catalog = catalog::resolve(&documents, &layers, &view, &expander).value;
    VisibleContexts { lineage, catalog }
}

struct Plans<'a> {
    workspace: &'a Workspace,
    survey: &'a Inventory,
    settings: &'a Settings,
    of_layer: Vec<Range<usize>>,
    by_name: BTreeMap<(LayerKind, Option<&'a str>), Vec<usize>>,
    of_file: BTreeMap<FileId, &'a Document>,
    role_homes: Vec<camino::Utf8PathBuf>,
    summaries: Summaries,
}

struct OneView {
    lineage: Option<usize>,
    found: Vec<Diagnostic>,
    files: Vec<FileId>,
    platform_files: BTreeSet<FileId>,
}

impl<'a> Plans<'a> {
    fn new(workspace: &'a Workspace, survey: &'a Inventory, settings: &'a Settings) -> Self {
        let documents = &survey.documents;
        let bound = |at: usize| documents.partition_point(|document| document.layer < at);
        let of_layer = (0..survey.layers.len()).map(|at| bound(at)..bound(at + 1)).collect();
        let summaries = Summaries::new(survey, &workspace.config);
        let role_homes = workspace.role_homes();
        let mut by_name: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (at, layer) in survey.layers.iter().enumerate() {
            let name = match layer.kind {
                LayerKind::Project | LayerKind::Organization => None,
                LayerKind::Role => Some(layer.folder.as_str()),
                _ => layer.name.as_deref(),
            };
            by_name.entry((layer.kind, name)).or_default().push(at);
        }
        let of_file = documents.iter().map(|document| (document.file, document)).collect();
        Self { workspace, survey, settings, of_layer, by_name, of_file, role_homes, summaries }
    }

    fn layers(&self, choice: &ViewChoice) -> Vec<usize> {
        let lineage = choice.lineage.map(|at| &self.survey.lineages[at]);
        let roles = lineage.into_iter().flat_map(|lineage| &lineage.roles);
        let roles = roles.map(|role| (LayerKind::Role, Some(role.root.as_str())));
        let names = [
            (LayerKind::Platform, choice.platform.as_ref().map(|p| p.name.as_str())),
            (LayerKind::RoleOverlay, lineage.map(|l| l.role().name.as_str())),
            (LayerKind::Workflow, choice.workflow.as_deref()),
            (LayerKind::User, choice.user.as_deref()),
        ];
        let teams = choice.teams.iter().map(|team| (LayerKind::Team, Some(&**team)));
        let names = names.into_iter().filter(|(_, name)| name.is_some()).chain(teams);
        let of_users_packs = (LayerKind::User, None);
        let always = [(LayerKind::Project, None), (LayerKind::Organization, None), of_users_packs];
        let mut layers: Vec<usize> = Vec::new();
        for key in always.into_iter().chain(roles).chain(names) {
            layers.extend(self.by_name.get(&key).into_iter().flatten());
        }
        layers.sort_unstable();
        layers.dedup();
        layers
    }

    fn config_key(&self, layers: &[usize]) -> ConfigKey {
        layers.iter().copied().filter(|at| self.survey.configs.contains_key(at)).collect()
    }

    fn configs(&self, choices: &[ViewChoice]) -> Configs {
        let keys: BTreeSet<ConfigKey> =
            choices.iter().map(|choice| self.config_key(&self.layers(choice))).collect();
        let keys: Vec<ConfigKey> = keys.into_iter().collect();
        let put = |key: &ConfigKey| {
            let nodes: Vec<Node> = key.iter().map(|at| self.survey.configs[at].clone()).collect();
            self.workspace.config_with(&nodes)
        };
        let configs: Vec<_> = keys.par_iter().map(put).collect();
        keys.into_iter().zip(configs).collect()
    }

    fn with_budget(&self, layers: &[usize], budget: &Node) -> Config {
        let overlays = self.config_key(layers);
        let mut nodes: Vec<Node> =
            overlays.iter().map(|at| self.survey.configs[at].clone()).collect();
        nodes.push(Node::nest("budget", budget.clone()));
        self.workspace.config_with(&nodes).0
    }

    fn view(&self, choice: &ViewChoice, lineage: Option<&Lineage>) -> View {
        let environment = self.workspace.config.settings.environment.as_ref();
        View {
            date: self.settings.today,
            principal: Principal::author(),
            user_layer: true,
            environment: environment.map(|environment| environment.value.clone()),
            platform: choice.platform.as_ref().map(|platform| platform.name.clone()),
            teams: choice.teams.clone(),
            workflow: choice.workflow.clone(),
            role: lineage.map(|lineage| lineage.role().name.clone()),
            is_external_output: false,
        }
    }

    fn inclusion(&self, view: &View, file: FileId) -> Inclusion {
        match self.of_file.get(&file) {
            Some(document) => Inclusion::of(view, &document.front.fields),
            None => Inclusion::of_file(view, &self.workspace.sources, file),
        }
    }

    fn documents(&self, layers: &[usize]) -> Vec<&'a Document> {
        let documents = &self.survey.documents;
        let mut taken: Vec<&Document> = Vec::new();
        for &at in layers {
            taken.extend(&documents[self.of_layer[at].clone()]);
        }
        let customs = self.survey.customs.iter();
        let named: BTreeSet<FileId> = customs
            .filter(|custom| custom.layer.is_none_or(|at| layers.contains(&at)))
            .filter_map(|custom| custom.file)
            .collect();
        let last = self.of_layer.last().cloned().unwrap_or_default();
        taken.extend(documents[last].iter().filter(|document| named.contains(&document.file)));
        taken
    }

    fn with_other_roles(
        &self,
        choice: &ViewChoice,
        documents: &[&'a Document],
    ) -> Vec<&'a Document> {
        let lineage = choice.lineage.map(|at| &self.survey.lineages[at]);
        let roles = lineage.map_or(&[][..], |lineage| &lineage.roles);
        let is_own = |document: &&Document| {
            roles.iter().any(|role| document.id.role.as_deref() == Some(role.name.as_str()))
        };
        let others = self.survey.of_roles.iter().filter(|document| !is_own(document));
        documents.iter().copied().chain(others).collect()
    }

    fn look(&self, choice: &ViewChoice, whole: &LintContext<'_>, configs: &Configs) -> OneView {
        let lineage = choice.lineage.map(|at| &self.survey.lineages[at]);
        let at = self.layers(choice);
        let (config, noticed) = &configs[&self.config_key(&at)];
        let mut found = noticed.clone();
        let documents = self.documents(&at);
        let layers: Vec<Layer> = at.iter().map(|&at| self.survey.layers[at].clone()).collect();
        let roots = lineage.map(Lineage::roots).unwrap_or_default();
        let view = self.view(choice, lineage);
        let expander = Expander {
            sources: whole.sources,
            role_root: roots.first().map(camino::Utf8PathBuf::as_path),
            role_homes: &self.role_homes,
            inclusion: &|file| self.inclusion(&view, file),
        };
        let catalog =
            catalog::resolve(&self.with_other_roles(choice, &documents), &layers, &view, &expander)
                .drain_into(&mut found);
        let (platform, known) = (choice.platform.as_ref(), whole.caches.prompts());
        let read = lineage.map(|lineage| prompt::read(lineage, platform, false, &expander, known));
        let mut prompt = read.map(|read| read.drain_into(&mut found)).unwrap_or_default();
        prompt.resolve(&catalog, &expander, None);
        let read = Read { prompt, instruction: None, triggers: RequestTriggers::default() };
        let own = read.prompt.budget.as_ref().map(|budget| self.with_budget(&at, budget));
        let config = own.as_ref().unwrap_or(config);
        let customs = self.survey.customs.iter().filter(|custom| {
            custom.layer.is_none_or(|layer| at.contains(&layer)) && is_name(&custom.reference.value)
        });
        let customs: Vec<_> = customs.map(|custom| (custom.reference.clone(), None)).collect();
        let mut selection = config.selection.clone();
        selection.semantic = Semantic::Off;
        let inputs = choose::SelectionInput {
            catalog: &catalog,
            expander: &expander,
            platform: choice.platform.as_ref(),
            rules: &read.prompt.rules,
            loads: &read.prompt.loads,
            custom: &customs,
            request: &Request::default(),
            config: &selection,
            weights: config.search.weights,
            ranker: whole.caches.ranker(),
            barred: &BTreeSet::new(),
        };
        let selection = choose::select(inputs)
            .map_or_else(|_| Selection::default(), |it| it.drain_into(&mut found));
        let input = ViewInput {
            whole,
            choice,
            lineage,
            view: &view,
            config,
            catalog: &catalog,
            selection: &selection,
            documents: &documents,
            expander: &expander,
            read: &read,
            terms: &declared::terms(&inputs),
            summaries: &self.summaries,
        };
        for check in CHECKS {
            if let Check::View(check) = check {
                check(&input, &mut found);
            }
        }
        let mut files: Vec<FileId> = documents.iter().map(|document| document.file).collect();
        files.extend(lineage.iter().flat_map(|lineage| lineage.roles.iter().map(|r| r.prompt)));
        let instructions = self.survey.instructions(whole.sources, lineage);
        for entry in instructions.filter(|entry| entry.kind != FileKind::Prompt) {
            prompt::instruction("task", "", entry.file, &expander, &mut found);
            files.push(entry.file);
        }
        let platforms = catalog.contexts.values();
        let platforms = platforms.filter(|context| context.front.fields.mcp_server.is_some());
        let lines = platforms.flat_map(|context| context.body.all_lines(whole.sources));
        let platform_files = lines.map(|line| line.origin.file).collect();
        OneView { lineage: choice.lineage, found, files, platform_files }
    }
}

fn is_name(text: &str) -> bool {
    matches!(references::parse(text).0, Reference::Name { .. } | Reference::Id { .. })
}

/// Findings of [`EVERYWHERE`] must occur in every view of their file.
fn merge(views: Vec<OneView>) -> Vec<Diagnostic> {
    type FindingKey = (&'static str, Span, Option<usize>);
    struct MergedFinding {
        first: Diagnostic,
        views: usize,
        last: usize,
    }
    let mut seen: BTreeMap<FindingKey, MergedFinding> = BTreeMap::new();
    let mut takes_part: BTreeMap<FileId, usize> = BTreeMap::new();
    let mut is_resolved: BTreeMap<FileId, usize> = BTreeMap::new();
    for (at, view) in views.into_iter().enumerate() {
        for file in view.files {
            *takes_part.entry(file).or_default() += 1;
        }
        for file in view.platform_files {
            *is_resolved.entry(file).or_default() += 1;
        }
        for found in view.found {
            let role = PER_ROLE.contains(&found.rule()).then_some(view.lineage).flatten();
            let key = (found.code(), found.primary.span, role);
            let seen = seen.entry(key).or_insert_with(|| MergedFinding {
                first: found,
                views: 1,
                last: at,
            });
            seen.views += usize::from(seen.last != at);
            seen.last = at;
        }
    }
    let everywhere = |((code, span, _), seen): &(FindingKey, MergedFinding)| {
        let of_rule = if *code == undeclared_tool::RULE.code { &is_resolved } else { &takes_part };
        let needed = of_rule.get(&span.file).copied().unwrap_or(1);
        !EVERYWHERE.iter().any(|rule| rule.code == *code) || seen.views >= needed
    };
    seen.into_iter().filter(everywhere).map(|(_, seen)| seen.first).collect()
}
