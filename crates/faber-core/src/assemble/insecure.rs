//! Security findings in the texts of a bundle.

use std::collections::BTreeSet;

use bytes::Bytes;
use camino::Utf8Path;
use rayon::prelude::*;

use crate::assemble::bundle::Bundle;
use crate::context_id::ContextId;
use crate::diagnostic::{Diagnostic, Severity};
use crate::digest_map::DigestMap;
use crate::escape::Visible;
use crate::file_text;
use crate::render::block::{BundleBlock, BundleBlockKind, BundleLine};
use crate::resolve::catalog::{Context, ContextSet, Excluded};
use crate::resolve::view::Why;
use crate::security;
use crate::select::reason::Reason;
use crate::source::{FileId, SourceMap, Span};
use crate::yaml::Node;

const LOST: char = '\u{fffd}';

#[derive(Clone, Copy, Debug, Default)]
pub struct Severities<'a> {
    pub own: Option<&'a Node>,
    /// Makes rules only stricter: a workspace must not hide its own attack.
    pub merged: Option<&'a Node>,
}

impl Severities<'_> {
    /// False if the rule is off.
    pub fn configure(self, found: &mut Diagnostic) -> bool {
        let configured = |validate: Option<&Node>| {
            let severity = match validate?.at(&["rules", found.code()])?.as_str()? {
                "off" => None,
                "error" => Some(Severity::Error),
                "warning" => Some(Severity::Warning),
                "hint" => Some(Severity::Hint),
                _ => return None,
            };
            Some(severity)
        };
        if let Some(own) = configured(self.own) {
            own.inspect(|&severity| found.configure(severity));
            return own.is_some();
        }
        if let Some(Some(severity)) = configured(self.merged) {
            found.configure(severity.min(found.severity()));
        }
        true
    }
}

#[derive(Clone, Copy)]
pub struct SecurityScan<'a> {
    pub contexts: &'a ContextSet,
    pub sources: &'a SourceMap,
    pub severities: Severities<'a>,
    pub clean: &'a DigestMap,
}

impl SecurityScan<'_> {
    pub fn findings(&self, blocks: &[BundleBlock]) -> Vec<Diagnostic> {
        let of_blocks = blocks.par_iter().flat_map_iter(|block| self.in_block(block));
        let mut found: Vec<Diagnostic> = of_blocks.collect();
        let lines = blocks.iter().flat_map(|block| &block.lines);
        let files: BTreeSet<FileId> = lines.filter_map(|line| Some(line.origin?.file)).collect();
        for file in files {
            security::scan_name(file, self.sources.path(file), &mut found);
        }
        found.retain_mut(|found| self.severities.configure(found));
        found.sort_by_key(|found| (found.primary.span, found.code()));
        found.dedup_by_key(|found| (found.primary.span, found.code()));
        found
    }

    fn in_block(&self, block: &BundleBlock) -> Vec<Diagnostic> {
        let Self { contexts, sources, clean, .. } = *self;
        let is_catalog = block.kind == BundleBlockKind::Catalog;
        let first = || contexts.contexts.values().next().filter(|_| is_catalog);
        let listed = || first()?.sources.first().map(|source| Span::start_of(source.file));
        let any = block.lines.iter().find_map(|line| line.origin).or_else(listed);
        let Some(any) = any else { return Vec::new() };
        let lines = texts(block, sources);
        let text = lines.join("\n");
        let key = file_text::digest(text.as_bytes());
        if clean.get(&key).is_some() {
            return Vec::new();
        }
        let mut found = Vec::new();
        security::scan(any.file, Utf8Path::new(""), &text, None, &mut found);
        if found.is_empty() {
            clean.insert(key, Bytes::new());
        }
        found.sort_by_key(|found| found.primary.span);
        let (mut line, mut start) = (0, 0);
        for one in &mut found {
            let at = one.primary.span.range();
            while start + lines[line].len() < at.start {
                start += lines[line].len() + 1;
                line += 1;
            }
            let end = at.end.min(start + lines[line].len());
            let said = &text[at.start..end];
            let span = match block.lines[line].origin {
                Some(origin) => place(said, origin, sources),
                None if is_catalog => self.place_listed(said, lines[line]).unwrap_or(any),
                None => Span::start_of(any.file),
            };
            one.moved_to(span);
        }
        found
    }

    fn place_listed(&self, text: &str, line: &str) -> Option<Span> {
        let Self { contexts, sources, .. } = *self;
        let name = line.strip_prefix("- `").and_then(|rest| rest.split('`').next());
        let is_named = |context: &&Context| name.is_some_and(|name| context.id.to_string() == name);
        let named = contexts.contexts.values().find(is_named);
        let all = || {
            contexts.contexts.values().filter(|context| named.is_none_or(|it| it.id == context.id))
        };
        let mut files = all().flat_map(|context| &context.sources).map(|source| source.file);
        let places = |file: FileId| {
            let start = sources.get(file).text.find(text)?;
            Some(Span::new(file, start, start + text.len()))
        };
        let whole = || named?.sources.first().map(|source| Span::start_of(source.file));
        files.find_map(places).or_else(whole)
    }

    pub(crate) fn unasked(&self, bundle: &Bundle) -> Vec<(Excluded, Diagnostic)> {
        let loaded = bundle.loaded.iter().filter_map(|loaded| {
            self.unasked_in(&bundle.blocks[loaded.block], &loaded.id, &loaded.reasons)
        });
        let catalog = bundle.blocks.iter().find(|it| it.kind == BundleBlockKind::Catalog);
        let listed = catalog.into_iter().flat_map(|catalog| {
            bundle.catalogued.iter().filter(|it| it.named).filter_map(|it| {
                let head = format!("- `{}`", it.entry.id);
                let line = catalog.lines.iter().find(|line| line.text.starts_with(&head))?;
                let lines = vec![line.clone()];
                let (kind, section, tokens) = (BundleBlockKind::Catalog, catalog.section, 0);
                let entry = BundleBlock { kind, section, lines, tokens };
                self.unasked_in(&entry, &it.entry.id, &it.reasons)
            })
        });
        loaded.chain(listed).collect()
    }

    fn unasked_in(
        &self,
        block: &BundleBlock,
        id: &ContextId,
        reasons: &[Reason],
    ) -> Option<(Excluded, Diagnostic)> {
        let context = &self.contexts.contexts[id];
        if context.front.fields.required || reasons.iter().any(Reason::is_request) {
            return None;
        }
        let found = self.findings(std::slice::from_ref(block));
        let mut errors = found.into_iter().filter(|it| it.severity() == Severity::Error);
        Some(self.left_out(context, errors.next()?))
    }

    fn left_out(&self, context: &Context, mut error: Diagnostic) -> (Excluded, Diagnostic) {
        let place = self.sources.place(error.primary.span);
        let detail = format!("security error `{}` at {}", error.code(), Visible(&place));
        let id = context.id.clone();
        let mut files = context.sources.iter().map(|source| source.file);
        if let Some(first) = files.next()
            && first != error.primary.span.file
            && !files.any(|file| file == error.primary.span.file)
        {
            error.primary.span = Span::start_of(first);
        }
        error.configure(Severity::Warning);
        let shown = id.to_string();
        error.message =
            format!("`{}` is left out, as nothing requires it: {}", Visible(&shown), error.message);
        (Excluded { id, why: Why::Insecure, detail, path: None }, error)
    }
}

