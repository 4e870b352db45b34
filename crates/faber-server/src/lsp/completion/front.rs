//! Keys and values in YAML.

use lsp_types::CompletionItemKind;

use crate::lsp::ask::LspRequest;
use faber_core::category::{CATEGORIES, Load};
use faber_core::config::{self, ConfigSource, quote};
use faber_core::parse::agent;
use faber_core::parse::fields::{self, Condition, ContextStatus, Fallback, Fields, Visibility};
use faber_core::parse::frontmatter::FrontKind;
use faber_core::source::Spanned;
use faber_core::strategy::Strategy;
use faber_core::workspace::survey::{FileEntry, FileKind};

use super::{Choices, Completion, CursorPosition, headings_of, names, yaml};

pub(crate) fn words_of(field: &str) -> Vec<&'static str> {
    match field {
        "category" => CATEGORIES.iter().map(|row| row.name).collect(),
        "load" => Load::NAMES.to_vec(),
        "status" => ContextStatus::NAMES.to_vec(),
        "visibility" => Visibility::NAMES.to_vec(),
        "fallback" => Fallback::NAMES.to_vec(),
        "strategy" => Strategy::NAMES.to_vec(),
        "required" | "truncatable" | "sealed" | "alwaysApply" => vec!["true", "false"],
        _ => Vec::new(),
    }
}

pub(super) fn choices(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    cursor: &CursorPosition<'_>,
    start: usize,
) -> Option<Choices> {
    let offset = cursor.offset;
    if let Some(says) = cursor.line.trim_start().strip_prefix('#') {
        let begun = says.trim_start().strip_prefix("faber: allow ")?;
        let (from, rules) = (!begun.contains(':')).then(|| super::rules(cursor, begun))?;
        return Some((from..offset, rules));
    }
    let place = yaml::place(cursor.text.get(start..offset)?)?;
    let mut choices = if place.is_key {
        keys(ask, entry, cursor, &place.keys)
    } else {
        values(ask, entry, &place.keys, place.begun)
    };
    let rest = cursor.text[offset..].lines().next().unwrap_or_default();
    let word = rest.find(|c| ",:[]{}\"'".contains(c)).unwrap_or(rest.len());
    // Replaces a quote with its end.
    let end = word + usize::from(place.quote.is_some_and(|quote| rest[word..].starts_with(quote)));
    let has_colon = place.is_key && rest[end..].trim_start().starts_with(':');
    let until = if has_colon || end > word { end } else { 0 };
    for choice in &mut choices {
        choice.inserted = written(choice, place.quote);
        if place.is_key {
            choice.text.push_str(": ");
            choice.inserted.push_str(if has_colon { "" } else { ": " });
        }
    }
    Some((offset - place.begun.len()..offset + until, choices))
}

fn written(choice: &Completion, quote: Option<char>) -> String {
    let text = &choice.text;
    match quote {
        Some('"') => format!("{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        Some(quote) => format!("{}{quote}", text.replace('\'', "''")),
        None if choice.kind == CompletionItemKind::ENUM_MEMBER => text.clone(),
        None => quote::text(text),
    }
}

fn keys(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    cursor: &CursorPosition<'_>,
    above: &[&str],
) -> Vec<Completion> {
    let key = |name: &str, about: &str| Completion::new(CompletionItemKind::PROPERTY, name, about);
    let has = |name: &str| {
        let mut lines = cursor.text.lines();
        above.is_empty()
            && lines.any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
    };
    match (entry.kind, above) {
        (FileKind::Agent, []) => {
            agent::keys().filter(|name| !has(name)).map(|name| key(name, "")).collect()
        }
        (FileKind::Config, ["platforms"]) => names::roles(ask),
        (FileKind::Config, ["platform_config"]) => names::platforms(ask),
        (FileKind::Config, ["validate", "rules"]) => super::rule_names(),
        (FileKind::Config, _) | (FileKind::Prompt, ["budget", ..]) => {
            let kind =
                if entry.layer.is_some() { ConfigSource::Overlay } else { ConfigSource::Workspace };
            let known = config::keys_below(above, kind).filter(|(name, _)| !has(name));
            known.map(|(name, takes)| key(name, &takes)).collect()
        }
        (_, ["sections"]) => base_headings(ask, entry),
        (_, [.., "when" | "not"]) => {
            Condition::KEYS.iter().map(|name| key(name, "condition")).collect()
        }
        (FileKind::Agent, _) | (_, [_, ..]) => Vec::new(),
        (kind, []) => {
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
    let chain = seen.catalog.chains.get(base).into_iter().flatten();
    let below = chain.filter(|file| **file != entry.file);
    below.flat_map(|file| headings_of(ask.text(*file), false)).collect()
}

fn values(ask: &LspRequest<'_>, entry: &FileEntry, keys: &[&str], begun: &str) -> Vec<Completion> {
    let Some(key) = keys.last().copied() else { return Vec::new() };
    let word = |word: &&str| Completion::new(CompletionItemKind::ENUM_MEMBER, *word, key);
    match (entry.kind, keys) {
        (FileKind::Config, ["platforms", _]) => return names::platforms(ask),
        (FileKind::Config, ["settings", "role"]) => return names::roles(ask),
        (FileKind::Config, ["custom_contexts"]) => return names::references(ask, begun),
        (FileKind::Config, _) | (FileKind::Prompt, ["budget", _, ..]) => {
            return config::words_at(keys).iter().map(word).collect();
        }
        _ => {}
    }
    match (entry.kind, key) {
        (FileKind::Agent, "extends") | (_, "role" | "roles") => names::roles(ask),
        (_, "platform" | "platforms" | "default_platform") => names::platforms(ask),
        (
            _,
            "related" | "extends" | "superseded_by" | "changes" | "derived_from" | "contradicts",
        ) => names::references(ask, begun),
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
        _ => words_of(key).iter().map(word).collect(),
    }
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
