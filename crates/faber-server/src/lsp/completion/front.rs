//! Keys and values in front matter, `agent.yml` and configurations.

use std::collections::BTreeSet;

use lsp_types::CompletionItemKind;

use crate::lsp::ask::LspRequest;
use faber_core::category::{CATEGORIES, Load};
use faber_core::parse::agent;
use faber_core::parse::fields::{self, Condition, ContextStatus, Fallback, Fields, Visibility};
use faber_core::parse::frontmatter::FrontKind;
use faber_core::source::Spanned;
use faber_core::strategy::Strategy;
use faber_core::workspace::survey::{FileEntry, FileKind};

use super::{Completion, CursorPosition, headings_of, names};

pub(crate) fn words_of(field: &str) -> Vec<&'static str> {
    match field {
        "category" => CATEGORIES.iter().map(|row| row.name).collect(),
        "load" => Load::ALL.map(|(name, _)| name).to_vec(),
        "status" => ContextStatus::ALL.map(|(name, _)| name).to_vec(),
        "visibility" => Visibility::ALL.map(|(name, _)| name).to_vec(),
        "fallback" => Fallback::ALL.map(|(name, _)| name).to_vec(),
        "strategy" => Strategy::ALL.map(|(name, _)| name).to_vec(),
        "required" | "truncatable" | "sealed" | "alwaysApply" => vec!["true", "false"],
        _ => Vec::new(),
    }
}

pub(super) fn choices(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    cursor: &CursorPosition<'_>,
) -> Option<(usize, Vec<Completion>)> {
    let line = cursor.line;
    let shown = line.trim_start();
    if let Some(says) = shown.strip_prefix('#') {
        let begun = says.trim_start().strip_prefix("faber: allow ")?;
        return (!begun.contains(':')).then(|| super::rules(cursor, begun));
    }
    let indent = line.len() - shown.len();
    let item = shown.strip_prefix("- ");
    if let (None, Some((key, value))) = (item, shown.split_once(':')) {
        if !value.starts_with([' ', '\t']) {
            return None;
        }
        let begun = value.rsplit(['[', ',']).next().unwrap_or_default().trim_start();
        return Some(values(ask, entry, key.trim(), cursor.offset - begun.len(), begun));
    }
    let above = parent(cursor, indent);
    if let Some(begun) = item {
        let begun = begun.trim_start_matches(['"', '\'']);
        return Some(values(ask, entry, above?, cursor.offset - begun.len(), begun));
    }
    let from = cursor.offset - shown.len();
    match above.filter(|_| indent > 0) {
        None => Some((from, keys(ask, entry, cursor))),
        Some("sections") => Some((from, base_headings(ask, entry))),
        Some("when" | "not") => {
            let keys = Condition::KEYS.iter().map(|key| format!("{key}: "));
            let keys =
                keys.map(|key| Completion::new(CompletionItemKind::PROPERTY, key, "condition"));
            Some((from, keys.collect()))
        }
        Some(_) => None,
    }
}

/// The nearest key above with less indentation, or equal for list items.
fn parent<'a>(cursor: &CursorPosition<'a>, indent: usize) -> Option<&'a str> {
    let before = &cursor.text[..cursor.offset - cursor.line.len()];
    let is_item = cursor.line.trim_start().starts_with("- ");
    before.lines().rev().find_map(|line| {
        let shown = line.trim_start();
        let own = line.len() - shown.len();
        let is_above = own < indent || (is_item && own == indent);
        let (key, value) = shown.split_once(':')?;
        let opens = value.trim().is_empty() && !shown.starts_with(['#', '-']);
        (is_above && opens).then(|| key.trim_matches(['"', '\'']))
    })
}

fn keys(ask: &LspRequest<'_>, entry: &FileEntry, cursor: &CursorPosition<'_>) -> Vec<Completion> {
    let key = |name: &str, about: &str| {
        Completion::new(CompletionItemKind::PROPERTY, format!("{name}: "), about)
    };
    let has = |name: &str| {
        let mut lines = cursor.text.lines();
        lines.any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
    };
    match entry.kind {
        FileKind::Agent => {
            agent::keys().filter(|name| !has(name)).map(|name| key(name, "")).collect()
        }
        FileKind::Config => {
            let known = ask.analysis.linter.workspace.config_node.entries().iter();
            let names: BTreeSet<&str> = known.map(|entry| entry.key.as_str()).collect();
            names.into_iter().filter(|name| !has(name)).map(|name| key(name, "")).collect()
        }
        kind => {
            let kind =
                if kind == FileKind::Prompt { FrontKind::Prompt } else { FrontKind::Context };
            let fields = fields::documented(kind).filter(|(name, _)| !has(name));
            fields.map(|(name, doc)| key(name, doc)).collect()
        }
    }
}

fn base_headings(ask: &LspRequest<'_>, entry: &FileEntry) -> Vec<Completion> {
    let survey = &ask.analysis.linter.survey;
    let Some(document) = entry.document.map(|at| &survey.documents[at]) else { return Vec::new() };
    let seen = ask.analysis.visible_from(ask.path);
    let base = seen.catalog.aliases.get(&document.id).unwrap_or(&document.id);
    // Also without a strategy, when the overlay has no effect yet.
    let chain = seen.catalog.chains.get(base).into_iter().flatten();
    let below = chain.filter(|file| **file != entry.file);
    let headings = below.flat_map(|file| headings_of(ask.text(*file)));
    headings.map(|it| Completion { text: format!("{}: ", quoted(&it.text)), ..it }).collect()
}

/// Quoted if YAML needs it.
fn quoted(heading: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_' || c == '/';
    let starts = heading.starts_with(char::is_alphabetic);
    if starts && heading.chars().all(is_plain) {
        heading.to_owned()
    } else {
        format!("{heading:?}")
    }
}

fn values(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    key: &str,
    from: usize,
    begun: &str,
) -> (usize, Vec<Completion>) {
    let word = |word: &&str| Completion::new(CompletionItemKind::ENUM_MEMBER, *word, key);
    let choices = match (entry.kind, key) {
        (FileKind::Agent, "extends") | (_, "role" | "roles") => names::roles(ask),
        (_, "platform" | "platforms" | "default_platform") => names::platforms(ask),
        (FileKind::Config, "custom_contexts")
        | (
            _,
            "related" | "extends" | "superseded_by" | "changes" | "derived_from" | "contradicts",
        ) => names::references(ask, begun),
        (FileKind::Config, "rules") => super::rule_names(),
        (_, "tags") => known(ask, |fields| &fields.tags, "tag"),
        (_, "groups") => known(ask, |fields| &fields.groups, "group"),
        (_, "required_tools") => known(ask, |fields| &fields.required_tools, "tool"),
        (_, "mcp_server") => {
            let servers = ask.analysis.linter.workspace.config.mcp_servers.keys().cloned();
            names::words(servers.collect(), "MCP server")
        }
        (FileKind::Agent, "agent_type") => {
            ["autonomous", "interactive", "batch"].iter().map(word).collect()
        }
        (FileKind::Config, _) => Vec::new(),
        _ => words_of(key).iter().map(word).collect(),
    };
    (from, choices)
}

fn known(
    ask: &LspRequest<'_>,
    of: fn(&Fields) -> &Vec<Spanned<String>>,
    about: &str,
) -> Vec<Completion> {
    let seen = ask.analysis.visible_from(ask.path);
    let contexts = seen.catalog.contexts.values();
    let values = contexts.flat_map(|context| of(&context.front.fields));
    names::words(values.map(|value| value.value.clone()).collect(), about)
}
