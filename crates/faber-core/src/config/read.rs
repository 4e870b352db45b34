//! Reads and checks one configuration file.

use super::schema::{ConfigSource, Field, ROOT, Setter, Shape, join, nearest};
use super::secret::variables;
use crate::diagnostic::{Diagnostic, Reported};
use crate::escape::clip;
use crate::rules::{config_key_not_allowed, invalid_config, unknown_config_key};
use crate::source::{FileId, SourceMap, Span};
use crate::suggest;
use crate::yaml::{self, Entry, Node, Value, YamlCache, YamlTrouble};

/// Reports and drops invalid values; reports and keeps unknown keys.
pub fn read(sources: &SourceMap, file: FileId, kind: ConfigSource) -> Reported<Node> {
    read_known(sources, file, kind, None)
}

pub(crate) fn read_known(
    sources: &SourceMap,
    file: FileId,
    kind: ConfigSource,
    known: Option<&YamlCache>,
) -> Reported<Node> {
    let source = sources.get(file);
    match yaml::parse_known(source, file, source.text.len(), known) {
        Ok(node) => check(node, kind),
        Err(error) => {
            let message = format!("the configuration cannot be read: {}", error.message);
            let mut found = invalid_config::RULE.at(error.span, message);
            if error.trouble == YamlTrouble::DuplicateKey {
                found = found.help("keep one of them");
                if let Some(first) = yaml::first_key(&source.text, error.span) {
                    found = found.related(first, "first defined here");
                }
            }
            Reported { value: Node::empty_map(Span::start_of(file)), diagnostics: vec![found] }
        }
    }
}

pub fn check(node: Node, kind: ConfigSource) -> Reported<Node> {
    let mut checker = ConfigChecker { kind, found: Vec::new() };
    let empty = Node::empty_map(node.span);
    let value = if node.is_null() { None } else { checker.value(node, &ROOT, "") };
    Reported { value: value.unwrap_or(empty), diagnostics: checker.found }
}

struct ConfigChecker {
    kind: ConfigSource,
    found: Vec<Diagnostic>,
}

impl ConfigChecker {
    fn value(&mut self, node: Node, shape: &'static Shape, path: &str) -> Option<Node> {
        let span = node.span;
        let value = match (node.value, shape) {
            (Value::Map(entries), _) if shape.takes_map() => {
                Value::Map(self.entries(entries, shape, path))
            }
            (Value::Seq(items), Shape::Texts | Shape::TextOrTexts) => Value::Seq(
                items.into_iter().filter_map(|item| self.value(item, &Shape::Text, path)).collect(),
            ),
            (value @ Value::Scalar(_), _) if shape.takes_scalar() => {
                let node = Node { span, value };
                let open = matches!(
                    self.kind,
                    ConfigSource::User | ConfigSource::Workspace | ConfigSource::Overlay
                ) && node.as_str().is_some_and(|text| variables(text).next().is_some());
                if !open && !shape.fits(&node) {
                    self.found.push(misfit(&node, shape, path));
                    return None;
                }
                return Some(node);
            }
            (value, _) => {
                self.found.push(misfit(&Node { span, value }, shape, path));
                return None;
            }
        };
        Some(Node { span, value })
    }

    fn entries(&mut self, entries: Vec<Entry>, shape: &'static Shape, path: &str) -> Vec<Entry> {
        let mut kept = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = join(path, &entry.key);
            if let Some(field) = shape.field(&entry.key)
                && let Some(refusal) = self.refusal(field, &entry, &key)
            {
                self.found.push(refusal);
                continue;
            }
            let Some(child) = shape.child(&entry.key) else {
                if !matches!(shape, Shape::Free) {
                    self.found.push(unknown(&entry, shape, path));
                }
                kept.push(entry);
                continue;
            };
            if entry.value.is_null() {
                continue;
            }
            let Entry { key: name, key_span, value } = entry;
            if let Some(value) = self.value(value, child, &key) {
                kept.push(Entry { key: name, key_span, value });
            }
        }
        kept
    }

    fn refusal(&self, field: &Field, entry: &Entry, key: &str) -> Option<Diagnostic> {
        let rule = &config_key_not_allowed::RULE;
        match field.setter {
            _ if field.setter.allows(self.kind) => None,
            Setter::NotOverlay => Some(
                rule.at(entry.key_span, format!("an overlay may not set `{key}`"))
                    .help("set it in `.faber/config.yml` or in your own configuration"),
            ),
            Setter::UserOnly(why) => {
                let message = format!("`{key}` is only read from the user's own configuration");
                let finding = rule.at(entry.key_span, message).exceptional().label("is ignored");
                Some(finding.help(format!(
                    "a workspace cannot {why}; move the key to `$XDG_CONFIG_HOME/faber/config.yml`"
                )))
            }
            Setter::Any => None,
        }
    }
}

pub(super) fn misfit(node: &Node, shape: &Shape, path: &str) -> Diagnostic {
    let is = match node.as_str() {
        Some("") => "empty text".to_owned(),
        Some(text) => format!("`{}`", clip(text)),
        None => node.type_name().to_owned(),
    };
    let expected = shape.expected();
    let message = if path.is_empty() {
        format!("a configuration is {expected}, but this is {is}")
    } else {
        format!("`{path}` takes {expected}, not {is}")
    };
    let found = invalid_config::RULE.at(node.span, message);
    let words = shape.words().iter().copied();
    let meant = node.as_str().and_then(|text| nearest(text, words));
    match (shape, meant) {
        (_, Some(word)) => found.help(format!("did you mean `{word}`?")),
        (Shape::Texts, None) if node.scalar().is_some() => {
            found.help(format!("write a list: `[{}]`", node.as_str().map(clip).unwrap_or_default()))
        }
        _ => match (path.strip_prefix("platforms."), node.entries().first()) {
            (Some(role), Some(platform)) => {
                let (role, platform) = (clip(role), clip(&platform.key));
                found.help(format!(
                    "write `{role}: {platform}`; settings of a platform belong in \
                     `platform_config` of an overlay's config.yml"
                ))
            }
            _ => found,
        },
    }
}

