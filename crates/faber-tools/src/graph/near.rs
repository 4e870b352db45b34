use std::collections::{BTreeMap, BTreeSet};

use crate::graph::data::{GraphData, NodeKind};
use faber_core::error::Error;

/// Does not cross layers, which connect everything.
pub fn near(graph: GraphData, focus: &str, depth: usize) -> GraphData {
    let layers = graph.nodes.iter().filter(|node| node.kind == NodeKind::Layer);
    let layers: BTreeSet<&str> = layers.map(|node| &*node.id).collect();
    let mut neighbors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in &graph.edges {
        neighbors.entry(&edge.from).or_default().push(&edge.to);
        neighbors.entry(&edge.to).or_default().push(&edge.from);
    }
    let mut kept = BTreeSet::from([focus.to_owned()]);
    let mut edge_of = vec![focus.to_owned()];
    for _ in 0..depth {
        let mut next = Vec::new();
        for id in edge_of.iter().filter(|id| *id == focus || !layers.contains(id.as_str())) {
            for other in neighbors.get(id.as_str()).into_iter().flatten() {
                if kept.insert((*other).to_owned()) {
                    next.push((*other).to_owned());
                }
            }
        }
        if next.is_empty() {
            break;
        }
        edge_of = next;
    }
    let GraphData { schema, role, mut nodes, mut edges } = graph;
    nodes.retain(|node| kept.contains(&node.id));
    edges.retain(|edge| kept.contains(&edge.from) && kept.contains(&edge.to));
    GraphData { schema, role, nodes, edges }
}

/// By ID or unique label.
///
/// # Errors
///
/// [`Error::Unknown`] with similar names.
pub fn find(graph: &GraphData, name: &str) -> Result<String, Error> {
    if graph.nodes.iter().any(|node| node.id == name) {
        return Ok(name.to_owned());
    }
    let is_called =
        |label: &str| label == name || label.rsplit_once('/').is_some_and(|(_, last)| last == name);
    let mut called = graph.nodes.iter().filter(|node| is_called(&node.label));
    if let (Some(only), None) = (called.next(), called.next()) {
        return Ok(only.id.clone());
    }
    Err(Error::unknown("node", name, graph.nodes.iter().map(|node| &*node.id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::collect::node;
    use crate::graph::data::{EdgeData, EdgeKind};

    fn graph() -> GraphData {
        let node = |id: &str, kind| node(id, kind, id.rsplit(':').next().unwrap(), "");
        let edge = |from: &str, to: &str| EdgeData {
            from: from.into(),
            to: to.into(),
            kind: EdgeKind::Link,
            terms: Vec::new(),
            at: None,
        };
        GraphData {
            schema: "faber.graph/1",
            role: None,
            nodes: vec![
                node("role:r", NodeKind::Role),
                node("layer:.", NodeKind::Layer),
                node("standard/a", NodeKind::Context),
                node("standard/b", NodeKind::Context),
                node("standard/c", NodeKind::Context),
            ],
            edges: vec![
                edge("layer:.", "standard/a"),
                edge("layer:.", "standard/b"),
                edge("layer:.", "standard/c"),
                edge("standard/a", "standard/b"),
                edge("standard/b", "standard/c"),
            ],
        }
    }

    fn ids(name: &str, depth: usize) -> Vec<String> {
        let focus = find(&graph(), name).unwrap();
        let nodes = near(graph(), &focus, depth).nodes;
        nodes.into_iter().map(|node| node.id).collect()
    }

    #[test]
    fn edges_are_followed_both_ways_and_layers_end_them() {
        assert_eq!(ids("standard/a", 0), ["standard/a"]);
        assert_eq!(ids("standard/a", 1), ["layer:.", "standard/a", "standard/b"]);
        assert_eq!(ids("a", 2), ["layer:.", "standard/a", "standard/b", "standard/c"]);
        assert_eq!(ids("layer:.", 1).len(), 4);
        assert_eq!(ids("standard/a", usize::MAX).len(), 4, "the role is not connected");
    }

    #[test]
    fn an_unknown_node_is_reported() {
        let error = find(&graph(), "standard/x").unwrap_err();
        assert_eq!(error.to_string(), "unknown node `standard/x`");
    }
}
