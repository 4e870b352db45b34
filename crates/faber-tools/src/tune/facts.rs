use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use serde_json::Value;

use super::usage::content_stems;
use faber_core::category::{Category, Load};
use faber_core::error::Error;
use faber_core::packs;
use faber_core::parse::rules::{RuleKind, SelectionRule};
use faber_core::resolve::catalog::Context;
use faber_core::resolve::index::{ReferenceOrigin, Resolution};
use faber_core::select::choose::load_of;
use faber_core::select::keywords::normalized;
use faber_core::workspace::Viewer;
use faber_session::audit::AuditEntry;
use faber_session::audit::kind::PROMPT;
use faber_session::session::{ResolvedView, Session};

const MAX_PER_TOPIC: usize = 10;

#[derive(Clone, Debug)]
pub(super) struct ContextFacts {
    pub path: Utf8PathBuf,
    pub is_own: bool,
    pub load: Load,
    pub category: Category,
    pub is_required: bool,
    pub is_truncatable: bool,
    pub keywords: BTreeSet<Vec<String>>,
    pub topic: BTreeSet<String>,
    pub related: BTreeSet<String>,
    pub roles: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub(super) struct PackFacts {
    pub(super) contexts: BTreeMap<String, ContextFacts>,
    by_keyword: BTreeMap<Vec<String>, Vec<String>>,
    longest: usize,
    default_role: Option<String>,
}

impl PackFacts {
    pub(super) fn read(session: &Session) -> Result<Self, Error> {
        let workspace = session.workspace();
        let names = workspace.role_names();
        let configured = workspace.config.settings.role.as_ref().map(|role| role.value.clone());
        let only = names.first().filter(|_| names.len() == 1).cloned();
        let mut facts = Self { default_role: configured.or(only), ..Self::default() };
        let roles: Vec<Option<String>> =
            if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() };
        for role in roles {
            facts.add(role.as_deref(), &session.view(&Viewer::new(role.clone(), None))?);
        }
        facts.drop_common_words();
        for (id, context) in &facts.contexts {
            for keyword in context.keywords.iter().filter(|keyword| !keyword.is_empty()) {
                facts.longest = facts.longest.max(keyword.len());
                facts.by_keyword.entry(keyword.clone()).or_default().push(id.clone());
            }
        }
        Ok(facts)
    }

    fn add(&mut self, role: Option<&str>, view: &ResolvedView) {
        let sources = &view.workspace.sources;
        let prompts = view.workspace.caches.prompts();
        let read = view.resolved.read(sources, None, false, prompts).value;
        let rules = view.resolved.rules(sources, &read.prompt);
        let contexts = view.resolved.catalog.contexts.values();
        for context in contexts.filter(|context| context.id.role.is_none()) {
            let keywords = keywords(context, rules.get(&context.id).map_or(&[], Vec::as_slice));
            let id = context.id.to_string();
            if let Some(known) = self.contexts.get_mut(&id) {
                known.keywords.extend(keywords);
                known.roles.extend(role.map(str::to_owned));
                continue;
            }
            let path = sources.path(context.sources[0].file).to_owned();
            let fields = &context.front.fields;
            let facts = ContextFacts {
                is_own: path.components().any(|part| part.as_str() == "contexts")
                    && path.is_relative()
                    && packs::of_path(&path).is_none(),
                load: load_of(context),
                category: context.id.category,
                is_required: fields.required,
                is_truncatable: !fields.fixed,
                keywords,
                topic: topic(context, view),
                related: related(context, view),
                roles: role.map(str::to_owned).into_iter().collect(),
                path,
            };
            self.contexts.insert(id, facts);
        }
    }

    fn drop_common_words(&mut self) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for word in self.contexts.values().flat_map(|context| &context.topic) {
            *counts.entry(word.clone()).or_default() += 1;
        }
        let most = (self.contexts.len() * MAX_PER_TOPIC / 100).max(1);
        for context in self.contexts.values_mut() {
            context.topic.retain(|word| counts[word] <= most);
        }
    }

    fn matched<'f>(&'f self, text: &[String]) -> BTreeSet<&'f str> {
        let windows = (1..=self.longest).flat_map(|count| text.windows(count));
        let contexts = windows.filter_map(|window| self.by_keyword.get(window)).flatten();
        contexts.map(String::as_str).collect()
    }

    pub(super) fn selected<'f>(&'f self, request: &[String]) -> BTreeSet<&'f str> {
        let mut selected = self.matched(request);
        let matched = selected.iter().filter_map(|id| self.contexts.get(*id));
        let related: Vec<&str> = matched.flat_map(|it| &it.related).map(String::as_str).collect();
        selected.extend(related);
        selected
    }

    pub(super) fn has_keyword(&self, phrase: &[String]) -> bool {
        !self.matched(phrase).is_empty()
    }

    pub(super) fn may_get(&self, facts: &ContextFacts, request: &AuditEntry) -> bool {
        let key = if request.tool == PROMPT { "name" } else { "role" };
        let named = request.arguments.get(key).and_then(Value::as_str);
        let role = named.or(self.default_role.as_deref());
        role.is_none_or(|role| facts.roles.is_empty() || facts.roles.contains(role))
    }
}

impl ContextFacts {
    pub(super) fn is_selected_by_requests(&self) -> bool {
        let by_request =
            matches!(self.load, Load::Keyword | Load::Error | Load::Files | Load::OnDemand);
        by_request && !self.is_required && self.category != Category::Platform
    }
}

fn keywords(context: &Context, rules: &[&SelectionRule]) -> BTreeSet<Vec<String>> {
    let fields = &context.front.fields;
    let by_word = |rule: &&&SelectionRule| matches!(rule.kind, RuleKind::Keyword | RuleKind::Error);
    let of_rules = rules.iter().filter(by_word).flat_map(|rule| &rule.terms);
    let all = fields.keywords.iter().chain(&fields.errors).chain(of_rules);
    all.map(|term| normalized(&term.value)).collect()
}

fn topic(context: &Context, view: &ResolvedView) -> BTreeSet<String> {
    let fields = &context.front.fields;
    let body = context.body.text(&view.workspace.sources);
    let title = body.lines().find_map(|line| line.trim().strip_prefix("# ")).unwrap_or_default();
    let name = context.id.name.replace(['-', '_'], " ");
    let description = fields.description.as_ref().map_or("", |text| &*text.value);
    let keywords = fields.keywords.iter().map(|keyword| &*keyword.value);
    let texts = [&*name, title, description].into_iter().chain(keywords);
    content_stems(&texts.collect::<Vec<_>>().join("\n"))
}

fn related(context: &Context, view: &ResolvedView) -> BTreeSet<String> {
    let path = view.workspace.sources.original_path(context.sources[0].file);
    let from = ReferenceOrigin { path, role_root: None };
    let index = &view.resolved.catalog.index;
    let related = context.front.fields.related.iter();
    let ids = related.filter_map(|reference| match index.resolve(&reference.value, from) {
        Resolution::Context(id) => Some(id.to_string()),
        _ => None,
    });
    ids.collect()
}
