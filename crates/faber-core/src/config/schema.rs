//! The table of configuration keys.

use super::scalar::{Amount, number, truth, whole};
use super::{Abstraction, Freshness, Order, Packing, Purpose, SearchMode, Semantic, Upfront};
use crate::conversation::choose::Trigger;
use crate::escape::clip;
use crate::select::reason::ReasonKind;
use crate::source::{FileId, SourceMap};
use crate::tokens::Encoding;
use crate::word_list::words;
use crate::yaml::Node;

#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Text,
    Name,
    Bool,
    Whole(u64, u64),
    Number(f64, f64),
    Amount,
    OneOf(&'static [&'static str]),
    Texts,
    TextOrTexts,
    Map(&'static [Field]),
    MapOf(&'static [Field], &'static Shape),
    Free,
    Or(&'static Shape, &'static [Field]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setter {
    Any,
    NotOverlay,
    UserOnly(&'static str),
}

impl Setter {
    pub(super) fn allows(self, kind: ConfigSource) -> bool {
        match self {
            Self::Any => true,
            Self::NotOverlay => kind != ConfigSource::Overlay,
            Self::UserOnly(_) => matches!(kind, ConfigSource::User | ConfigSource::CommandLine),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) setter: Setter,
}

const fn any(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, setter: Setter::Any }
}

const fn all<const N: usize>(names: [&'static str; N], shape: Shape) -> [Field; N] {
    let mut fields = [any("", shape); N];
    let mut at = 0;
    while at < N {
        fields[at].name = names[at];
        at += 1;
    }
    fields
}

const fn guarded(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, setter: Setter::NotOverlay }
}

const fn user_only(name: &'static str, shape: Shape, why: &'static str) -> Field {
    Field { name, shape, setter: Setter::UserOnly(why) }
}

const SIZE: Shape = Shape::Whole(0, u64::MAX);
const UNIT: Shape = Shape::Number(0.0, 1.0);
const WEIGHT: Shape = Shape::Number(0.0, 1e6);
const ENCODING: Shape = Shape::OneOf(&{
    let mut names = [""; Encoding::NAMES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Encoding::NAMES[at].0;
        at += 1;
    }
    names
});

pub(super) static ROOT: Shape = Shape::Map(&[
    guarded("platforms", Shape::MapOf(&[], &Shape::Name)),
    any("mcp_servers", Shape::MapOf(&[], &Shape::Map(SERVER))),
    any("mcp_config", Shape::Map(&[any("timeout_ms", SIZE)])),
    guarded("settings", Shape::Map(SETTINGS)),
    guarded("roles", Shape::Texts),
    guarded("overlays", Shape::Map(&[any("enabled", Shape::Bool), any("paths", Shape::Texts)])),
    any(
        "environment",
        Shape::Map(&[user_only(
            "allow",
            Shape::Texts,
            "put values of your environment into prompts",
        )]),
    ),
    any("tokenizer", Shape::Map(&[any("encoding", ENCODING), any("model", Shape::Text)])),
    any("models", Shape::MapOf(&[], &Shape::Map(MODEL))),
    any("budget", Shape::Map(BUDGET)),
    any("selection", Shape::Map(SELECTION)),
    any("render", Shape::Map(&[any("order", Shape::OneOf(&Order::NAMES))])),
    any("conversation", Shape::Map(&[any("triggers", Shape::Map(TRIGGERS))])),
    any("search", Shape::Map(SEARCH)),
    any("query", Shape::Map(QUERY)),
    any("previews", Shape::Map(&all(PREVIEWS, PREVIEW))),
    any("access", Shape::Map(ACCESS)),
    guarded("validate", Shape::Map(VALIDATE)),
    any("custom_contexts", Shape::Texts),
    any("platform_config", Shape::MapOf(&[], &Shape::Free)),
    any("specialist_config", Shape::MapOf(&[], &Shape::Free)),
    guarded("audit", Shape::Or(&Shape::Bool, AUDIT)),
    guarded("hook", Shape::Map(HOOK)),
    guarded("history", Shape::Map(&[any("keep_days", DAYS)])),
    guarded(
        "extract",
        Shape::Map(&[user_only("command", Shape::Text, "make faber run a command")]),
    ),
    any("packs", Shape::MapOf(PACKS, &Shape::Map(PACK))),
    guarded("publish", Shape::Map(PUBLISH)),
    user_only("serve", Shape::Map(SERVE), "choose the issuers that a server trusts"),
    any(
        "store",
        Shape::Map(&[
            user_only("url", Shape::Name, "choose the server to read from and write to"),
            user_only("keep_days", Shape::Map(KEEP_DAYS), "erase entries of others"),
        ]),
    ),
]);

const DAYS: Shape = Shape::Whole(1, 36_500);

const KEEP_DAYS: &[Field] = &all(["history", "memories", "audit"], DAYS);

const SERVE: &[Field] = &[
    any("url", Shape::Name),
    any("requests_per_minute", Shape::Whole(1, 1_000_000)),
    any("oidc", Shape::Map(OIDC)),
];

const OIDC: &[Field] =
    &all(["issuer", "audience", "user_claim", "groups_claim", "scope"], Shape::Name);

const PUBLISH: &[Field] = &[
    any("name", Shape::Name),
    any("description", Shape::Name),
    any("owner", Shape::Name),
    any("homepage", Shape::Name),
    any("repository", Shape::Name),
    any("license", Shape::Name),
    any("keywords", Shape::Texts),
];

const PACKS: &[Field] = &[any("allow", Shape::Texts)];

const PACK: &[Field] = &[
    any("git", Shape::Name),
    any("ref", Shape::Name),
    any("path", Shape::Name),
    any("files", Shape::Texts),
    any("skills", Shape::Name),
    any("signed_by", Shape::Name),
];

const HOOK: &[Field] = &[
    any("session", SIZE),
    any("prompt", SIZE),
    any("block", Shape::OneOf(&["never", "security"])),
    user_only("notes", Shape::Bool, "take notes of your conversations"),
    any("clients", Shape::Map(HOOK_CLIENTS)),
];

const HOOK_CLIENTS: &[Field] = &all(
    ["claude", "codex", "cursor", "copilot", "gemini", "vscode", "opencode"],
    Shape::Map(&all(["max_chars", "max_tokens"], SIZE)),
);

const AUDIT: &[Field] = &[
    any("enabled", Shape::Bool),
    user_only("command_line", Shape::Bool, "log the input of its users"),
    any("max_bytes", Shape::Whole(4096, u64::MAX)),
    any("keep", Shape::Whole(0, 1000)),
];

const VALIDATE: &[Field] = &[
    any("rules", Shape::MapOf(&[], &Shape::OneOf(&["error", "warning", "hint", "off"]))),
    any("stale_after_days", Shape::Whole(1, 36_500)),
];

const SERVER: &[Field] = &[
    any("enabled", Shape::Bool),
    any("source", Shape::OneOf(&["local", "npm", "github"])),
    any("package", Shape::Text),
    any("version", Shape::Text),
    any("repository", Shape::Text),
    any("path", Shape::Text),
    any("command", Shape::Text),
    any("args", Shape::Texts),
    any("env", Shape::Free),
    any("url", Shape::Text),
    any("headers", Shape::Free),
    any("type", Shape::Text),
    any("description", Shape::Text),
    any("tools", Shape::Texts),
    any("timeout_ms", SIZE),
    any("config", Shape::Free),
];

const SETTINGS: &[Field] = &[
    any("organization", Shape::Text),
    any("environment", Shape::Text),
    any("team", Shape::TextOrTexts),
    any("workflow", Shape::Text),
    any("role", Shape::Text),
];

const MODEL: &[Field] = &[
    any("encoding", ENCODING),
    any("window", Shape::Whole(1, u64::MAX)),
    any("margin_percent", Shape::Whole(0, 1000)),
];

const BUDGET: &[Field] = &[
    any("total", Shape::Amount),
    any("window_share", Shape::Amount),
    any("context", Shape::Amount),
    any("conversation", Shape::Or(&Shape::Amount, CONVERSATION)),
    any("response", Shape::Amount),
    any("sections", Shape::Map(SECTIONS)),
    any("always", Shape::Amount),
    any("min_useful", SIZE),
    any("packing", Shape::OneOf(&Packing::NAMES)),
    any("stable", Shape::Amount),
    user_only("summarizer", Shape::Text, "make faber run a command"),
];

const TRIGGERS: &[Field] = &all(Trigger::NAMES, Shape::Amount);

const CONVERSATION: &[Field] = &all(["history", "message"], Shape::Amount);

const SECTIONS: &[Field] =
    &all(["system", "profile", "location", "related", "catalog"], Shape::Amount);

const SELECTION: &[Field] = &[
    any("upfront", Shape::OneOf(&Upfront::NAMES)),
    any("hybrid_threshold", SIZE),
    any("semantic", Shape::OneOf(&Semantic::NAMES)),
    any("threshold", UNIT),
    any("relative", UNIT),
    any("most", Shape::Whole(0, 1000)),
    any("weights", Shape::Map(&all(ReasonKind::NAMES, WEIGHT))),
];

const SEARCH: &[Field] = &[
    any("mode", Shape::OneOf(&SearchMode::NAMES)),
    any("weights", Shape::Or(&Shape::OneOf(&["seed"]), SCORES)),
    any("limit", Shape::Whole(1, 50)),
    any("freshness", Shape::OneOf(&Freshness::NAMES)),
];

pub(super) const PREVIEWS: [&str; 13] = *words!(
    "default, catalog, specialist, platform, standard, pattern, playbook, reference",
    "troubleshooting, task, flow, note, conversation",
);

const PREVIEW: Shape = Shape::Whole(20, 10_000);

const SCORES: &[Field] = &all(["semantic", "keyword"], WEIGHT);

const QUERY: &[Field] = &[
    any("relative", UNIT),
    any("novelty_threshold", UNIT),
    any("half_life_days", Shape::Whole(1, 36_500)),
    any("max_tokens", Shape::Whole(1, u64::MAX)),
    any("abstraction", Shape::OneOf(&Abstraction::NAMES)),
    any("purpose", Shape::OneOf(&Purpose::NAMES)),
];

const ACCESS: &[Field] = &[
    guarded("user", Shape::Text),
    any("groups", Shape::Texts),
    guarded("trust", Shape::MapOf(&[], &UNIT)),
];

impl Shape {
    pub(super) fn fields(&self) -> &'static [Field] {
        match self {
            Self::Map(fields) | Self::MapOf(fields, _) | Self::Or(_, fields) => fields,
            _ => &[],
        }
    }

    pub(super) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    pub(super) fn child(&'static self, name: &str) -> Option<&'static Self> {
        let known = self.field(name).map(|field| &field.shape);
        if let Self::MapOf(_, shape) = self { known.or(Some(shape)) } else { known }
    }

    pub(super) fn item(&self) -> Option<&'static Self> {
        matches!(self, Self::Texts).then_some(&Self::Text)
    }

    pub(super) fn takes_scalar(&self) -> bool {
        !matches!(self, Self::Texts | Self::Map(_) | Self::MapOf(..) | Self::Free)
    }

    pub(super) fn takes_map(&self) -> bool {
        matches!(self, Self::Map(_) | Self::MapOf(..) | Self::Free | Self::Or(..))
    }

    pub(super) fn fits(&self, node: &Node) -> bool {
        match self {
            Self::Text | Self::TextOrTexts => node.as_str().is_some(),
            Self::Name => node.as_str().is_some_and(|name| !name.trim().is_empty()),
            Self::Bool => truth(node).is_some(),
            Self::Whole(least, most) => {
                whole(node).is_some_and(|value| (*least..=*most).contains(&value))
            }
            Self::Number(least, most) => {
                number(node).is_some_and(|value| (*least..=*most).contains(&value))
            }
            Self::Amount => Amount::read(node).is_some(),
            Self::OneOf(words) => node.as_str().is_some_and(|text| words.contains(&text)),
            Self::Or(shape, _) => shape.fits(node),
            Self::Texts | Self::Map(_) | Self::MapOf(..) | Self::Free => false,
        }
    }

    pub(super) fn words(&self) -> &'static [&'static str] {
        match self {
            Self::OneOf(words) => words,
            Self::Or(shape, _) => shape.words(),
            _ => &[],
        }
    }

    pub(super) fn expected(&self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::TextOrTexts => "text or a list of text".to_owned(),
            Self::Name => "a name".to_owned(),
            Self::Bool => "`true` or `false`".to_owned(),
            Self::Whole(0, u64::MAX) => "a whole number".to_owned(),
            Self::Whole(least, u64::MAX) => format!("a whole number from {least}"),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Amount => {
                "tokens such as `8000` or `32k`, or a percentage such as `60%`".to_owned()
            }
            Self::Or(Self::Amount, _) => {
                "tokens such as `8000` or `32k`, a percentage such as `60%`, or a map".to_owned()
            }
            Self::Or(Self::Bool, _) => "`true`, `false` or a map".to_owned(),
            Self::Or(shape, _) => format!("`{}` or a map", shape.words().join("`, `")),
            Self::OneOf(words) => format!("one of `{}`", words.join("`, `")),
            Self::Texts => "a list of text".to_owned(),
            Self::Map(_) | Self::MapOf(..) | Self::Free => "a map".to_owned(),
        }
    }
}

