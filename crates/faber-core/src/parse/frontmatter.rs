//! The front matter of one file.

use std::sync::{Arc, LazyLock};

use crate::diagnostic::{Diagnostic, Reported};
use crate::rule::Rule;
use crate::rules::{
    duplicate_key, frontmatter_limit, frontmatter_not_a_mapping, invalid_frontmatter,
    misplaced_frontmatter, unclosed_frontmatter, yaml_anchor,
};
use crate::source::{FileId, SourceMap, Span};
use crate::yaml::{self, Node, Value, YamlCache};

use super::fence::{self, Fences, Misplaced, Split};
pub use super::fields::FrontKind;
use super::fields::{self, Fields};
use super::repair::{self, Repaired};
use super::restrictions::{FILE_UNUSED, Lost, OVERLAY_UNUSED, mentions_access};

#[derive(Clone, Debug, PartialEq)]
pub struct FrontMatter {
    pub node: Node,
    pub fields: Arc<Fields>,
    pub repaired: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub front: FrontMatter,
    pub body: usize,
}

/// What stays invalid is dropped: it must not become body.
pub fn read(sources: &SourceMap, file: FileId, kind: FrontKind) -> Reported<Parsed> {
    read_known(sources, file, kind, None)
}

pub(crate) fn read_known(
    sources: &SourceMap,
    file: FileId,
    kind: FrontKind,
    known: Option<&YamlCache>,
) -> Reported<Parsed> {
    let mut read = read_text(sources, file, kind, known);
    restrict(&mut read.value.front, sources, file);
    read
}

pub(crate) fn restrict(front: &mut FrontMatter, sources: &SourceMap, file: FileId) {
    let folder = sources.folder_access(file);
    if front.fields.folder != folder {
        Arc::make_mut(&mut front.fields).folder = folder;
    }
}

fn read_text(
    sources: &SourceMap,
    file: FileId,
    kind: FrontKind,
    known: Option<&YamlCache>,
) -> Reported<Parsed> {
    let mut found = Vec::new();
    let source = sources.get(file);
    let (fences, closed) = match fence::split(&source.text) {
        Split::None { body } => {
            let node = Node::empty_map(Span::new(file, body, body));
            let mut front = FrontMatter { node, fields: no_fields(), repaired: false };
            if let Some((finding, lost)) = misplaced_with(file, &source.text) {
                found.push(finding);
                if !lost.is_empty() {
                    lost.restrict(Arc::make_mut(&mut front.fields));
                }
            }
            return Reported { value: Parsed { front, body }, diagnostics: found };
        }
        Split::Closed(fences) => (fences, true),
        Split::Unclosed(fences) => (fences, false),
    };
    let parsed = yaml::parse_known(source, file, fences.yaml_end, known);
    let is_context = kind == FrontKind::Context;
    let parsed = parsed.map_err(|error| {
        let text = &source.text[..fences.yaml_end];
        repair::repair(text, fences.yaml, file, &error, is_context)
    });
    let (node, repaired, is_read) = tree(parsed, file, &mut found);
    if !is_read && is_context {
        for found in &mut found {
            found.message.push_str(FILE_UNUSED);
        }
    }
    if !closed {
        found.retain(|diagnostic| {
            diagnostic.rule() != &invalid_frontmatter::RULE || !diagnostic.fix.is_empty()
        });
        found.push(unclosed(&source.text, file, fences));
    }
    let quoted = repaired.as_ref().map(|repaired| &repaired.quoted);
    let mut typed = Vec::new();
    let mut fields = fields::fields(&node, kind, sources, &mut typed);
    // The unreadable part may have access fields.
    fields.access_unclear |= !is_read;
    if let Some(repaired) = &repaired {
        repaired.lost.restrict(&mut fields);
    }
    fields.is_unreadable = !is_read && !mentions_access(&source.text[fences.yaml..fences.yaml_end]);
    typed.retain(|finding| !quoted.is_some_and(|quoted| quoted.contains(&finding.primary.span)));
    found.extend(typed);
    let front = FrontMatter { node, fields: Arc::new(fields), repaired: repaired.is_some() };
    Reported { value: Parsed { front, body: fences.body }, diagnostics: found }
}