fn unknown(entry: &Entry, shape: &Shape, path: &str) -> Diagnostic {
    let key = clip(&entry.key);
    let message = if path.is_empty() {
        format!("unknown key `{key}` in the configuration")
    } else {
        format!("unknown key `{key}` in `{path}`")
    };
    let found = unknown_config_key::RULE.at(entry.key_span, message);
    let fields = shape.fields();
    let names = || fields.iter().map(|field| field.name);
    found.help(suggest::help(
        nearest(&entry.key, names()),
        format!("known keys are `{}`", names().collect::<Vec<_>>().join("`, `")),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{of_kind, rules, workspace};
    use super::*;

    #[test]
    fn an_empty_file_is_an_empty_map() {
        for text in ["", "\u{feff}", "# nothing\n", "---\n", "settings:\n"] {
            let (_, node, found) = workspace(text);
            assert_eq!((node.value, found), (Value::Map(Vec::new()), Vec::new()), "{text:?}");
        }
    }

    #[test]
    fn both_places_of_a_duplicate_key_are_named() {
        let text = "settings: { team: a }\nbudget:\n  settings: 1\nsettings: { team: b }\n";
        let (sources, _, found) = workspace(text);
        assert_eq!((found.len(), found[0].related[0].span.range()), (1, 0..8));
        assert_eq!(sources.place(found[0].primary.span), ".faber/config.yml:4");
        let (_, _, nested) = workspace("settings:\n  team: a\n  # b\n  team: b\n");
        assert_eq!(nested[0].related[0].span.range(), 12..16);
    }

    #[test]
    fn unknown_keys_are_kept_and_come_with_a_suggestion() {
        let (sources, node, found) = workspace(
            "platform: { a: b }\nsettings: { teem: x }\nconversation: { any: 1 }\nvalidate: { any: 1 }\n",
        );
        let rule = "unknown-config-key";
        assert_eq!(
            rules(&sources, &found),
            [(rule, "platform"), (rule, "teem"), (rule, "any"), (rule, "any")]
        );
        let help: Vec<_> = found.iter().map(|one| one.help.as_deref()).collect();
        let known = "known keys are `rules`, `stale_after_days`";
        let only = "known keys are `triggers`";
        let meant = ["did you mean `platforms`?", "did you mean `team`?", only, known];
        assert_eq!(help, meant.map(Some));
        assert!(node.get("platform").is_some());
    }

    #[test]
    fn values_of_the_wrong_type_are_ignored() {
        let (sources, node, found) = workspace(
            "platforms: { a: [x], b: ok }\nroles: roles\noverlays: { enabled: 1 }\n\
             budget: { total: -1, context: 50%, packing: greedi }\naccess: { groups: [a, {}] }\n",
        );
        let places: Vec<_> = found.iter().map(|one| sources.place(one.primary.span)).collect();
        let lines: Vec<_> = places.iter().filter_map(|place| place.rsplit(':').next()).collect();
        assert_eq!(lines, ["1", "2", "3", "4", "4", "5"]);
        assert!(found.iter().all(|one| one.code() == "invalid-config"));
        assert_eq!(found[4].help.as_deref(), Some("did you mean `greedy`?"));
        assert!(found[3].message.contains("or a percentage"), "{}", found[3].message);
        let kept = |key: &str, inner: &str| node.get(key).unwrap().get(inner).is_some();
        assert!(!kept("platforms", "a") && kept("platforms", "b"));
        assert!(!kept("budget", "total") && kept("budget", "context"));
        assert!(node.get("roles").is_none());
    }

    #[test]
    fn broken_yaml_and_a_list_are_errors_with_a_place() {
        for (text, at) in [("a: 1\na: 2\n", 5), ("- a\n", 0), ("a: b: c\n", 4), ("x\n", 0)] {
            let (_, node, found) = workspace(text);
            assert_eq!((found[0].code(), found[0].primary.span.start), ("invalid-config", at));
            assert_eq!(node.entries(), []);
        }
    }

    #[test]
    fn overlays_may_not_choose_overlays() {
        let text = "settings: { team: x }\naccess: { user: eve }\nroles: [r]\nplatforms: { a: b }\n\
                    overlays: { enabled: true }\ncustom_contexts: [a.md]\n";
        let (sources, node, found) = of_kind(text, ConfigSource::Overlay);
        let rule = "config-key-not-allowed";
        let keys = ["settings", "user", "roles", "platforms", "overlays"];
        assert_eq!(rules(&sources, &found), keys.map(|key| (rule, key)));
        let kept: Vec<_> = node.entries().iter().map(|entry| &*entry.key).collect();
        assert_eq!(kept, ["access", "custom_contexts"]);
        assert_eq!(workspace(text).2, []);
    }

    #[test]
    fn only_the_user_names_commands() {
        let text = "budget: { summarizer: rm -rf, total: 1 }\n";
        for kind in [ConfigSource::Workspace, ConfigSource::Overlay, ConfigSource::Environment] {
            let (sources, node, found) = of_kind(text, kind);
            assert_eq!(rules(&sources, &found), [("config-key-not-allowed", "summarizer")]);
            assert_eq!(node.get("budget").unwrap().entries().len(), 1);
        }
        let (_, node, found) = of_kind(text, ConfigSource::User);
        assert_eq!((found, node.get("budget").unwrap().entries().len()), (Vec::new(), 2));
    }
}
