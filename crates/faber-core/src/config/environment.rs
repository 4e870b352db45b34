//! Configuration from environment variables and flags.

use std::collections::BTreeMap;

use super::read::check;
use super::scalar::classify;
use super::schema::{COMMAND_LINE, ConfigSource, ENVIRONMENT, at, scalar_keys};
use crate::diagnostic::{Diagnostic, Reported};
use crate::resolve::view::Principal;
use crate::rules::unknown_config_key;
use crate::source::{SourceMap, Span};
use crate::suggest::Dictionary;
use crate::yaml::{Entry, Node, Value};

const PREFIX: &str = "FABER_";

const OTHERS: [&str; 4] =
    ["FABER_HTTP_TOKEN", "FABER_ROOT", "FABER_STORE_SPACE", "FABER_STORE_URL"];

/// `FABER_` variables: `_` for `.` in keys, commas in lists. Unknown ones are reported only if
/// similar to a key.
pub fn environment(sources: &mut SourceMap, vars: &[(String, String)]) -> Reported<Node> {
    let mut names: BTreeMap<String, String> = scalar_keys()
        .into_iter()
        .map(|key| (format!("{PREFIX}{}", key.to_uppercase().replace('.', "_")), key))
        .collect();
    // A store address may contain a password.
    names.retain(|name, _| !OTHERS.contains(&name.as_str()));
    if !vars.iter().any(|(name, value)| name == "FABER_SETTINGS_ROLE" && !value.is_empty()) {
        names.insert("FABER_ROLE".to_owned(), "settings.role".to_owned());
    }
    let (mut pseudo, mut unknown) = (Pseudo::default(), Vec::new());
    for (name, value) in vars.iter().filter(|(_, value)| !value.is_empty()) {
        if let Some(key) = names.get(name) {
            pseudo.add(key, name, value);
            if at(key).is_some_and(|shape| shape.item().is_some()) {
                pseudo.split_last();
            }
        } else if let Some(word) = name.strip_prefix(PREFIX)
            && !OTHERS.contains(&name.as_str())
        {
            unknown.push((pseudo.add_name(name), word));
        }
    }
    let node = pseudo.into_node(sources, ENVIRONMENT);
    let file = node.span.file;
    let mut read = check(node, ConfigSource::Environment);
    let known = names.keys().map(String::as_str).chain(OTHERS);
    let known = Dictionary::new(known.filter_map(|name| name.strip_prefix(PREFIX)));
    read.diagnostics.extend(unknown.into_iter().filter_map(|(start, word)| {
        let span = Span::new(file, start, start + PREFIX.len() + word.len());
        let setting = format!("SETTINGS_{word}");
        let is_setting = names.contains_key(&format!("{PREFIX}{setting}"));
        let meant = if is_setting { Some(setting.as_str()) } else { known.closest(word) };
        Some(misspelled(span, word, meant?))
    }));
    read
}

fn misspelled(span: Span, word: &str, known: &str) -> Diagnostic {
    let message = format!("unknown environment variable `{PREFIX}{word}`");
    unknown_config_key::RULE.at(span, message).help(format!("did you mean `{PREFIX}{known}`?"))
}

pub fn overrides(sources: &mut SourceMap, pairs: &[(&str, String, String)]) -> Reported<Node> {
    let mut pseudo = Pseudo::default();
    for (key, value, flag) in pairs {
        pseudo.add(key, &format!("--{}", flag.trim_start_matches('-')), value);
    }
    check(pseudo.into_node(sources, COMMAND_LINE), ConfigSource::CommandLine)
}

#[derive(Default)]
struct Pseudo {
    text: String,
    /// Key, and offsets of name, value and end.
    lines: Vec<(String, usize, usize, usize)>,
}

impl Pseudo {
    fn add_name(&mut self, name: &str) -> usize {
        let start = self.text.len();
        self.text.push_str(name);
        self.text.push('\n');
        start
    }

    fn add(&mut self, key: &str, name: &str, value: &str) {
        let start = self.text.len();
        self.text.push_str(name);
        self.text.push('=');
        let from = self.text.len();
        self.text.push_str(value);
        self.lines.push((key.to_owned(), start, from, self.text.len()));
        self.text.push('\n');
    }

    fn split_last(&mut self) {
        let Some((key, start, from, to)) = self.lines.pop() else { return };
        let mut at = from;
        for part in self.text[from..to].split(',') {
            let begin = at + (part.len() - part.trim_start().len());
            let end = begin + part.trim().len();
            at += part.len() + 1;
            if begin < end {
                self.lines.push((key.clone(), start, begin, end));
            }
        }
    }

