//! A skill by <https://agentskills.io/specification>.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::exchange::piece::{self, Subject};
use crate::exchange::target::{SKILL_NAME, role_words, skill_stem};
use crate::listed_folder::HashedFile;
use faber_core::source::Span;
use faber_core::yaml::{self, Entry, Node};

pub const SKILL_FILE: &str = "SKILL.md";

/// From the MCP Skills extension.
pub const MAX_FILES: usize = 512;

/// From the MCP Skills extension.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// In characters, from the specification.
const COMPATIBILITY: usize = 500;

#[derive(Clone, Debug)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// ID of a context, `@role:NAME/…`, or `role/NAME`.
    pub id: String,
    pub front: Map<String, Value>,
    pub files: BTreeMap<String, HashedFile>,
    pub at: Span,
}

impl Skill {
    pub fn excess(&self) -> Option<String> {
        let bytes: usize = self.files.values().map(|file| file.bytes.len()).sum();
        let files = self.files.len();
        if files > MAX_FILES {
            return Some(format!("{files} files, and a skill has at most {MAX_FILES}"));
        }
        let most = MAX_BYTES / (1024 * 1024);
        (bytes > MAX_BYTES).then(|| format!("{bytes} bytes, and a skill has at most {most} MiB"))
    }
}

#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    pub(super) fn take(
        &mut self,
        subject: &Subject,
        role: Option<&str>,
    ) -> (String, Option<String>) {
        let stem = skill_stem(subject);
        let wanted = match role {
            Some(role) => cut(&format!("{}-{stem}", role_words(role)), SKILL_NAME),
            None => stem,
        };
        let (mut name, mut number) = (wanted.clone(), 1);
        while !self.taken.insert(name.clone()) {
            number += 1;
            let end = format!("-{number}");
            name = cut(&wanted, SKILL_NAME - end.len()) + &end;
        }
        let why = (number > 1).then(|| format!("another skill is called `{wanted}`"));
        (name, why)
    }
}

fn cut(name: &str, most: usize) -> String {
    let cut: String = name.chars().take(most).collect();
    cut.trim_end_matches('-').to_owned()
}

pub(super) fn fields(extra: &[Entry]) -> Vec<Entry> {
    let get = |key: &str| extra.iter().find(|entry| entry.key == key);
    let text = |key: &str| {
        let entry = get(key)?;
        Some(piece::text(key, entry.value.as_str()?.trim(), entry.key_span))
    };
    let tools = || {
        let entry = get("allowed-tools")?;
        let items = entry.value.items()?.iter().filter_map(Node::as_str);
        Some(piece::text("allowed-tools", &items.collect::<Vec<_>>().join(" "), entry.key_span))
    };
    let metadata = || {
        let entry = get("metadata")?;
        let all = entry.value.entries().iter();
        let texts: Option<Vec<Entry>> =
            all.map(|one| Some(piece::text(&one.key, one.value.as_str()?, one.key_span))).collect();
        let value = Node { span: entry.value.span, value: yaml::Value::Map(texts?) };
        Some(Entry { key: "metadata".to_owned(), key_span: entry.key_span, value })
    };
    let short =
        |entry: &Entry| entry.value.as_str().is_some_and(|it| it.chars().count() <= COMPATIBILITY);
    let found = [
        text("license"),
        text("compatibility").filter(short),
        metadata(),
        text("allowed-tools").or_else(tools),
    ];
    let is_empty = |entry: &Entry| {
        entry.value.as_str() == Some("") || entry.value.to_json() == Value::from(Map::new())
    };
    found.into_iter().flatten().filter(|entry| !is_empty(entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::packs::skills::is_skill_name;
    use faber_core::parse::frontmatter::{self, FrontKind};
    use faber_core::source::SourceMap;

    #[test]
    fn names_are_those_of_skills_and_each_is_given_once() {
        let mut names = Names::default();
        let mut take =
            |id: &str, role: Option<&str>| names.take(&Subject::parse(id).unwrap(), role);
        assert_eq!(take("standard/rust", None), ("rust".to_owned(), None));
        let (second, why) = take("playbook/Rust", None);
        assert_eq!((&*second, why.as_deref()), ("rust-2", Some("another skill is called `rust`")));
        assert_eq!(take("role/Reviewer", None).0, "role-reviewer");
        assert_eq!(take("standard/rust", Some("QA team")).0, "qa-team-rust");
        let long = format!("standard/{}", "a".repeat(100));
        assert_eq!(take(&long, None).0.len(), 64);
        let (second, _) = take(&format!("{long}b"), None);
        assert!(second.len() == 64 && second.ends_with("a-2"), "{second}");
        for name in ["", "-a", "a-", "a--b", "A", "ä", "a.b", &"a".repeat(65)] {
            assert!(!is_skill_name(name), "{name}");
        }
        for (id, name) in [
            ("standard/überprüfung", "uberprufung"),
            ("pattern/Straße", "pattern-strasse"),
            ("standard/日本", "skill-fb52b4"),
            ("pattern/日本", "pattern-fb52b4"),
        ] {
            assert_eq!(take(id, None).0, name);
        }
        for odd in ["standard/日本", "standard/--", "standard/x y", "role/é"] {
            assert!(is_skill_name(&take(odd, Some("日本")).0), "{odd}");
        }
    }

    #[test]
    fn only_fields_of_skills_are_kept_in_their_form() {
        let text = "---\nlicense: 1.0\ninternal_note: x\nmetadata: { version: 2, a: b }\n\
            allowed-tools: [Read, 'Bash(git:*)']\ncompatibility: ''\n---\n";
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let front = frontmatter::read(&sources, file, FrontKind::Context).value.front;
        let kept = faber_core::config::verbatim(&fields(front.node.entries()));
        assert_eq!(
            kept,
            "license: \"1.0\"\nmetadata:\n  version: \"2\"\n  a: b\nallowed-tools: \"Read Bash(git:*)\"\n"
        );
    }
}
