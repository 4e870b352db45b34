//! Data of a page, with indexes instead of repeated values.

use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;

use faber_core::context_id::ContextId;
use faber_core::layer::LayerKind;
use faber_tools::explain::data::{ExplainData, LineData, Part};
use faber_tools::graph::data::{EdgeKind, GraphData, NodeData};

#[derive(Serialize)]
pub(crate) struct Page<'a> {
    pub explain: Option<&'a ExplainData>,
    pub focus: Option<String>,
    pub lines: Option<PageLines<'a>>,
    /// 1-based.
    pub range: Option<(usize, usize)>,
    pub graph: PageGraph<'a>,
}

#[derive(Serialize)]
pub(crate) struct PageGraph<'a> {
    role: Option<&'a str>,
    nodes: &'a [NodeData],
    kinds: Vec<EdgeKind>,
    edges: Vec<PageEdge<'a>>,
}

/// Indexes of both nodes and the kind, terms, and place.
type PageEdge<'a> = (usize, usize, usize, &'a [String], Option<&'a str>);

impl<'a> PageGraph<'a> {
    pub(crate) fn new(graph: &'a GraphData) -> Self {
        let places: HashMap<&str, usize> =
            graph.nodes.iter().enumerate().map(|(at, node)| (&*node.id, at)).collect();
        let mut kinds: Vec<EdgeKind> = graph.edges.iter().map(|edge| edge.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let edges = graph.edges.iter().filter_map(|edge| {
            let (from, to) = (*places.get(&*edge.from)?, *places.get(&*edge.to)?);
            let kind = kinds.binary_search(&edge.kind).ok()?;
            Some((from, to, kind, &*edge.terms, edge.at.as_deref()))
        });
        let edges = edges.collect();
        Self { role: graph.role.as_deref(), nodes: &graph.nodes, kinds, edges }
    }
}

#[derive(Serialize)]
pub(crate) struct PageLines<'a> {
    parts: Vec<Part>,
    contexts: Vec<&'a ContextId>,
    files: Vec<(&'a str, LayerKind)>,
    lines: Vec<PageLine<'a>>,
}

/// Text, indexes of part, context and file, and line number.
type PageLine<'a> = (&'a str, usize, Option<usize>, Option<usize>, Option<usize>);

impl<'a> PageLines<'a> {
    pub(crate) fn new(all: &'a [LineData]) -> Self {
        let (mut parts, mut contexts, mut files) =
            (DistinctValues::default(), DistinctValues::default(), DistinctValues::default());
        let lines = all.iter().map(|line| {
            let part = position(&mut parts, line.part);
            let context = line.context.as_ref().map(|id| position(&mut contexts, id));
            let origin = line.origin.as_ref();
            let file = origin.map(|origin| position(&mut files, (&*origin.path, origin.layer)));
            (&*line.text, part, context, file, origin.map(|origin| origin.line))
        });
        let lines = lines.collect();
        Self { parts: parts.0, contexts: contexts.0, files: files.0, lines }
    }
}

/// In order of appearance, with the position of each.
type DistinctValues<T> = (Vec<T>, HashMap<T, usize>);

fn position<T: Copy + Eq + Hash>((items, places): &mut DistinctValues<T>, item: T) -> usize {
    *places.entry(item).or_insert_with(|| {
        items.push(item);
        items.len() - 1
    })
}

impl<'a> Page<'a> {
    pub(crate) fn of_graph(graph: &'a GraphData, focus: Option<String>) -> Self {
        Self { explain: None, focus, lines: None, range: None, graph: PageGraph::new(graph) }
    }

    pub(crate) fn of_explanation(
        explain: &'a ExplainData,
        lines: &'a [LineData],
        graph: &'a GraphData,
        focus: Option<&ContextId>,
        range: Option<(usize, usize)>,
    ) -> Self {
        let focus = focus.map(ToString::to_string);
        let lines = Some(PageLines::new(lines));
        Self { explain: Some(explain), focus, lines, range, graph: PageGraph::new(graph) }
    }
}
