//! Changes fields of front matter and no other byte.

use std::borrow::Cow;

use faber_core::config::quote;
use faber_core::parse::fence::{self, Split};
use faber_core::parse::frontmatter::{self, FrontKind, Parsed};
use faber_core::source::SourceMap;
use faber_core::yaml::{Entry, Node, ScalarKind, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldEdit {
    Add { field: &'static str, items: Vec<String> },
    Set { field: &'static str, value: Cow<'static, str> },
}

pub const UNEDITABLE: &str = "has front matter with errors, or in braces";

pub fn with_fields(text: &str, edits: &[FieldEdit]) -> Option<String> {
    edits.iter().try_fold(text.to_owned(), |text, edit| with_field(&text, edit))
}

fn with_field(text: &str, edit: &FieldEdit) -> Option<String> {
    let before = read(text);
    let entries = before.front.node.entries();
    let new = match entries.iter().find(|entry| entry.key == edit.field()) {
        None => inserted(text, &edit.line())?,
        Some(entry) if entry.value.is_null() => filled(text, entry, &edit.value())?,
        Some(Entry { value: node, .. }) => match edit {
            FieldEdit::Add { items, .. } => extended(text, node, items)?,
            FieldEdit::Set { value, .. } => {
                let range = scalar(node)?;
                format!("{}{value}{}", &text[..range.start], &text[range.end..])
            }
        },
    };
    is_as_meant(text, &new, edit).then_some(new)
}

impl FieldEdit {
    fn field(&self) -> &'static str {
        match self {
            Self::Add { field, .. } | Self::Set { field, .. } => field,
        }
    }

    fn line(&self) -> String {
        format!("{}: {}", self.field(), self.value())
    }

    fn value(&self) -> String {
        match self {
            Self::Add { items, .. } => format!("[{}]", quoted(items)),
            Self::Set { value, .. } => value.to_string(),
        }
    }
}

fn quoted(items: &[String]) -> String {
    items.iter().map(|item| quote::text(item)).collect::<Vec<_>>().join(", ")
}

pub(crate) fn read(text: &str) -> Parsed {
    let mut sources = SourceMap::default();
    let file = sources.add("context.md".into(), text.to_owned());
    frontmatter::read(&sources, file, FrontKind::Context).value
}

fn inserted(text: &str, line: &str) -> Option<String> {
    let (at, is_new) = match fence::split(text) {
        Split::None { body } => (body, true),
        Split::Closed(fences) => (fences.yaml_end, false),
        Split::Unclosed(_) => return None,
    };
    let end = line_end(text);
    let fence = if is_new { format!("---{end}") } else { String::new() };
    let added = format!("{fence}{line}{end}{fence}{}", if is_new { end } else { "" });
    Some(format!("{}{added}{}", &text[..at], &text[at..]))
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn filled(text: &str, entry: &Entry, value: &str) -> Option<String> {
    let key = entry.key_span.range().end;
    let colon = key + text[key..].find(':')? + 1;
    let written = entry.value.span.range();
    let written = if text[written.clone()].trim().is_empty() { colon..colon } else { written };
    let gap = if written.start == colon { " " } else { "" };
    Some(format!("{}{gap}{value}{}", &text[..written.start], &text[written.end..]))
}

fn scalar(node: &Node) -> Option<std::ops::Range<usize>> {
    let is_there = node.scalar().is_some_and(|scalar| scalar.kind != ScalarKind::Null);
    is_there.then(|| node.span.range())
}

fn extended(text: &str, node: &Node, items: &[String]) -> Option<String> {
    let new = quoted(items);
    let Some(known) = node.items() else {
        let range = scalar(node)?;
        let known = quoted(&values(node)?);
        return Some(format!("{}[{known}, {new}]{}", &text[..range.start], &text[range.end..]));
    };
    let start = node.span.range().start;
    let Some(last) = known.last() else {
        let rest = text[start..].strip_prefix('[')?;
        return Some(format!("{}[{new}{rest}", &text[..start]));
    };
    let last = scalar(last)?;
    if text[start..].starts_with('[') {
        return Some(format!("{}, {new}{}", &text[..last.end], &text[last.end..]));
    }
    let line = text[..last.start].rfind('\n').map_or(0, |at| at + 1);
    let mark = &text[line..last.start];
    if mark.trim() != "-" {
        return None;
    }
    let end = line_end(text);
    let at = text[last.end..].find('\n').map_or(text.len(), |at| last.end + at + 1);
    let lines = items.iter().map(|item| format!("{mark}{}{end}", quote::text(item)));
    let lines: String = lines.collect();
    Some(format!("{}{lines}{}", &text[..at], &text[at..]))
}

fn values(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::Seq(items) => items.iter().map(|item| Some(item.as_str()?.to_owned())).collect(),
        Value::Scalar(_) => {
            let items = node.as_str()?.split(',').map(str::trim);
            Some(items.filter(|item| !item.is_empty()).map(str::to_owned).collect())
        }
        Value::Map(_) => None,
    }
}

fn is_as_meant(old: &str, new: &str, edit: &FieldEdit) -> bool {
    let (before, after) = (read(old), read(new));
    let field = edit.field();
    let others = |node: &Node| -> Vec<(String, serde_json::Value)> {
        let entries = node.entries().iter().filter(|entry| entry.key != field);
        entries.map(|entry| (entry.key.clone(), entry.value.to_json())).collect()
    };
    let value = after.front.node.get(field);
    let has_value = match edit {
        FieldEdit::Set { .. } => {
            let wanted = read(&format!("---\n{}\n---\n", edit.line()));
            let wanted = wanted.front.node.get(field).and_then(Node::as_str);
            wanted.is_some() && value.and_then(Node::as_str) == wanted
        }
        FieldEdit::Add { items, .. } => {
            let mut wanted = match before.front.node.get(field) {
                Some(node) => values(node).unwrap_or_default(),
                None => Vec::new(),
            };
            wanted.extend(items.iter().cloned());
            value.and_then(values) == Some(wanted)
        }
    };
    has_value
        && !before.front.repaired
        && !after.front.repaired
        && others(&before.front.node) == others(&after.front.node)
        && old[before.body..].trim_start() == new[after.body..].trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(text: &str, keywords: &[&str]) -> Option<String> {
        let items = keywords.iter().map(|keyword| (*keyword).to_owned()).collect();
        with_fields(text, &[FieldEdit::Add { field: "keywords", items }])
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
    fn a_list_grows_in_the_way_it_is_written() {
        for (written, grown) in [
            ("keywords: [x]", "keywords: [x, b]"),
            ("keywords: [ x, 'y' ] # why", "keywords: [ x, 'y', b ] # why"),
            ("keywords: []", "keywords: [b]"),
            ("keywords: x, z", "keywords: [x, z, b]"),
            ("keywords:\n  - x # one\n  - y", "keywords:\n  - x # one\n  - y\n  - b"),
            ("keywords:\n- x", "keywords:\n- x\n- b"),
            ("keywords:", "keywords: [b]"),
            ("keywords:   # none yet", "keywords: [b]   # none yet"),
            ("\"keywords\": ~ # none", "\"keywords\": [b] # none"),
            ("keywords: null", "keywords: [b]"),
        ] {
            let text = |field: &str| format!("---\n{field}\nname: a\n---\nA\n");
            assert_eq!(add(&text(written), &["b"]), Some(text(grown)), "{written}");
        }
    }

    #[test]
    fn a_value_is_replaced_where_it_is() {
        let edits = [
            FieldEdit::Set { field: "load", value: "on-demand".into() },
            FieldEdit::Set { field: "truncatable", value: "false".into() },
        ];
        let text = "---\nload: 'always' # why\nname: a\n---\nA\n";
        let new = "---\nload: on-demand # why\nname: a\ntruncatable: false\n---\nA\n";
        assert_eq!(with_fields(text, &edits).as_deref(), Some(new));
        let filled = with_fields("---\nload:\n---\nA\n", &edits);
        assert_eq!(filled.as_deref(), Some("---\nload: on-demand\ntruncatable: false\n---\nA\n"));
    }

    #[test]
    fn front_matter_that_cannot_take_it_is_left_alone() {
        for text in [
            "---\n{name: a}\n---\nA\n",
            "---\nname: a\nA\n",
            "---\nkeywords: {x: y}\n---\nA\n",
            "---\nname: a: b\n---\nA\n",
            "---\ntext: |\n  a\n...\n---\nA\n",
        ] {
            assert_eq!(add(text, &["b"]), None, "{text}");
        }
    }
}