    fn into_node(self, sources: &mut SourceMap, path: &str) -> Node {
        let file = sources.add(path.into(), self.text);
        let source = sources.get(file);
        let mut root = Node::empty_map(Span::start_of(file));
        for (key, start, from, to) in &self.lines {
            let scalar = classify(&source.text[*from..*to]);
            let value = Node { span: Span::new(file, *from, *to), value: Value::Scalar(scalar) };
            insert(&mut root, key, Span::new(file, *start, from - 1), value);
        }
        root
    }
}

fn insert(root: &mut Node, key: &str, key_span: Span, value: Node) {
    let list = at(key).is_some_and(|shape| shape.item().is_some());
    let mut node = root;
    for part in key.split('.') {
        if !matches!(node.value, Value::Map(_)) {
            node.value = Value::Map(Vec::new());
        }
        let Value::Map(entries) = &mut node.value else { return };
        let place = entries.iter().position(|entry| entry.key == part).unwrap_or_else(|| {
            entries.push(Entry { key: part.to_owned(), key_span, value: Node::null(key_span) });
            entries.len() - 1
        });
        node = &mut entries[place].value;
    }
    match &mut node.value {
        Value::Seq(items) => items.push(value),
        _ if list => *node = Node { span: value.span, value: Value::Seq(vec![value]) },
        _ => *node = value,
    }
}

const KEYS: [&str; 2] = ["user", "groups"];

/// A workspace decides only if the user does not.
pub(crate) fn names_caller(node: &Node) -> bool {
    node.get("access").is_some_and(|access| KEYS.iter().any(|key| access.get(key).is_some()))
}

pub(crate) fn remove_caller(node: &mut Node) {
    let Value::Map(entries) = &mut node.value else { return };
    for entry in entries.iter_mut().filter(|entry| entry.key == "access") {
        if let Value::Map(access) = &mut entry.value.value {
            access.retain(|entry| !KEYS.contains(&&*entry.key));
        }
    }
    entries.retain(|entry| entry.key != "access" || !entry.value.entries().is_empty());
}

