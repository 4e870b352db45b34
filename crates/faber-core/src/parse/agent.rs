//! Reads `agent.yml`, which describes a role.

use jiff::civil::Date;

use crate::diagnostic::{Diagnostic, Reported};
use crate::rules::{
    frontmatter_limit, invalid_agent, invalid_frontmatter, invalid_role_name, unknown_role_field,
};
use crate::source::{FileId, SourceMap, Spanned};
use crate::suggest;
use crate::yaml::{self, Entry, Node, Value, YamlCache};

use super::fields::{FieldReader, Visibility, misspelled};
use super::repair;

#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    pub node: Node,
    pub name: Option<Spanned<String>>,
    pub description: Option<Spanned<String>>,
    pub default_platform: Option<Spanned<String>>,
    /// In `platforms`. Default: the name.
    pub platform_config_key: Option<Spanned<String>>,
    pub visibility: Option<Spanned<String>>,
    pub extends: Option<Spanned<String>>,
    pub created: Option<Spanned<Date>>,
    pub updated: Option<Spanned<Date>>,
    pub platforms: Vec<Spanned<String>>,
    pub is_invalid: bool,
}

type ReadAgentField = fn(&mut Agent, &Entry, &mut FieldReader<'_>);

const KNOWN: &[(&str, ReadAgentField)] = &[
    ("org", |_, e, r| drop(r.text(e))),
    ("system", |_, e, r| drop(r.text(e))),
    ("name", |a, e, r| a.name = name(e, r)),
    ("type", |_, e, r| drop(one_of(e, r, &["role"]))),
    ("description", |a, e, r| a.description = r.text(e)),
    ("platforms", |a, e, r| a.platforms = r.list(e)),
    ("default_platform", |a, e, r| a.default_platform = r.text(e)),
    ("platform_config_key", |a, e, r| a.platform_config_key = r.text(e)),
    ("color", |_, e, r| drop(r.text(e))),
    ("agent_type", |_, e, r| drop(one_of(e, r, &["autonomous", "interactive", "batch"]))),
    ("tags", |_, e, r| drop(r.list(e))),
    ("created", |a, e, r| a.created = r.date(e)),
    ("updated", |a, e, r| a.updated = r.date(e)),
    ("visibility", |a, e, r| a.visibility = one_of(e, r, &Visibility::NAMES)),
    ("extends", |a, e, r| a.extends = r.text(e)),
];

pub fn keys() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(name, _)| *name)
}

pub fn read(sources: &SourceMap, file: FileId, known: Option<&YamlCache>) -> Reported<Agent> {
    let mut found = Vec::new();
    let node = read_yaml(sources, file, known, &mut found);
    let mut agent = Agent {
        node: Node::empty_map(node.span),
        name: None,
        description: None,
        default_platform: None,
        platform_config_key: None,
        visibility: None,
        extends: None,
        created: None,
        updated: None,
        platforms: Vec::new(),
        is_invalid: false,
    };
    let mut reader = FieldReader { sources, found: &mut found };
    for entry in node.entries() {
        match KNOWN.iter().find(|(name, _)| *name == entry.key) {
            Some((_, read)) if !entry.value.is_null() => read(&mut agent, entry, &mut reader),
            Some(_) => {}
            None => reader.found.push(unknown(entry, &node)),
        }
    }
    let is_cause = |found: &Diagnostic| found.rule() == &invalid_agent::RULE;
    agent.is_invalid = found.iter().any(is_cause);
    if agent.is_invalid {
        found.retain(is_cause);
    }
    agent.node = node;
    Reported { value: agent, diagnostics: found }
}

fn read_yaml(
    sources: &SourceMap,
    file: FileId,
    known: Option<&YamlCache>,
    found: &mut Vec<Diagnostic>,
) -> Node {
    let source = sources.get(file);
    let node = match yaml::parse_known(source, file, source.text.len(), known) {
        Ok(node) => node,
        Err(error) => {
            let start = if source.text.starts_with('\u{feff}') { 3 } else { 0 };
            let repaired = repair::repair(&source.text, start, file, &error, false);
            let of_front = [&invalid_frontmatter::RULE, &frontmatter_limit::RULE];
            found.extend(repaired.diagnostics.into_iter().map(|found| {
                if of_front.contains(&found.rule()) {
                    found.of(&invalid_agent::RULE)
                } else {
                    found
                }
            }));
            repaired.node
        }
    };
    if matches!(node.value, Value::Map(_)) {
        return node;
    }
    if !node.is_null() && found.is_empty() {
        let message = format!("`agent.yml` must be a map of keys, not {}", node.type_name());
        found.push(invalid_agent::RULE.at(node.span, message));
    }
    Node::empty_map(node.span)
}

