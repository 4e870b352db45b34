use std::collections::{BTreeMap, BTreeSet};

use crate::validate::check::LintContext;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::{Document, Layer};
use faber_core::layer::LayerKind;
use faber_core::parse::fields::{Condition, Conditions};
use faber_core::role::Lineage;
use faber_core::rules::condition_never_true::RULE;
use faber_core::source::{Span, Spanned};
use faber_core::suggest;
use faber_core::yaml::{Entry, Node};

const LISTED: usize = 8;

type NameSet<'a> = BTreeSet<&'a str>;

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let mut judge = None;
    for document in &whole.survey.documents {
        let Some(when) = &document.front.fields.when else { continue };
        let judge = judge.get_or_insert_with(|| ConditionJudge::new(whole));
        found.extend(judge.never(document, when));
    }
}

struct ConditionJudge<'a> {
    whole: &'a LintContext<'a>,
    roles: NameSet<'a>,
    platforms: NameSet<'a>,
    teams: NameSet<'a>,
    workflows: NameSet<'a>,
    heirs: BTreeMap<&'a camino::Utf8Path, NameSet<'a>>,
}

impl<'a> ConditionJudge<'a> {
    fn new(whole: &'a LintContext<'a>) -> Self {
        let (survey, config) = (whole.survey, whole.config);
        let overlays = |kind: LayerKind| -> NameSet<'a> {
            let of_kind = survey.layers.iter().filter(|layer| layer.kind == kind);
            of_kind.filter_map(|layer| layer.name.as_deref()).collect()
        };
        let with = |kind: LayerKind, configured: &'a [Spanned<String>]| {
            let mut names = overlays(kind);
            if !names.is_empty() {
                names.extend(configured.iter().map(|name| name.value.as_str()));
            }
            names
        };
        let mut platforms = overlays(LayerKind::Platform);
        platforms.extend(config.platforms.values().map(|platform| platform.value.as_str()));
        platforms.extend(survey.documents.iter().filter_map(|d| d.platform.as_deref()));
        let mut heirs: BTreeMap<&camino::Utf8Path, NameSet<'a>> = BTreeMap::new();
        for lineage in &survey.lineages {
            if let Some(agent) = &lineage.role().agent {
                let declared = agent.platforms.iter().chain(&agent.default_platform);
                platforms.extend(declared.map(|platform| platform.value.as_str()));
            }
            for role in &lineage.roles {
                heirs.entry(&role.root).or_default().insert(&lineage.role().name);
            }
        }
        Self {
            whole,
            roles: survey.lineages.iter().map(Lineage::role).map(|r| r.name.as_str()).collect(),
            platforms,
            teams: with(LayerKind::Team, &config.settings.teams),
            workflows: with(LayerKind::Workflow, config.settings.workflow.as_slice()),
            heirs,
        }
    }

    fn never(&self, document: &Document, when: &Conditions) -> Option<Diagnostic> {
        let one = when.all.iter().find_map(|it| self.never_one(document, &when.none, it));
        one.or_else(|| self.never_not(document, &when.none))
    }

    fn never_one(
        &self,
        document: &Document,
        none: &[Condition],
        condition: &Condition,
    ) -> Option<Diagnostic> {
        let key = condition.key.value.as_str();
        let entry = entry(document.front.node.get("when"), key)?;
        if !Condition::KEYS.contains(&key) {
            return None;
        }
        if condition.values.is_empty() {
            let is_empty =
                entry.value.is_null() || entry.value.items().is_some_and(<[_]>::is_empty);
            let message = format!("`{key}` has no value, so this condition is never true");
            return is_empty
                .then(|| RULE.at(entry.key_span, message).help("add a value, or remove the line"));
        }
        let values: NameSet<'_> = condition.values.iter().map(String::as_str).collect();
        let (known, of_folder) = self.possible(document, key);
        let can: NameSet<'_> = match &known {
            Some(known) => values.intersection(known).copied().collect(),
            None => values.clone(),
        };
        let asked = condition.values.join("` or `");
        let span = entry.value.span;
        if let Some(known) = known.filter(|_| can.is_empty()) {
            return Some(if of_folder {
                RULE.at(span, format!("in this folder the {key} is never `{asked}`"))
                    .help(format!("here it is `{}`", listed(&known, "` or `")))
            } else {
                let message = match key {
                    // They can be set without a file.
                    "team" | "workflow" => {
                        format!("no overlay and no setting has the {key} `{asked}`")
                    }
                    _ => format!("unknown {key} `{asked}`, so this condition is never true"),
                };
                RULE.at(span, message).help(meant(&condition.values[0], &known))
            });
        }
        if let Some(configured) = self.other_case(key, &values) {
            let message = format!(
                "the environment is spelled `{configured}`, so this condition is never true"
            );
            return Some(RULE.at(span, message).help(format!("write `{configured}`")));
        }
        let not = none.iter().find(|not| not.key.value == key)?;
        let forbidden = |value: &&str| not.values.iter().any(|no| no == value);
        can.iter().all(forbidden).then(|| {
            let message =
                format!("`not` excludes the {key} `{asked}`, so this condition is never true");
            let found = RULE.at(span, message).related(place(document, not), "forbids it");
            found.help("remove one of the two")
        })
    }

    fn never_not(&self, document: &Document, none: &[Condition]) -> Option<Diagnostic> {
        none.iter().find_map(|not| {
            let key = not.key.value.as_str();
            let (known, of_folder) = self.possible(document, key);
            let known = known.filter(|_| of_folder || key == "role")?;
            let forbidden = |name: &&str| not.values.iter().any(|no| no == name);
            known.iter().all(forbidden).then(|| {
                let names = listed(&known, "` and `");
                let message = format!("`not` excludes `{names}`, and no other {key} exists");
                RULE.at(place(document, not), message).help("remove the condition or the file")
            })
        })
    }

    fn possible(&self, document: &Document, key: &str) -> (Option<NameSet<'a>>, bool) {
        let layer: &'a Layer = &self.whole.survey.layers[document.layer];
        let own = || layer.name.as_deref().map(|name| NameSet::from([name]));
        let (all, of_folder) = match (key, layer.kind) {
            ("role", LayerKind::Role) => (&self.roles, self.heirs.get(&*layer.folder).cloned()),
            ("role", LayerKind::RoleOverlay) => (&self.roles, own()),
            ("role", _) => (&self.roles, None),
            ("platform", LayerKind::Platform) => (&self.platforms, own()),
            ("platform", _) => (&self.platforms, None),
            ("team", LayerKind::Team) => (&self.teams, own()),
            ("team", _) => (&self.teams, None),
            ("workflow", LayerKind::Workflow) => (&self.workflows, own()),
            ("workflow", _) => (&self.workflows, None),
            _ => return (None, false),
        };
        match of_folder {
            Some(names) => (Some(names), true),
            None => (Some(all.clone()).filter(|names| !names.is_empty()), false),
        }
    }

    fn other_case(&self, key: &str, values: &NameSet<'_>) -> Option<&'a str> {
        let configured = self.whole.config.settings.environment.as_ref()?.value.as_str();
        let folded = configured.to_lowercase();
        let is_other = |value: &&str| *value != configured && value.to_lowercase() == folded;
        (key == "environment" && values.iter().all(is_other)).then_some(configured)
    }
}

fn entry<'n>(node: Option<&'n Node>, key: &str) -> Option<&'n Entry> {
    node.map(Node::entries).unwrap_or_default().iter().find(|entry| entry.key == key)
}

fn place(document: &Document, not: &Condition) -> Span {
    let inner = document.front.node.get("when").and_then(|node| node.get("not"));
    entry(inner, &not.key.value).map_or(not.key.span, |entry| entry.value.span)
}

fn meant(value: &str, known: &NameSet<'_>) -> String {
    let available = format!("available: `{}`", listed(known, "`, `"));
    suggest::help(suggest::closest(value, known.iter().copied()), available)
}

fn listed(names: &NameSet<'_>, between: &str) -> String {
    let mut shown: Vec<&str> = names.iter().take(LISTED).copied().collect();
    if names.len() > LISTED {
        shown.push("…");
    }
    shown.join(between)
}