pub(super) fn scalar_keys() -> Vec<String> {
    let mut keys = Vec::new();
    collect(&ROOT, "", &mut keys);
    keys
}

fn collect(shape: &Shape, prefix: &str, keys: &mut Vec<String>) {
    for field in shape.fields() {
        let key = join(prefix, field.name);
        if field.shape.takes_scalar() || field.shape.item().is_some_and(Shape::takes_scalar) {
            keys.push(key.clone());
        }
        collect(&field.shape, &key, keys);
    }
}

pub(super) fn at(key: &str) -> Option<&'static Shape> {
    below(key.split('.'))
}

fn below<'k>(mut keys: impl Iterator<Item = &'k str>) -> Option<&'static Shape> {
    keys.try_fold(&ROOT, Shape::child)
}

pub fn keys_below(
    path: &[&str],
    kind: ConfigSource,
) -> impl Iterator<Item = (&'static str, String)> {
    let fields = below(path.iter().copied()).map(Shape::fields).unwrap_or_default();
    let allowed = fields.iter().filter(move |field| field.setter.allows(kind));
    allowed.map(|field| (field.name, field.shape.expected()))
}

pub fn words_at(path: &[&str]) -> &'static [&'static str] {
    match below(path.iter().copied()) {
        Some(Shape::Bool | Shape::Or(Shape::Bool, _)) => &["true", "false"],
        shape => shape.map(Shape::words).unwrap_or_default(),
    }
}

