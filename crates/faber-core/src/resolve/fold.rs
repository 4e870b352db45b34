//! Folds one chain of documents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memchr::memchr2_iter;

use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::line::{self, Line};
use crate::markdown::{self, Block, BlockKind};
use crate::parse::frontmatter::FrontKind;
use crate::parse::{fields, include};
use crate::resolve::catalog::{Body, Context, SourceRef, name_span};
use crate::resolve::combine::{Combine, combine};
use crate::resolve::frontmatter_merge::{clashes, merge_front_matter};
use crate::resolve::include::Expander;
use crate::rules::{
    merge_type_clash, overlay_clash, sealed_overridden, strategy_without_base, wrong_field_type,
};
use crate::source::{FileId, SourceMap, Span};
use crate::strategy::Strategy;
use crate::yaml::{Entry, Node, Value};
use crate::{config, packs};

pub struct Folded {
    pub resolved: Context,
    pub overridden: Vec<(FileId, FileId)>,
}

/// `chain`: lowest first. Panics if it is empty.
pub fn fold(
    id: &ContextId,
    chain: &[&Document],
    expander: &Expander<'_>,
    found: &mut Vec<Diagnostic>,
) -> Folded {
    let base = chain[0];
    let mut state = Fold {
        expander,
        sealed: sealed_at(base),
        overridden: Vec::new(),
        is_description_stale: false,
        resolved: alone(id, base, expander, found),
    };
    for overlay in &chain[1..] {
        state.apply(overlay, found);
    }
    if chain.len() > 1 {
        let node = state.resolved.front.node.clone();
        let mut fields =
            fields::fields(&node, FrontKind::Context, expander.sources, &mut Vec::new());
        fields.is_description_stale = state.is_description_stale;
        Arc::make_mut(&mut state.resolved.front).fields = Arc::new(fields);
    }
    state.resolved.platform = chain.iter().find_map(|document| document.platform.clone());
    state.add_title();
    Folded { resolved: state.resolved, overridden: state.overridden }
}

fn alone(
    id: &ContextId,
    base: &Document,
    expander: &Expander<'_>,
    found: &mut Vec<Diagnostic>,
) -> Context {
    let has_includes =
        base.may_include && !include::directives(expander.sources.text(base.body)).is_empty();
    let body = if has_includes {
        Body::Lines(expander.lines(base.file, base.body.start as usize, found))
    } else {
        Body::Whole(base.body)
    };
    Context {
        id: id.clone(),
        body,
        front: base.front.clone(),
        sources: vec![SourceRef { file: base.file, layer: base.kind, strategy: None }],
        base: base.kind,
        base_layer: base.layer,
        top: base.kind,
        platform: None,
    }
}

pub(super) fn warn_without_base(base: &Document, found: &mut Vec<Diagnostic>) {
    let fields = &base.front.fields;
    if let Some(strategy) = fields.strategy.as_ref().filter(|_| fields.extends.is_none()) {
        found.push(
            strategy_without_base::RULE
                .at(strategy.span, format!("no layer below defines `{}`", base.id))
                .label("has no base")
                .help("rename this file to match its base, or remove `strategy`"),
        );
    }
}

struct Fold<'a> {
    expander: &'a Expander<'a>,
    resolved: Context,
    sealed: Option<Span>,
    is_description_stale: bool,
    overridden: Vec<(FileId, FileId)>,
}

