//! Configuration of agent hooks.

use std::collections::BTreeMap;

use super::scalar::{map, size, truth};
use crate::diagnostic::Diagnostic;
use crate::rules::invalid_config;
use crate::yaml::Node;

/// Codex accepts about 2 500.
pub const MAX_TOKENS: usize = 2300;
/// After escaping. Claude Code and Cursor accept 10 000, Codex about as many.
pub const MAX_CHARS: usize = 9500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookConfig {
    pub session: usize,
    pub prompt: usize,
    pub blocks_insecure: bool,
    pub makes_notes: bool,
    pub clients: BTreeMap<String, ClientLimits>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientLimits {
    pub max_chars: Option<usize>,
    pub max_tokens: Option<usize>,
}

impl HookConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let limits = |node: &Node| {
            let of = |key: &str| node.get(key).and_then(size);
            Some(ClientLimits { max_chars: of("max_chars"), max_tokens: of("max_tokens") })
        };
        Self {
            session: get("session").and_then(size).unwrap_or(MAX_TOKENS).min(MAX_TOKENS),
            prompt: get("prompt").and_then(size).unwrap_or(MAX_TOKENS).min(MAX_TOKENS),
            blocks_insecure: get("block").and_then(Node::as_str) == Some("security"),
            makes_notes: get("notes").and_then(truth).unwrap_or(false),
            clients: map(get("clients"), limits),
        }
    }
}

pub(crate) fn check_hook(config: &Node) -> Vec<Diagnostic> {
    let Some(hook) = config.get("hook") else { return Vec::new() };
    let clients = hook.get("clients").map(Node::entries).unwrap_or_default().iter();
    let maps = std::iter::once(("hook".to_owned(), hook))
        .chain(clients.map(|entry| (format!("hook.clients.{}", entry.key), &entry.value)));
    let limits = maps.flat_map(|(path, map)| LIMITS.map(|limit| (path.clone(), map, limit)));
    let above = limits.filter_map(|(path, map, (key, most, shown))| {
        let value = map.get(key).filter(|value| size(value).is_some_and(|size| size > most))?;
        let message = format!("`{path}.{key}` is above {shown}, the limit of clients");
        let help = format!("{shown} apply; lower the value");
        Some(invalid_config::RULE.at(value.span, message).exceptional().help(help))
    });
    above.collect()
}

const LIMITS: [(&str, usize, &str); 4] = [
    ("session", MAX_TOKENS, "2 300 tokens"),
    ("prompt", MAX_TOKENS, "2 300 tokens"),
    ("max_tokens", MAX_TOKENS, "2 300 tokens"),
    ("max_chars", MAX_CHARS, "9 500 characters"),
];

#[cfg(test)]
mod tests {
    use super::super::testing::{config, over_defaults, rules, workspace};
    use super::super::typed;
    use super::*;
    use crate::diagnostic::Severity;

    #[test]
    fn limits_are_those_of_all_clients_or_of_one() {
        let read = |text: &str| config(text).hook;
        let usual = HookConfig {
            session: 2300,
            prompt: 2300,
            blocks_insecure: false,
            makes_notes: false,
            clients: BTreeMap::new(),
        };
        assert_eq!(read(""), usual);
        let limits = ClientLimits { max_chars: Some(4000), max_tokens: None };
        let clients = BTreeMap::from([("claude".to_owned(), limits)]);
        assert_eq!(
            read(
                "hook: { session: 1000, block: security, clients: { claude: { max_chars: 4000 } } }"
            ),
            HookConfig { session: 1000, blocks_insecure: true, clients, ..usual }
        );
    }

    #[test]
    fn values_that_do_not_fit_are_reported() {
        let (sources, _, found) = workspace(
            "hook: { prompt: many, block: all, clients: { cluade: { max_chars: 1 }, codex: { chars: 1 } } }\n",
        );
        let expected = [
            ("invalid-config", "many"),
            ("invalid-config", "all"),
            ("unknown-config-key", "cluade"),
            ("unknown-config-key", "chars"),
        ];
        assert_eq!(rules(&sources, &found), expected);
    }

    #[test]
    fn limits_of_clients_cannot_be_raised() {
        let text =
            "hook: { session: 2300, prompt: 9999, clients: { claude: { max_chars: 9501 } } }\n";
        let (sources, node) = over_defaults(text);
        let found = check_hook(&node);
        assert_eq!(
            rules(&sources, &found),
            [("invalid-config", "9999"), ("invalid-config", "9501")]
        );
        assert!(found.iter().all(|one| one.severity() == Severity::Warning));
        assert_eq!(typed(&node, &sources).hook.prompt, MAX_TOKENS);
    }
}
