//! Classifies files by content.

use camino::Utf8Path;

use super::format::{self, Format, Recognized, SourceKind};
use faber_core::category::Category;
use faber_core::parse::fence::{self, Split};

pub(super) fn topic(title: &str) -> Option<Category> {
    const WORDS: [(&str, Category); 3] = [
        ("troubleshoot", Category::Troubleshooting),
        ("runbook|playbook|how to|how-to|howto", Category::Playbook),
        ("pattern", Category::Pattern),
    ];
    let title = title.to_lowercase();
    let has = |words: &str| words.split('|').any(|word| title.contains(word));
    WORDS.iter().find(|(words, _)| has(words)).map(|(_, category)| *category)
}

pub fn keys(text: &str) -> Vec<String> {
    let Split::Closed(front) = fence::split(text) else { return Vec::new() };
    let lines = text[front.yaml..front.yaml_end].lines();
    let lines = lines.filter(|line| !line.starts_with([' ', '#', '-']));
    let key = |line: &str| Some(line.split_once(':')?.0.trim_matches([' ', '"', '\'']).to_owned());
    lines.filter_map(key).collect()
}

/// For an agent or command outside the usual folders.
pub fn recognize(keys: &[impl AsRef<str>], format: Format, path: &Utf8Path) -> Option<Recognized> {
    let kind = by_front(keys)?;
    Some(Recognized { format, kind, ..format::declared(format, path)? })
}

fn by_front(keys: &[impl AsRef<str>]) -> Option<SourceKind> {
    let has = |any: &[&str]| keys.iter().any(|key| any.contains(&key.as_ref()));
    let is_rule = has(&["globs", "paths", "applyTo", "alwaysApply", "inclusion", "trigger"]);
    if !has(&["description"]) || is_rule || is_workflow(keys) {
        None
    } else if has(&["name"])
        && has(&["tools", "model", "color", "disallowedTools", "permissionMode"])
    {
        Some(SourceKind::Agent)
    } else if has(&["argument-hint", "allowed-tools"]) && !has(&["license", "metadata"]) {
        Some(SourceKind::Command)
    } else {
        None
    }
}

/// GitHub agentic workflow.
pub fn is_workflow(keys: &[impl AsRef<str>]) -> bool {
    keys.iter().any(|key| key.as_ref() == "on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_and_commands_are_known_by_their_keys_and_topics_by_words() {
        for (keys, expected) in [
            (&["name", "description", "model"][..], Some(SourceKind::Agent)),
            (&["name", "description"], None),
            (&["description", "argument-hint"], Some(SourceKind::Command)),
            (&["name", "description", "tools", "globs"], None),
            (&["name", "description", "on", "permissions", "tools"], None),
            (&["title", "tools", "name"], None),
        ] {
            assert_eq!(by_front(keys), expected, "{keys:?}");
        }
        assert_eq!(topic("How to release"), Some(Category::Playbook));
        assert_eq!(topic("Caching"), None);
    }
}