impl Fold<'_> {
    fn apply(&mut self, overlay: &Document, found: &mut Vec<Diagnostic>) {
        let fields = &overlay.front.fields;
        let strategy = overlay.strategy();
        if let Some(sealed) = self.sealed.filter(|_| strategy != Strategy::Append) {
            found.push(self.sealed_error(overlay, strategy, sealed));
            return;
        }
        let lines = self.expander.lines(overlay.file, overlay.body.start as usize, found);
        let plain = fields.sections.is_empty();
        self.resolved.top = overlay.kind;
        let (file, layer) = (overlay.file, overlay.kind);
        let source = SourceRef { file, layer, strategy: Some(strategy) };
        if strategy == Strategy::Override && plain {
            self.replace(overlay, lines);
            self.resolved.sources.push(source);
            return;
        }
        let base = self.resolved.body.all_lines(self.expander.sources);
        let how = Combine { strategy, sections: &fields.sections, sealed: self.sealed.is_some() };
        let combined = combine(self.expander.sources, &base, &lines, &how).drain_into(found);
        let is_kept = keeps_all(self.expander.sources, &base, &combined);
        self.resolved.body = Body::Lines(combined);
        // No overlay disables a sealed context.
        if strategy == Strategy::Override {
            self.resolved.front = overlay.front.clone();
            self.is_description_stale = false;
        } else if self.sealed.is_none() {
            self.report_clashes(overlay, found);
            self.merge_front_matter(&overlay.front.node, is_kept);
        }
        self.sealed = self.sealed.or_else(|| sealed_at(overlay));
        self.resolved.sources.push(source);
    }

    fn merge_front_matter(&mut self, overlay: &Node, is_kept: bool) {
        let has_own = overlay.get("description").is_some_and(|it| !it.is_null());
        self.is_description_stale = !has_own && (self.is_description_stale || !is_kept);
        let front = Arc::make_mut(&mut self.resolved.front);
        if let Value::Map(entries) = &mut front.node.value
            && !is_kept
        {
            entries.retain(|entry| !["summary", "essence"].contains(&&*entry.key));
        }
        front.node = merge_front_matter(&front.node, overlay);
    }

    fn report_clashes(&self, overlay: &Document, found: &mut Vec<Diagnostic>) {
        let (base, node) = (&self.resolved.front.node, &overlay.front.node);
        let clashes = clashes(base, node);
        if clashes.is_empty() {
            return;
        }
        let mut wrong = Vec::new();
        for node in [base, node] {
            fields::fields(node, FrontKind::Context, self.expander.sources, &mut wrong);
        }
        wrong.retain(|found| found.rule() == &wrong_field_type::RULE);
        let is_wrong = |entry: &Entry| {
            wrong.iter().any(|diagnostic| diagnostic.primary.span == entry.value.span)
        };
        for (below, above) in clashes {
            if is_wrong(below) || is_wrong(above) {
                continue;
            }
            let (was, is) = (below.value.type_name(), above.value.type_name());
            let message = format!("`{}` is {is}, which cannot be merged with {was}", above.key);
            found.push(
                merge_type_clash::RULE
                    .at(above.key_span, message)
                    .label("replaces the value of the base")
                    .related(below.key_span, format!("{was} in the base"))
                    .help("write both in the same way, or `strategy: override`"),
            );
        }
    }

    fn replace(&mut self, overlay: &Document, lines: Vec<Line>) {
        let sources = self.resolved.sources.drain(..);
        self.overridden.extend(sources.map(|source| (source.file, overlay.file)));
        self.resolved.body = Body::Lines(lines);
        self.resolved.front = overlay.front.clone();
        self.is_description_stale = false;
        self.sealed = sealed_at(overlay);
    }

    fn add_title(&mut self) {
        let Some(title) = self.resolved.front.fields.title.clone() else { return };
        let (words, sources) = (markdown::collapse(&title.value), self.expander.sources);
        if words.is_empty() {
            return;
        }
        let heading = Line::inserted(title.span, &format!("# {words}"));
        let body = match &self.resolved.body {
            Body::Whole(text) => {
                let own = sources.text(*text);
                let start = template_heading(own);
                if start == 0 && has_title(own) {
                    return;
                }
                let start = text.start as usize + start;
                let text = Span::new(text.file, start, text.end as usize);
                Body::Titled { heading: Box::new(heading), text }
            }
            Body::Lines(lines) => {
                let first = lines.iter().position(|line| !line.text(sources).trim().is_empty());
                let is_template = |at: &usize| template_heading(lines[*at].text(sources)) > 0;
                let start = first.filter(is_template).map_or(0, |first| first + 1);
                if start == 0 && has_title(&line::join(sources, lines)) {
                    return;
                }
                Body::Lines(line::below(heading, lines[start..].to_vec(), sources))
            }
            Body::Titled { .. } => return,
        };
        self.resolved.body = body;
    }

    fn sealed_error(&self, overlay: &Document, strategy: Strategy, sealed: Span) -> Diagnostic {
        let fields = &overlay.front.fields;
        let span = fields.strategy.as_ref().map(|strategy| strategy.span);
        let span = span.unwrap_or_else(|| Span::start_of(overlay.file));
        let (id, strategy) = (&self.resolved.id, strategy.name());
        sealed_overridden::RULE
            .at(span, format!("`{id}` is sealed, so {strategy} has no effect"))
            .related(sealed, "sealed here")
            .help("a sealed context can only be appended to: write `strategy: append`")
    }
}

