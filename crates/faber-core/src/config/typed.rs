//! A merged configuration with types.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::Budget;
use super::hook::HookConfig;
use super::models::Models;
use super::scalar::{Amount, map, names, number, size, small, text, texts, truth, whole, word};
use super::schema::PREVIEWS;
use super::search::{QueryConfig, SearchConfig};
use super::servers::McpServer;
use super::shared::{AuditConfig, ServeConfig, StoreConfig};
use crate::conversation::choose::Trigger;
use crate::source::{SourceMap, Spanned};
use crate::yaml::Node;

#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub platforms: BTreeMap<String, Spanned<String>>,
    pub mcp_servers: BTreeMap<String, McpServer>,
    pub settings: ConfigSettings,
    pub roles: Vec<Spanned<String>>,
    pub overlays: Overlays,
    pub encoding: Spanned<String>,
    pub model: Option<Spanned<String>>,
    pub models: Models,
    pub budget: Budget,
    pub selection: SelectionConfig,
    pub order: Order,
    pub access: AccessConfig,
    pub custom_contexts: Vec<Spanned<String>>,
    pub platform_config: BTreeMap<String, Node>,
    pub specialist_config: BTreeMap<String, Node>,
    pub audit: AuditConfig,
    pub hook: HookConfig,
    /// `None`: forever.
    pub keep_days: Option<u32>,
    pub extract_command: Option<String>,
    pub conversation: ConversationConfig,
    pub search: SearchConfig,
    pub query: QueryConfig,
    pub previews: Previews,
    pub publish: PublishConfig,
    pub serve: ServeConfig,
    pub store: StoreConfig,
    pub validate: Option<Node>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigSettings {
    pub organization: Option<Spanned<String>>,
    pub environment: Option<Spanned<String>>,
    pub teams: Vec<Spanned<String>>,
    pub workflow: Option<Spanned<String>>,
    pub role: Option<Spanned<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlays {
    pub enabled: bool,
    pub paths: Vec<Spanned<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SelectionConfig {
    pub upfront: Upfront,
    pub hybrid_threshold: u64,
    pub semantic: Semantic,
    pub threshold: f64,
    pub relative: f64,
    pub max_semantic: usize,
    pub weights: BTreeMap<String, f64>,
}

crate::named_enum! {
    #[derive(Default)]
    pub enum Upfront {
        /// Only in the catalog.
        #[default]
        Never = "never",
        /// If their sum is small.
        Auto = "auto",
    }
}

crate::named_enum! {
    #[derive(Default)]
    pub enum Semantic {
        Off = "off",
        /// First in the catalog.
        Suggest = "suggest",
        #[default]
        Load = "load",
    }
}

crate::named_enum! {
    #[derive(Default)]
    pub enum Order {
        /// Role, platform, standards, specialists, other contexts, request
        #[default]
        Sequence = "sequence",
        /// Everything first that does not depend on the request, for prompt caches
        Cache = "cache",
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessConfig {
    pub user: Option<Spanned<String>>,
    pub groups: Vec<String>,
    pub trust: BTreeMap<String, f64>,
}

impl Config {
    pub fn model(&self, name: &str) -> Option<&super::Model> {
        self.models.find(name).map(|(_, model)| model)
    }
}

pub fn typed(node: &Node, sources: &SourceMap) -> Config {
    let free = |key: &str| map(node.get(key), |value| Some(value.clone()));
    let timeout = node.at(&["mcp_config", "timeout_ms"]).and_then(whole);
    let encoding = node.at(&["tokenizer", "encoding"]).and_then(text);
    let encoding = encoding.unwrap_or(Spanned { value: "o200k_base".to_owned(), span: node.span });
    let server = |value: &Node| Some(McpServer::read(value, timeout));
    let groups = texts(node.at(&["access", "groups"])).into_iter();
    Config {
        platforms: map(node.get("platforms"), text),
        mcp_servers: map(node.get("mcp_servers"), server),
        settings: settings(node),
        roles: texts(node.get("roles")),
        overlays: Overlays {
            enabled: node.at(&["overlays", "enabled"]).and_then(truth).unwrap_or(true),
            paths: texts(node.at(&["overlays", "paths"])),
        },
        encoding,
        model: node.at(&["tokenizer", "model"]).and_then(text),
        models: Models::read(node.get("models")),
        budget: Budget::read(node.get("budget"), sources),
        selection: selection(node.get("selection")),
        order: word(node.at(&["render", "order"]), &Order::ALL),
        access: AccessConfig {
            user: node.at(&["access", "user"]).and_then(text),
            groups: groups.map(|one| one.value).collect(),
            trust: map(node.at(&["access", "trust"]), number),
        },
        custom_contexts: texts(node.get("custom_contexts")),
        platform_config: free("platform_config"),
        specialist_config: free("specialist_config"),
        audit: AuditConfig::read(node.get("audit")),
        hook: HookConfig::read(node.get("hook")),
        keep_days: node.at(&["history", "keep_days"]).and_then(small),
        extract_command: node.at(&["extract", "command"]).and_then(text).map(|it| it.value),
        conversation: ConversationConfig::read(node.get("conversation")),
        search: SearchConfig::read(node.get("search")),
        query: QueryConfig::read(node.get("query")),
        previews: Previews::read(node.get("previews")),
        publish: PublishConfig::read(node.get("publish")),
        serve: ServeConfig::read(node.get("serve")),
        store: StoreConfig::read(node.get("store")),
        validate: node.get("validate").cloned(),
    }
}

fn settings(node: &Node) -> ConfigSettings {
    let setting = |key| node.at(&["settings", key]).and_then(text);
    ConfigSettings {
        organization: setting("organization"),
        environment: setting("environment"),
        teams: names(node.at(&["settings", "team"])),
        workflow: setting("workflow"),
        role: setting("role"),
    }
}

fn selection(node: Option<&Node>) -> SelectionConfig {
    let get = |key: &str| node.and_then(|node| node.get(key));
    SelectionConfig {
        upfront: word(get("upfront"), &Upfront::ALL),
        hybrid_threshold: get("hybrid_threshold").and_then(whole).unwrap_or(40_000),
        semantic: word(get("semantic"), &Semantic::ALL),
        threshold: get("threshold").and_then(number).unwrap_or(0.3),
        relative: get("relative").and_then(number).unwrap_or(0.6),
        max_semantic: get("most").and_then(size).unwrap_or(6),
        weights: map(get("weights"), number),
    }
}

/// Maximum lengths of previews.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Previews([Option<usize>; PREVIEWS.len()]);

impl Previews {
    pub(super) fn read(node: Option<&Node>) -> Self {
        Self(PREVIEWS.map(|key| node?.get(key).and_then(size)))
    }

    fn own(&self, kind: &str) -> Option<usize> {
        self.0[PREVIEWS.iter().position(|known| *known == kind)?]
    }

    pub fn of(&self, kind: &str) -> usize {
        self.own(kind).or(self.own("default")).unwrap_or(200)
    }

    pub fn in_catalog(&self, kind: &str) -> usize {
        let catalog = self.own("catalog").unwrap_or(160);
        self.own(kind).map_or(catalog, |own| own.min(catalog))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishConfig {
    pub name: Option<Spanned<String>>,
    pub description: Option<Spanned<String>>,
    pub owner: Option<Spanned<String>>,
    pub homepage: Option<Spanned<String>>,
    pub repository: Option<Spanned<String>>,
    pub license: Option<Spanned<String>>,
    pub keywords: Vec<Spanned<String>>,
}

impl PublishConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let one = |key: &str| get(key).and_then(text);
        Self {
            name: one("name"),
            description: one("description"),
            owner: one("owner"),
            homepage: one("homepage"),
            repository: one("repository"),
            license: one("license"),
            keywords: texts(get("keywords")),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConversationConfig(pub [Amount; Trigger::NAMES.len()]);

impl Default for ConversationConfig {
    fn default() -> Self {
        Self([80.0, 90.0, 95.0].map(Amount::Percent))
    }
}

impl ConversationConfig {
    pub fn fired(&self, total: u64, tokens: usize) -> Vec<Trigger> {
        let all = Trigger::ALL.iter().zip(self.0);
        let reached = all.filter(|(_, size)| tokens as u64 >= size.of(total));
        reached.map(|((_, trigger), _)| *trigger).collect()
    }

    pub(super) fn read(node: Option<&Node>) -> Self {
        let triggers = node.and_then(|node| node.get("triggers"));
        let mut read = Self::default();
        for (name, amount) in Trigger::NAMES.iter().zip(&mut read.0) {
            let set = triggers.and_then(|node| node.get(name)).and_then(Amount::read);
            *amount = set.unwrap_or(*amount);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{config, over_defaults, rules, workspace};
    use super::*;
    use crate::category::CATEGORIES;

    fn values(list: &[Spanned<String>]) -> Vec<String> {
        list.iter().map(|one| one.value.clone()).collect()
    }

    #[test]
    fn the_defaults_have_types() {
        let config = config("");
        assert_eq!(values(&config.roles), ["roles", ".faber/roles"]);
        assert_eq!(values(&config.overlays.paths), [".faber/overlays"]);
        assert!(config.overlays.enabled && config.audit.enabled && config.model.is_none());
        assert_eq!(config.encoding.value, "o200k_base");
        let selection = &config.selection;
        assert_eq!((selection.upfront, selection.semantic), (Upfront::Never, Semantic::Load));
        assert_eq!((selection.hybrid_threshold, selection.weights.len()), (40_000, 11));
        assert_eq!((selection.weights["keyword"], selection.weights["always"]), (8.0, 6.0));
        assert_eq!(config.order, Order::Sequence);
        assert_eq!(config.model("gpt-4o-mini").map(|model| model.window), Some(128_000));
        assert_eq!(config.budget.limits(None, None).limit, 16_000);
    }

    #[test]
    fn values_have_types_and_places() {
        let (sources, node) = over_defaults(
            "platforms: { issue-manager: linear }\nsettings: { team: 42, workflow: '' }\n\
             overlays: { enabled: false }\nrender: { order: cache }\naudit: false\n\
             selection: { upfront: auto, semantic: off, threshold: 1, weights: { error: 8.5 } }\n\
             access: { user: alice, groups: [eng], trust: { alice: 0.9 } }\n\
             custom_contexts: [/a.md]\nplatform_config: { linear: { workspace: acme } }\n\
             tokenizer: { model: gpt-4o }\nbudget: { packing: greedy, stable: 10 }\n\
             validate: { rules: { dead-context: off } }\n",
        );
        let config = typed(&node, &sources);
        let linear = &config.platforms["issue-manager"];
        assert_eq!(
            (&*linear.value, sources.place(linear.span)),
            ("linear", ".faber/config.yml:1".into())
        );
        assert_eq!(
            (values(&config.settings.teams), config.settings.workflow),
            (vec!["42".to_owned()], None)
        );
        assert_eq!(
            (config.overlays.enabled, config.order, config.audit.enabled),
            (false, Order::Cache, false)
        );
        let selection = &config.selection;
        assert_eq!((selection.upfront, selection.semantic), (Upfront::Auto, Semantic::Off));
        assert_eq!((selection.threshold, selection.weights["error"]), (1.0, 8.5));
        assert_eq!(config.access.groups, ["eng"]);
        assert_eq!(
            (config.access.trust["alice"], config.access.user.unwrap().value),
            (0.9, "alice".into())
        );
        assert_eq!(config.custom_contexts[0].value, "/a.md");
        assert!(config.platform_config["linear"].get("workspace").is_some());
        assert_eq!(config.model.unwrap().value, "gpt-4o");
        assert_eq!(config.budget.packing, super::super::Packing::Greedy);
        assert_eq!(config.budget.limits(None, None).stable, 10);
        assert!(config.validate.is_some());
    }

    #[test]
    fn several_teams_are_a_list_or_have_commas() {
        for text in ["[core, two, core]", "'core, two,'"] {
            let settings = config(&format!("settings: {{ team: {text} }}\n")).settings;
            assert_eq!(values(&settings.teams), ["core", "two"], "{text}");
        }
    }

    #[test]
    fn invalid_values_count_as_not_set() {
        let (sources, node, _) = workspace("budget: 5\nroles: x\nselection: []\naudit: 3\n");
        let config = typed(&node, &sources);
        assert_eq!(config.budget.limits(None, None).limit, 16_000);
        assert_eq!((config.roles, config.audit.enabled), (Vec::new(), true));
    }

    #[test]
    fn every_kind_has_a_limit() {
        let read = |text: &str| Previews::read(over_defaults(text).1.get("previews"));
        let defaults = read("");
        assert_eq!((defaults.of("standard"), defaults.of("task")), (200, 100));
        assert_eq!((defaults.in_catalog("standard"), defaults.in_catalog("task")), (160, 100));
        let own = read("previews: { default: 50, pattern: 300, catalog: 90 }\n");
        assert_eq!((own.of("note"), own.of("pattern")), (50, 300));
        assert_eq!((own.in_catalog("note"), own.in_catalog("pattern")), (90, 90));
        for (at, row) in CATEGORIES.iter().enumerate() {
            assert_eq!(PREVIEWS[at + 2], row.name);
        }
    }

    #[test]
    fn what_is_said_about_the_whole_is_text() {
        let (sources, node) =
            over_defaults("publish: { name: acme, license: MIT, keywords: [rust, 2024] }\n");
        let publish = typed(&node, &sources).publish;
        let text = |text: &Option<super::Spanned<String>>| text.as_ref().map(|it| it.value.clone());
        assert_eq!(text(&publish.name).as_deref(), Some("acme"));
        assert_eq!((text(&publish.license).as_deref(), text(&publish.owner)), (Some("MIT"), None));
        let keywords: Vec<&str> = publish.keywords.iter().map(|it| &*it.value).collect();
        assert_eq!(keywords, ["rust", "2024"]);
        let (sources, _, found) = workspace("publish: { name: '', version: 1 }\n");
        assert_eq!(rules(&sources, &found).len(), 2, "an empty name, and an unknown key");
    }

    #[test]
    fn sizes_are_shares_of_the_whole_or_tokens() {
        assert_eq!(config("").conversation, ConversationConfig::default());
        let text = "conversation: { triggers: { archive: 7000 } }\n";
        let conversation = config(text).conversation;
        let names = |tokens| -> Vec<_> {
            conversation.fired(10_000, tokens).into_iter().map(Trigger::name).collect()
        };
        assert_eq!(names(6999), [""; 0]);
        assert_eq!(names(7000), ["archive"]);
        assert_eq!(names(8000), ["summarize", "archive"]);
        assert_eq!(names(9499), ["summarize", "archive"]);
        assert_eq!(names(100_000), ["summarize", "archive", "truncate"]);
    }
}
