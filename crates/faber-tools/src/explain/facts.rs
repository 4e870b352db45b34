use serde_json::Value;

use crate::explain::ExplainInput;
use crate::explain::data::{SelectorsData, SettingData, TermData};
use crate::explain::known::AssemblyIndex;
use faber_core::category::Load;
use faber_core::context_id::ContextId;
use faber_core::parse::frontmatter::FrontMatter;
use faber_core::parse::rules::RuleKind;
use faber_core::resolve::catalog::Context;
use faber_core::select::choose;
use faber_core::source::Spanned;
use faber_core::yaml::Node;

#[derive(Clone, Copy)]
pub(crate) struct NamedContext<'a> {
    pub id: &'a ContextId,
    pub context: Option<&'a Context>,
    pub front: &'a FrontMatter,
}

impl NamedContext<'_> {
    pub(crate) fn load(&self) -> Load {
        let own = || self.front.fields.load.as_ref().map(|load| load.value);
        self.context.map_or_else(|| own().unwrap_or(self.id.category.row().load), choose::load_of)
    }
}

const ALWAYS: [&str; 5] = ["load", "priority", "required", "truncatable", "max_tokens"];
const WHEN_SET: &str =
    "alwaysApply status valid_from valid_to when sealed extends superseded_by visibility";

pub(crate) fn settings(subject: ExplainInput<'_>, named: NamedContext<'_>) -> Vec<SettingData> {
    let node = |key: &str| named.front.node.get(key).filter(|node| !node.is_null());
    let default = |key: &str| match key {
        "load" => named.load().name().into(),
        "priority" => named.id.category.row().priority.into(),
        "required" => false.into(),
        "truncatable" => true.into(),
        _ => Value::Null,
    };
    let max_tokens = named.front.fields.max_tokens.as_ref().map(|tokens| tokens.value.into());
    let value = |key: &str| match key {
        "max_tokens" if max_tokens.is_some() => max_tokens.clone(),
        _ => node(key).map(Node::to_json),
    };
    let shown = ALWAYS.into_iter().chain(WHEN_SET.split(' ').filter(|key| node(key).is_some()));
    let setting = |key| SettingData {
        key,
        value: value(key).unwrap_or_else(|| default(key)),
        declared_at: node(key).map(|node| subject.sources().place(node.span)),
    };
    shown.map(setting).collect()
}

pub(crate) fn selectors(known: &AssemblyIndex<'_>, named: NamedContext<'_>) -> SelectorsData {
    let sources = known.subject.sources();
    let place = |term: &Spanned<String>| TermData {
        term: term.value.clone(),
        declared_at: sources.place(term.span),
    };
    let terms = |own: &[Spanned<String>], kind: RuleKind| {
        let declared = known.declared(named.id).iter().filter(|term| term.kind == kind);
        own.iter().chain(declared.map(|term| &term.term)).map(place).collect()
    };
    let fields = &named.front.fields;
    let own_globs = if named.load() == Load::Files { &fields.globs[..] } else { &[] };
    SelectorsData {
        load: named.load(),
        prompt: known.loads(named.id).iter().map(|span| sources.place(*span)).collect(),
        platform: named.context.and_then(|context| context.platform.clone()),
        keywords: terms(&fields.keywords, RuleKind::Keyword),
        errors: terms(&fields.errors, RuleKind::Error),
        globs: terms(own_globs, RuleKind::Files),
        related_to: known.related_to(named.id).to_vec(),
    }
}