fn keeps_all(sources: &SourceMap, base: &[Line], combined: &[Line]) -> bool {
    let mut combined = combined.iter();
    let mut said = base.iter().filter(|line| !line.text(sources).trim().is_empty());
    said.all(|line| combined.any(|other| other == line))
}

fn sealed_at(document: &Document) -> Option<Span> {
    let entries = document.front.node.entries();
    let field = entries.iter().find(|entry| entry.key == "sealed").map(|entry| entry.key_span);
    let span = field.unwrap_or_else(|| Span::start_of(document.file));
    document.front.fields.sealed.then_some(span)
}

fn template_heading(text: &str) -> usize {
    let start = text.len() - text.trim_start().len();
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
    let words = text[start..end].strip_prefix("# ").unwrap_or_default().trim();
    let marks = [("{{", "}}"), ("{%", "%}"), ("<%", "%>")];
    let is_template = marks.iter().any(|(open, close)| {
        let inner = words.strip_prefix(open).and_then(|words| words.strip_suffix(close));
        inner.is_some_and(|inner| !inner.contains(open))
    });
    if is_template { end } else { 0 }
}

fn has_title(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty()
        || text.starts_with("# ")
        || (may_title(text) && markdown::blocks(text).iter().any(is_title))
}

fn may_title(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr2_iter(b'#', b'=', bytes).any(|at| {
        let is_alone = bytes[at] == b'='
            || matches!(bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
        let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'\x0c'));
        is_alone && matches!(before, None | Some(b'\n' | b'\r'))
    })
}

fn is_title(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Heading { level: 1, .. })
}

pub(super) fn of_packs(
    id: &ContextId,
    chain: &[&Document],
    overridden: &[(FileId, FileId)],
    expander: &Expander<'_>,
) -> BTreeMap<String, Context> {
    let pack_of = |file: FileId| packs::of_path(expander.sources.path(file));
    let gone: BTreeSet<&str> = overridden.iter().filter_map(|(file, _)| pack_of(*file)).collect();
    let context = |pack: &str| {
        let is_own = |document: &&&Document| match pack_of(document.file) {
            None => document.strategy() != Strategy::Override,
            of => of == Some(pack),
        };
        let chain: Vec<&Document> = chain.iter().filter(is_own).copied().collect();
        (pack.to_owned(), fold(id, &chain, expander, &mut Vec::new()).resolved)
    };
    gone.into_iter().map(context).collect()
}

const MAX_COMPARED: usize = 8;

/// Reports neighbors in `chain` whose order matters.
pub(super) fn report_ties(
    id: &ContextId,
    chain: &[&Document],
    is_tie: impl Fn(&Document, &Document) -> bool,
    expander: &Expander<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let ties = (2..chain.len()).filter(|&at| is_tie(chain[at - 1], chain[at]));
    for at in ties.take(MAX_COMPARED) {
        let mut swapped = chain[..=at].to_vec();
        swapped.swap(at - 1, at);
        let [ours, theirs] = [&chain[..=at], &swapped].map(|chain| lines(id, chain, expander));
        if ours != theirs {
            let path = expander.sources.path(chain[at - 1].file);
            let message = format!("`{path}` changes the same part of `{id}` in this layer");
            let finding = overlay_clash::RULE
                .at(extends_span(chain[at]), message)
                .label("counts, because its path is last")
                .related(extends_span(chain[at - 1]), "has no effect there")
                .help("combine the two files, or move one to another layer");
            found.push(finding);
        }
    }
}

fn extends_span(document: &Document) -> Span {
    let extends = document.front.fields.extends.as_ref();
    extends.map_or_else(|| name_span(document), |extends| extends.span)
}

fn lines(id: &ContextId, chain: &[&Document], expander: &Expander<'_>) -> Vec<String> {
    let context = fold(id, chain, expander, &mut Vec::new()).resolved;
    let text = context.body.text(expander.sources);
    let fields = config::show(&context.front.node, expander.sources, false);
    let lines = text.lines().chain(fields.lines()).map(str::trim).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}