fn unknown(entry: &Entry, node: &Node) -> Diagnostic {
    let message = format!("unknown key `{}` in `agent.yml`", entry.key);
    let diagnostic = unknown_role_field::RULE.at(entry.key_span, message);
    match suggest::closest(&entry.key, keys()) {
        Some(name) => misspelled(diagnostic, entry, node, name),
        None => diagnostic,
    }
}

fn name(entry: &Entry, reader: &mut FieldReader<'_>) -> Option<Spanned<String>> {
    let name = reader.text(entry)?;
    if !is_role_name(&name.value) {
        let message = format!("invalid role name `{}`", name.value);
        reader.found.push(
            invalid_role_name::RULE
                .at(name.span, message)
                .help("use lower-case letters, digits and hyphens, and do not begin with a hyphen"),
        );
    }
    Some(name)
}

pub fn is_role_name(name: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(allowed)
}

fn one_of(
    entry: &Entry,
    reader: &mut FieldReader<'_>,
    known: &[&'static str],
) -> Option<Spanned<String>> {
    let text = reader.text(entry)?;
    if known.contains(&&*text.value) {
        return Some(text);
    }
    reader.unknown_word(entry, known);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (Agent, Vec<(&'static str, String)>) {
        let mut sources = SourceMap::default();
        let file = sources.add("agent.yml".into(), text.to_owned());
        let reported = read(&sources, file, None);
        let place = |diagnostic: &Diagnostic| sources.text(diagnostic.primary.span).to_owned();
        let found = reported.diagnostics.iter().map(|found| (found.code(), place(found))).collect();
        (reported.value, found)
    }

    fn text(field: Option<&Spanned<String>>) -> Option<&str> {
        field.map(|text| &*text.value)
    }

    #[test]
    fn a_sound_file_is_read_without_findings() {
        let (agent, found) = read_text(
            "org: acme\nname: issue-manager\ntype: role\nplatforms:\n  - linear\n  - github\n\
             created: 2026-01-15\nagent_type: batch\nvisibility: internal\ncolor:\n",
        );
        assert_eq!(found, []);
        assert_eq!(text(agent.name.as_ref()), Some("issue-manager"));
        assert_eq!(agent.platforms.len(), 2);
        assert_eq!(agent.created.map(|date| date.value), Some(jiff::civil::date(2026, 1, 15)));
        assert_eq!(agent.updated, None);
    }

    #[test]
    fn every_mistake_is_placed() {
        let (agent, found) = read_text(
            "name: Issue_Manager\nplatform: linear\ncreated: 2026-02-30\nagent_type: bach\n\
             platforms: linear\n",
        );
        let expected = [
            ("invalid-role-name", "Issue_Manager"),
            ("unknown-role-field", "platform"),
            ("bad-date", "2026-02-30"),
            ("wrong-field-type", "bach"),
            ("wrong-field-type", "linear"),
        ];
        assert_eq!(found, expected.map(|(rule, place)| (rule, place.to_owned())));
        assert_eq!(text(agent.platforms.first()), Some("linear"));
        assert_eq!(text(agent.name.as_ref()), Some("Issue_Manager"));
    }

    #[test]
    fn broken_yaml_is_read_as_far_as_possible() {
        let (agent, found) = read_text("\u{feff}description: a: b\nname: x\n");
        assert_eq!(found, [("invalid-agent", "a: b".to_owned())]);
        assert_eq!(text(agent.description.as_ref()), Some("a: b"));
        assert_eq!(text(agent.name.as_ref()), Some("x"));
        assert_eq!(read_text("- x\n").1[0].0, "invalid-agent");
        assert_eq!(read_text("").1, []);
    }

    #[test]
    fn role_names() {
        for name in ["a", "0-x", "repo-manager"] {
            assert!(is_role_name(name), "{name}");
        }
        for name in ["", "-a", "A", "a_b", "ä"] {
            assert!(!is_role_name(name), "{name}");
        }
    }
}
