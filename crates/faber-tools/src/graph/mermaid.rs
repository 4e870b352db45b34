use std::collections::HashMap;
use std::fmt::Write;

use crate::graph::data::{EdgeKind, GraphData, NodeKind};
use crate::graph::{label, shown};

/// Mermaid's default.
pub const MAX_EDGES: usize = 500;

pub fn mermaid(graph: &GraphData) -> String {
    let mut out = String::from("flowchart LR\n");
    let mut numbers: HashMap<&str, usize> = HashMap::with_capacity(graph.nodes.len());
    for (number, node) in graph.nodes.iter().enumerate() {
        numbers.insert(&node.id, number);
        let (open, close) = shape(node.kind);
        let _ = writeln!(out, "  n{number}{open}\"{}\"{close}", escaped(&shown(&node.label)));
    }
    for edge in &graph.edges {
        let (from, to) = (numbers[&*edge.from], numbers[&*edge.to]);
        let arrow = match edge.kind {
            EdgeKind::Layer => "-.-".to_owned(),
            EdgeKind::Defines => "-->".to_owned(),
            kind => format!("{}|\"{}\"|", arrow(kind), escaped(&label(edge))),
        };
        let _ = writeln!(out, "  n{from} {arrow} n{to}");
    }
    let left_out = graph.nodes.iter().filter(|node| node.left_out.is_some());
    let left_out: Vec<String> = left_out.map(|node| format!("n{}", numbers[&*node.id])).collect();
    if !left_out.is_empty() {
        let left_out = left_out.join(",");
        let _ = writeln!(out, "  classDef out stroke-dasharray:4 3\n  class {left_out} out");
    }
    out
}

fn shape(kind: NodeKind) -> (&'static str, &'static str) {
    match kind {
        NodeKind::Role => ("([", "])"),
        NodeKind::Task | NodeKind::Flow => ("[/", "/]"),
        NodeKind::Layer => ("[(", ")]"),
        NodeKind::Context => ("[", "]"),
        NodeKind::File => (">", "]"),
    }
}

fn arrow(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Overlays | EdgeKind::Extends => "==>",
        EdgeKind::Related | EdgeKind::Link | EdgeKind::SupersededBy => "-.->",
        _ => "-->",
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() || " -_./,:…()".contains(c) {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_label_is_markup() {
        assert_eq!(escaped("specialist/a-b_c.md, é:…"), "specialist/a-b_c.md, é:…");
        assert_eq!(escaped("\"]; click"), "#34;#93;#59; click");
        assert_eq!(escaped("<b>`x`#&|"), "#60;b#62;#96;x#96;#35;#38;#124;");
    }
}
