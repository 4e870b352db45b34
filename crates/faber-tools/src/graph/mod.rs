//! The graph of a workspace, without hidden contexts.

mod collect;
pub mod data;
pub mod dot;
mod links;
pub mod mermaid;
pub mod near;

use faber_core::escape::Visible;

pub use collect::{GraphCollector, GraphInput};

const MAX_SHOWN: usize = 60;
const MAX_TERMS: usize = 3;

fn label(edge: &data::EdgeData) -> String {
    let mut text = edge.kind.name().to_owned();
    for (at, term) in edge.terms.iter().take(MAX_TERMS).enumerate() {
        text.push_str(if at == 0 { ": " } else { ", " });
        text.push_str(term);
    }
    if edge.terms.len() > MAX_TERMS {
        text.push_str(", …");
    }
    shown(&text)
}

fn shown(text: &str) -> String {
    let text = Visible(text).to_string();
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(MAX_SHOWN).collect();
    if chars.next().is_some() {
        short.pop();
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::data::{EdgeData, EdgeKind};
    use super::*;

    #[test]
    fn labels_are_short_and_on_one_line() {
        let terms = ["a", "b\nc", "d", "e"].map(str::to_owned).to_vec();
        let edge = EdgeData {
            from: "role:r".into(),
            to: "standard/a".into(),
            kind: EdgeKind::Keyword,
            terms,
            at: None,
        };
        assert_eq!(label(&edge), "keyword: a, b\\nc, d, …");
        let long = shown(&"é".repeat(61));
        assert_eq!((long.chars().count(), long.ends_with('…')), (60, true));
        assert_eq!(shown(&"é".repeat(60)).chars().last(), Some('é'));
    }
}