const MAX_WORD: usize = 60;

pub(super) fn join(parent: &str, key: &str) -> String {
    if parent.is_empty() { clip(key) } else { format!("{parent}.{}", clip(key)) }
}

pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_WORD {
        return None;
    }
    let word = word.to_lowercase();
    known
        .map(|name| (strsim::damerau_levenshtein(&word, name), name))
        .filter(|&(distance, name)| distance <= (name.chars().count() / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

pub const DEFAULTS: &str = "built-in defaults";
pub const ENVIRONMENT: &str = "environment";
pub(super) const COMMAND_LINE: &str = "command line";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigSource {
    User,
    Workspace,
    Overlay,
    Environment,
    CommandLine,
}

pub fn is_command_line(sources: &SourceMap, file: FileId) -> bool {
    sources.path(file) == COMMAND_LINE
}

pub fn is_pseudo(sources: &SourceMap, file: FileId) -> bool {
    [DEFAULTS, ENVIRONMENT, COMMAND_LINE].contains(&sources.path(file).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_may_be_named() {
        let Shape::OneOf(words) = ENCODING else { panic!("it is a choice of words") };
        assert!(words.iter().copied().eq(Encoding::NAMES.iter().map(|(name, _)| *name)));
    }

    #[test]
    fn scalar_keys_leave_free_maps_out() {
        let keys = scalar_keys();
        let some = "settings.environment budget.conversation budget.conversation.history \
                    budget.sections.system search.weights.semantic audit.enabled";
        for key in some.split_whitespace() {
            assert!(keys.iter().any(|one| one == key), "{key}");
        }
        assert!(!keys.iter().any(|key| key.starts_with("platforms") || key.starts_with("models")));
        assert!(matches!(at("models.x.window"), Some(Shape::Whole(1, _))));
        assert!(keys.iter().any(|key| key == "search.weights"));
        assert!(at("conversation.any").is_none() && at("search.weights.semantic").is_some());
        assert!(at("conversation.triggers.archive").is_some());
    }

    #[test]
    fn keys_and_words_are_those_that_a_file_may_have() {
        let has = |path: &[&str], kind, name: &str| keys_below(path, kind).any(|it| it.0 == name);
        for (path, name, [user, workspace, overlay]) in [
            (&[][..], "budget", [true; 3]),
            (&[], "settings", [true, true, false]),
            (&["budget", "sections"], "system", [true; 3]),
            (&["models", "a.b"], "window", [true; 3]),
            (&["store"], "url", [true, false, false]),
            (&["platforms"], "budget", [false; 3]),
        ] {
            let allowed = [ConfigSource::User, ConfigSource::Workspace, ConfigSource::Overlay]
                .map(|it| has(path, it, name));
            assert_eq!(allowed, [user, workspace, overlay], "{path:?} {name}");
        }
        assert_eq!(words_at(&["budget", "packing"]), ["optimal", "greedy"]);
        assert_eq!(words_at(&["audit"]), ["true", "false"]);
        assert_eq!(words_at(&["unknown"]), [""; 0]);
    }

    #[test]
    fn only_what_is_close_is_suggested() {
        let known = || ["team", "workflow", "organization"].into_iter();
        assert_eq!(nearest("teem", known()), Some("team"));
        assert_eq!(nearest("organisation", known()), Some("organization"));
        assert_eq!(nearest("colour", known()), None);
    }

    #[test]
    fn long_and_broken_text_is_cut() {
        assert_eq!(clip("a\nb"), "a\\nb");
        assert_eq!(clip(&"ü".repeat(61)), format!("{}…", "ü".repeat(60)));
        assert_eq!(join("a.b", "c"), "a.b.c");
    }
}