pub fn errors_in(at: Span, text: &str, severities: Severities<'_>) -> Vec<Diagnostic> {
    let mut found = errors(at.file, text, severities);
    found.sort_by_key(Diagnostic::code);
    found.dedup_by_key(|found| found.code());
    for found in &mut found {
        found.moved_to(at);
    }
    found
}

pub fn first_error(
    file: FileId,
    text: &str,
    start: usize,
    severities: Severities<'_>,
) -> Option<Diagnostic> {
    let found = errors(file, text, severities).into_iter();
    let after = found.filter(|found| found.primary.span.range().start >= start);
    let mut first = after.min_by_key(|found| found.primary.span)?;
    first.moved_to(first.primary.span);
    Some(first)
}

fn errors(file: FileId, text: &str, severities: Severities<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    security::scan(file, Utf8Path::new(""), text, None, &mut found);
    found.retain_mut(|found| severities.configure(found) && found.severity() == Severity::Error);
    found
}

/// As in their files: faber's marks would count as forged.
fn texts<'a>(block: &'a BundleBlock, sources: &'a SourceMap) -> Vec<&'a str> {
    let mut is_head =
        matches!(block.kind, BundleBlockKind::Context(_) | BundleBlockKind::Instruction);
    let text = |line: &'a BundleLine| {
        is_head &= line.origin.is_none();
        let is_mark = line.origin.is_none() && (is_head || line.text.starts_with("</"));
        let own = line.origin.map(|origin| sources.text(origin));
        let is_lost = |own: &&str| line.text.contains(LOST) && !own.contains(LOST);
        own.filter(is_lost).unwrap_or(if is_mark { "" } else { &line.text })
    };
    block.lines.iter().map(text).collect()
}

fn place(text: &str, origin: Span, sources: &SourceMap) -> Span {
    let Some(at) = sources.text(origin).find(text) else { return origin };
    let start = origin.range().start + at;
    Span::new(origin.file, start, start + text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::level::Section;

    #[test]
    fn clean_texts_are_scanned_once_and_others_each_time() {
        let mut sources = SourceMap::default();
        let mut block = |text: &str| {
            let file = sources.add("a.md".into(), text.to_owned());
            let origin = Some(Span::new(file, 0, text.len()));
            let lines = vec![BundleLine { text: text.to_owned(), origin }];
            BundleBlock {
                kind: BundleBlockKind::Prompt,
                section: Section::Location,
                lines,
                tokens: 1,
            }
        };
        let (clean, other) = (block("Ship it."), block("Ship \u{202e}it."));
        let (known, contexts) = (DigestMap::default(), ContextSet::default());
        let scan = SecurityScan {
            contexts: &contexts,
            sources: &sources,
            severities: Severities::default(),
            clean: &known,
        };
        for _ in 0..2 {
            assert_eq!(scan.findings(std::slice::from_ref(&clean)), []);
            assert_ne!(scan.findings(std::slice::from_ref(&other)), []);
            assert_eq!(known.added_count(), 1);
        }
    }
}
