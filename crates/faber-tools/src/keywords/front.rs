//! Keywords in front matter.

use std::fmt::Write;

use super::term::SuggestedTerm;
use faber_core::config::quote;
use faber_core::parse::fence::{self, Split};
use faber_core::parse::frontmatter::{self, FrontKind};
use faber_core::source::{SourceMap, Spanned};
use faber_core::yaml::Node;

/// The text of a context with these keywords and errors in its front matter, and otherwise byte for byte as
/// it was. None if its front matter has such fields already, or cannot take them.
pub fn with_terms(
    text: &str,
    keywords: &[SuggestedTerm],
    errors: &[SuggestedTerm],
) -> Option<String> {
    let rows = [("keywords", keywords), ("errors", errors)];
    let rows = rows.into_iter().filter(|(_, terms)| !terms.is_empty());
    let (at, is_new) = match fence::split(text) {
        Split::None { body } => (body, true),
        Split::Closed(fences) => (fences.yaml_end, false),
        Split::Unclosed(_) => return None,
    };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut added = String::new();
    for (field, terms) in rows {
        let terms: Vec<String> = terms.iter().map(|term| quote::text(&term.text)).collect();
        let _ = write!(added, "{field}: [{}]{end}", terms.join(", "));
    }
    if is_new {
        added = format!("---{end}{added}---{end}{end}");
    }
    let new = format!("{}{added}{}", &text[..at], &text[at..]);
    is_as_meant(text, &new, keywords, errors).then_some(new)
}

/// Whether the new text reads as the old one with these terms: front matter may be written in braces, or be
/// broken.
fn is_as_meant(old: &str, new: &str, keywords: &[SuggestedTerm], errors: &[SuggestedTerm]) -> bool {
    let mut sources = SourceMap::default();
    let mut read = |text: &str| {
        let file = sources.add("context.md".into(), text.to_owned());
        frontmatter::read(&sources, file, FrontKind::Context).value
    };
    let (before, after) = (read(old), read(new));
    let has = |own: &[Spanned<String>], terms: &[SuggestedTerm]| {
        own.iter().map(|term| &term.value).eq(terms.iter().map(|term| &term.text))
    };
    let others = |node: &Node| -> Vec<(String, serde_json::Value)> {
        let entries = node.entries().iter();
        let others = entries.filter(|entry| !matches!(&*entry.key, "keywords" | "errors"));
        others.map(|entry| (entry.key.clone(), entry.value.to_json())).collect()
    };
    !before.front.repaired
        && !after.front.repaired
        && before.front.fields.keywords.is_empty()
        && before.front.fields.errors.is_empty()
        && has(&after.front.fields.keywords, keywords)
        && has(&after.front.fields.errors, errors)
        && others(&before.front.node) == others(&after.front.node)
        && old[before.body..].trim_start() == new[after.body..].trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keywords::term::TermSource;

    fn add(text: &str, keywords: &[&str]) -> Option<String> {
        let term = |text: &&str| SuggestedTerm {
            text: (*text).to_owned(),
            found_in: TermSource::Name,
            often: 1,
            contexts: 1,
        };
        with_terms(text, &keywords.iter().map(term).collect::<Vec<_>>(), &[])
    }

    #[test]
    fn only_the_field_is_added() {
        let text = "---\nname: a # why\nx: {b: c}\n---\n\n# A\n";
        let new = "---\nname: a # why\nx: {b: c}\nkeywords: [b c, \"C#\"]\n---\n\n# A\n";
        assert_eq!(add(text, &["b c", "C#"]).unwrap(), new);
        assert_eq!(add("# A\n", &["b"]).unwrap(), "---\nkeywords: [b]\n---\n\n# A\n");
        let windows = add("\u{feff}---\r\nname: a\r\n---\r\nA\r\n", &["b"]).unwrap();
        assert_eq!(windows, "\u{feff}---\r\nname: a\r\nkeywords: [b]\r\n---\r\nA\r\n");
        assert_eq!(add("---\n---\nA\n", &["b"]).unwrap(), "---\nkeywords: [b]\n---\nA\n");
    }

    #[test]
    fn front_matter_that_cannot_take_it_is_left_alone() {
        for text in [
            "---\n{name: a}\n---\nA\n",
            "---\nname: a\nA\n",
            "---\nkeywords: [x]\n---\nA\n",
            "---\nkeywords: []\n---\nA\n",
            "---\nname: a: b\n---\nA\n",
            "---\ntext: |\n  a\n...\n---\nA\n",
        ] {
            assert_eq!(add(text, &["b"]), None, "{text}");
        }
    }
}
