use std::collections::HashMap;
use std::fmt::Write;

use crate::graph::data::{EdgeKind, GraphData, NodeKind};
use crate::graph::{label, shown};

pub fn dot(graph: &GraphData) -> String {
    let mut out = String::from(
        "digraph faber {\n  rankdir=LR\n  node [fontname=\"sans-serif\" fontsize=11]\n  \
         edge [fontname=\"sans-serif\" fontsize=9]\n",
    );
    let mut numbers: HashMap<&str, usize> = HashMap::with_capacity(graph.nodes.len());
    for (number, node) in graph.nodes.iter().enumerate() {
        numbers.insert(&node.id, number);
        let style = if node.left_out.is_some() { " style=dashed" } else { "" };
        let (label, tip) = (escaped(&shown(&node.label)), escaped(&shown(&node.path)));
        let shape = shape(node.kind);
        let _ =
            writeln!(out, "  n{number} [label=\"{label}\" shape={shape} tooltip=\"{tip}\"{style}]");
    }
    for edge in &graph.edges {
        let (from, to) = (numbers[&*edge.from], numbers[&*edge.to]);
        let text = escaped(&label(edge));
        let (label, style) = match edge.kind {
            EdgeKind::Layer => ("tooltip", "dotted"),
            EdgeKind::Defines => ("tooltip", "solid"),
            EdgeKind::Overlays | EdgeKind::Extends => ("label", "bold"),
            EdgeKind::Related | EdgeKind::Link | EdgeKind::SupersededBy => ("label", "dashed"),
            _ => ("label", "solid"),
        };
        let _ = writeln!(out, "  n{from} -> n{to} [{label}=\"{text}\" style={style}]");
    }
    out.push_str("}\n");
    out
}

fn shape(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Role => "oval",
        NodeKind::Task | NodeKind::Flow => "parallelogram",
        NodeKind::Layer => "cylinder",
        NodeKind::Context => "box",
        NodeKind::File => "note",
    }
}

/// `&` begins an HTML entity in DOT.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_ends_where_it_should() {
        assert_eq!(escaped(r#"a"b\N&lt;"#), r#"a\"b\\N&amp;lt;"#);
    }
}