pub(crate) fn overrides_as(
    sources: &mut SourceMap,
    flags: &[(&'static str, String, String)],
    principal: Option<&Principal>,
) -> Reported<Node> {
    let named = principal.filter(|principal| !principal.is_proven());
    let user = named.and_then(|it| it.user.as_ref()).map(|user| ("access.user", user));
    let groups = named.into_iter().flat_map(|it| &it.groups).map(|it| ("access.groups", it));
    let of_principal = user.into_iter().chain(groups);
    let of_principal = of_principal.map(|(key, value)| (key, value.clone(), "--as".to_owned()));
    let pairs: Vec<_> = flags.iter().cloned().chain(of_principal).collect();
    overrides(sources, &pairs)
}

#[cfg(test)]
mod tests {
    use super::super::testing::rules;
    use super::*;

    fn environment_of(vars: &[(&str, &str)]) -> (SourceMap, Reported<Node>) {
        let mut sources = SourceMap::default();
        let vars: Vec<_> =
            vars.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let read = environment(&mut sources, &vars);
        (sources, read)
    }

    #[test]
    fn names_are_made_from_keys() {
        let (sources, read) = environment_of(&[
            ("FABER_AUDIT", "true"),
            ("FABER_BUDGET_MIN_USEFUL", "50"),
            ("FABER_BUDGET_TOTAL", "60%"),
            ("FABER_PLATFORMS", "x"),
            ("FABER_ROLE", "reviewer"),
            ("FABER_ROOT", "/x"),
            ("FABER_SETTINGS_ENVIRONMENT", "production"),
            ("FABER_SETTINGS_TEAM", ""),
            ("HOME", "/root"),
        ]);
        let expected = serde_json::json!({
            "audit": true, "budget": { "min_useful": 50, "total": "60%" },
            "settings": { "role": "reviewer", "environment": "production" } });
        assert_eq!((read.value.to_json(), read.diagnostics), (expected, Vec::new()));
        let settings = read.value.get("settings").unwrap();
        let environment = &settings.entries()[1];
        assert_eq!(sources.text(environment.value.span), "production");
        assert_eq!(sources.text(environment.key_span), "FABER_SETTINGS_ENVIRONMENT");
        assert_eq!(sources.path(environment.value.span.file), ENVIRONMENT);
    }

    #[test]
    fn keys_below_a_key_that_takes_a_scalar_have_names_too() {
        let (_, read) = environment_of(&[
            ("FABER_AUDIT_ENABLED", "false"),
            ("FABER_BUDGET_CONVERSATION_HISTORY", "77"),
            ("FABER_SEARCH_WEIGHTS_SEMANTIC", "0.9"),
        ]);
        let expected = serde_json::json!({
            "audit": { "enabled": false }, "budget": { "conversation": { "history": 77 } },
            "search": { "weights": { "semantic": 0.9 } } });
        assert_eq!((read.value.to_json(), read.diagnostics), (expected, Vec::new()));
    }

    #[test]
    fn misspelled_names_are_reported_without_their_values() {
        let (sources, read) = environment_of(&[
            ("FABER_BUDGET_TOTEL", "secret"),
            ("FABER_CASES", "100"),
            ("FABER_CASTELL", "pencil"),
            ("FABER_HTTP_TOKEN", "secret"),
            ("FABER_ROLES", "roles"),
            ("FABER_ROOT", "/x"),
            ("FABER_STORE_URL", "postgres://a:secret@b"),
            ("FABER_TEAM", "core"),
        ]);
        assert_eq!(
            rules(&sources, &read.diagnostics),
            [("unknown-config-key", "FABER_BUDGET_TOTEL"), ("unknown-config-key", "FABER_TEAM")]
        );
        let help = read.diagnostics.iter().map(|found| found.help.as_deref().unwrap());
        assert_eq!(
            help.collect::<Vec<_>>(),
            ["did you mean `FABER_BUDGET_TOTAL`?", "did you mean `FABER_SETTINGS_TEAM`?"]
        );
        let file = read.diagnostics[0].primary.span.file;
        assert!(!sources.get(file).text.contains("secret"));
    }

    #[test]
    fn values_are_checked_and_commands_refused() {
        let (sources, read) = environment_of(&[
            ("FABER_BUDGET_SUMMARIZER", "evil"),
            ("FABER_BUDGET_TOTAL", "lots"),
            ("FABER_RENDER_ORDER", "${X}"),
        ]);
        assert_eq!(
            rules(&sources, &read.diagnostics),
            [
                ("config-key-not-allowed", "FABER_BUDGET_SUMMARIZER"),
                ("invalid-config", "lots"),
                ("invalid-config", "${X}"),
            ],
        );
    }

    #[test]
    fn the_longer_name_of_the_role_wins() {
        let (_, read) = environment_of(&[("FABER_ROLE", "a"), ("FABER_SETTINGS_ROLE", "b")]);
        assert_eq!(read.value.to_json()["settings"]["role"], "b");
        let (_, read) = environment_of(&[("FABER_ROLE", "a"), ("FABER_SETTINGS_ROLE", "")]);
        assert_eq!(read.value.to_json()["settings"]["role"], "a");
    }

    #[test]
    fn flags_point_at_their_values() {
        let mut sources = SourceMap::default();
        let pairs = [
            ("settings.team", "backend", "--team"),
            ("custom_contexts", "a.md", "custom"),
            ("custom_contexts", "b.md", "custom"),
            ("settings.team", "front=end", "team"),
        ];
        let pairs = pairs.map(|(key, value, flag)| (key, value.to_owned(), flag.to_owned()));
        let read = overrides(&mut sources, &pairs);
        assert_eq!(read.diagnostics, []);
        let node = read.value;
        let expected = serde_json::json!({
            "settings": { "team": "front=end" }, "custom_contexts": ["a.md", "b.md"] });
        assert_eq!(node.to_json(), expected);
        let team = node.get("settings").unwrap().get("team").unwrap().span;
        assert_eq!(
            (sources.text(team), sources.place(team)),
            ("front=end", "command line:4".into())
        );
        assert!(sources.get(team.file).text.starts_with("--team=backend\n"));
    }

    #[test]
    fn flags_are_checked_like_files() {
        let mut sources = SourceMap::default();
        let pairs = [
            ("search.limit", "-3"),
            ("settings.nope", "x"),
            ("search.limit.more", "1"),
            ("tokenizer.model", ""),
        ];
        let pairs = pairs.map(|(key, value)| (key, value.to_owned(), "--set".to_owned()));
        for (pair, expected) in pairs.into_iter().zip([
            Some("invalid-config"),
            Some("unknown-config-key"),
            Some("invalid-config"),
            None,
        ]) {
            let found = overrides(&mut sources, std::slice::from_ref(&pair)).diagnostics;
            assert_eq!(found.first().map(Diagnostic::code), expected, "{pair:?}");
        }
    }
}
