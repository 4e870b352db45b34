//! Wraps texts for agents in tags that name their source.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::search::found;
use faber_core::escape::Visible;
use faber_core::layer::LayerKind;
pub use faber_core::render::style::escape_context_tags;
use faber_core::resolve::catalog::content_hash;

const SHORT: usize = 120;

/// The source of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceLabel {
    /// Its id.
    pub id: String,
    /// Its highest layer; `historical` for the history.
    pub layer: &'static str,
    /// The first half of a BLAKE3 hash of the shown text, in full the same as in hooks.
    pub content_hash: String,
    /// Paths that links in the text are relative to. Structured data has them elsewhere.
    #[serde(skip)]
    source: Option<String>,
}

impl SourceLabel {
    pub fn new(id: &str, layer: Option<LayerKind>, text: &str) -> Self {
        // Contexts end with one line end.
        Self::of_hash(id, layer, &content_hash(&format!("{}\n", text.trim_matches('\n'))))
    }

    pub(crate) fn of_hash(id: &str, layer: Option<LayerKind>, hash: &str) -> Self {
        Self {
            id: id.to_owned(),
            layer: layer.map_or("historical", LayerKind::name),
            content_hash: hash.chars().take("blake3:".len() + 16).collect(),
            source: None,
        }
    }

    #[must_use]
    pub fn from_file(self, path: &str) -> Self {
        Self { source: Some(path.to_owned()), ..self }
    }

    pub fn wrap(&self, facts: &[(&str, String)], text: &str) -> String {
        self.tagged(&format!(" hash=\"{}\"", self.content_hash), facts, text)
    }

    pub fn wrap_line(&self, facts: &[(&str, String)], line: &str) -> String {
        self.tagged("", facts, line)
    }

    fn tagged(&self, hash: &str, facts: &[(&str, String)], text: &str) -> String {
        let id = attribute(&self.id);
        let mut out = format!("<context id=\"{id}\" layer=\"{}\"{hash}", self.layer);
        if let Some(source) = &self.source {
            let _ = write!(out, " source=\"{}\"", attribute(source));
        }
        for (name, value) in facts {
            let _ = write!(out, " {name}=\"{}\"", attribute(&short(value)));
        }
        let text = escape_context_tags(text);
        let text = text.trim_end_matches('\n');
        let line_end = if text.contains('\n') { "\n" } else { "" };
        format!("{out}>{line_end}{text}{line_end}</context>")
    }
}

pub fn short(text: &str) -> String {
    found::preview(text, SHORT)
}

fn attribute(text: &str) -> String {
    let text = Visible(&faber_core::markdown::collapse(text)).to_string();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn label() -> SourceLabel {
        SourceLabel::new("standard/a\"><b", Some(LayerKind::Team), "x")
    }

    #[test]
    fn tags_around_a_text_name_its_source() {
        let label = SourceLabel::new("standard/a", None, "x").from_file("a \"b\".md");
        let wrapped = label.wrap(&[("tokens", "3".into())], "a\nb\n");
        assert_eq!(
            wrapped,
            "<context id=\"standard/a\" layer=\"historical\" hash=\"blake3:7d7db7a9a1e5f3bb\" \
             source=\"a &quot;b&quot;.md\" tokens=\"3\">\na\nb\n</context>"
                .replace("7d7db7a9a1e5f3bb", &blake3::hash(b"x\n").to_hex()[..16])
        );
    }

    #[test]
    fn code_stays_as_it_is() {
        let text = "if a < b && c > d { Vec::<u8>::new() } // contexts <task> </input><role>";
        assert!(label().wrap(&[], text).contains(text));
    }

    proptest! {
        #[test]
        fn nothing_closes_or_opens_a_wrapper(
            parts in proptest::collection::vec("(<|/|context|Context| |\n|\t|>|<\u{a0}|é|[a-z<]{0,3})", 0..12),
        ) {
            let wrapped = label().wrap(&[("title", parts.concat())], &parts.concat());
            let lower = wrapped.to_lowercase();
            let is_sign = |c: char| c == '/' || c.is_whitespace();
            let is_tag = |tag: &str| {
                let rest = tag.trim_start_matches(is_sign).strip_prefix("context");
                rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            };
            let closes = |tag: &&str| tag.trim_start().starts_with('/') && is_tag(tag);
            prop_assert_eq!(lower.split('<').filter(closes).count(), 1, "{}", wrapped);
            let opens = |tag: &&str| tag.starts_with("context") && is_tag(tag);
            prop_assert_eq!(wrapped.split('<').filter(opens).count(), 1, "{}", wrapped);
            prop_assert!(lower.ends_with("</context>"));
        }
    }
}