pub fn quoted_values(text: &str, file: FileId) -> Option<Node> {
    let (Split::Closed(fences) | Split::Unclosed(fences)) = fence::split(text) else {
        return None;
    };
    let yaml = &text[..fences.yaml_end];
    if !yaml.contains(['"', '\'']) {
        return None;
    }
    let repaired = |error| repair::repair(yaml, fences.yaml, file, &error, true).node;
    Some(yaml::parse_text(yaml, file).unwrap_or_else(repaired))
}

pub fn is_structural(rule: &Rule) -> bool {
    let structural = [
        &invalid_frontmatter::RULE,
        &frontmatter_not_a_mapping::RULE,
        &duplicate_key::RULE,
        &yaml_anchor::RULE,
        &frontmatter_limit::RULE,
        &unclosed_frontmatter::RULE,
    ];
    structural.contains(&rule)
}

fn tree(
    parsed: Result<Node, Repaired>,
    file: FileId,
    found: &mut Vec<Diagnostic>,
) -> (Node, Option<Repaired>, bool) {
    let mut is_read = true;
    let (node, repaired) = match parsed {
        Ok(node) => (node, None),
        Err(mut repaired) => {
            let is_limit = |found: &Diagnostic| found.rule() == &frontmatter_limit::RULE;
            let limit = repaired.diagnostics.iter().any(is_limit);
            is_read = !limit;
            let node = std::mem::replace(&mut repaired.node, Node::empty_map(Span::start_of(file)));
            let listed = node.items().is_some() && !limit;
            if !listed {
                found.append(&mut repaired.diagnostics);
            }
            (node, Some(repaired))
        }
    };
    let node = match node.value {
        Value::Map(_) => node,
        _ if node.is_null() => Node::empty_map(node.span),
        _ => {
            let message = format!("front matter must be a map of fields, not {}", node.type_name());
            found.push(
                frontmatter_not_a_mapping::RULE
                    .at(node.span, message)
                    .help("write `key: value` lines between the fences"),
            );
            is_read = false;
            Node::empty_map(node.span)
        }
    };
    (node, repaired, is_read)
}

pub fn misplaced(file: FileId, text: &str) -> Option<Diagnostic> {
    misplaced_with(file, text).map(|(found, _)| found)
}

fn misplaced_with(file: FileId, text: &str) -> Option<(Diagnostic, Lost)> {
    let Misplaced { first, yaml } = fence::misplaced(text)?;
    let is_opened = first.start < yaml.start;
    let mut lost = Lost::default();
    lost.add_repaired(&format!("\n{}", &text[yaml.clone()]));
    let node = yaml::parse_text(&text[yaml], file);
    let is_known = |node: Node| node.entries().iter().any(|it| fields::is_known(&it.key));
    if !node.is_ok_and(is_known) && (lost.is_empty() || !is_opened) {
        return None;
    }
    let unused = if lost.is_of_overlay() { OVERLAY_UNUSED } else { "" };
    let message = format!(
        "front matter must begin with `---` in the first line; here it is part of the text{unused}"
    );
    let help = match first.start {
        _ if !is_opened => "write `---` above it",
        0 => "write exactly `---`",
        _ => "move what is above it below its end",
    };
    let first = Span::new(file, first.start, first.end);
    Some((misplaced_frontmatter::RULE.at(first, message).help(help), lost))
}

fn unclosed(text: &str, file: FileId, fences: Fences) -> Diagnostic {
    let fence = text[..fences.yaml].trim_end();
    let start = fence.len() - fence.trim_start_matches('\u{feff}').len();
    let line_break = if text[..fences.yaml].ends_with("\r\n") { "\r\n" } else { "\n" };
    let end = Span::new(file, fences.yaml_end, fences.yaml_end);
    let before = if text[..fences.yaml_end].ends_with('\n') { "" } else { line_break };
    unclosed_frontmatter::RULE
        .at(Span::new(file, start, fence.len()), "front matter without a closing `---`")
        .related(end, "assumed to end here")
        .help("close it with a line of `---`")
        .fix(end, format!("{before}---{line_break}"))
}

fn no_fields() -> Arc<Fields> {
    static NONE: LazyLock<Arc<Fields>> = LazyLock::new(Arc::default);
    Arc::clone(&NONE)
}

#[cfg(test)]
mod tests;
