//! YAML with the byte range of every key and value. Keeps unknown keys.

use std::ops::Range;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_saphyr::{Error as SaphyrError, Spanned};

use crate::digest_map::DigestMap;
use crate::source::{FileId, Position, SourceFile, Span, place};

pub const MAX_BYTES: usize = 64 * 1024;
pub const MAX_DEPTH: usize = 16;
pub(crate) const TAB: &str = "a tab in the indentation; YAML allows only spaces";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// With quotes; only the start of a collection.
    #[serde(with = "place")]
    pub span: Span,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    Scalar(Scalar),
    Seq(Vec<Node>),
    Map(Vec<Entry>),
}

impl Entry {
    pub(crate) fn spanned_key(&self) -> crate::source::Spanned<String> {
        crate::source::Spanned { value: self.key.clone(), span: self.key_span }
    }
}

impl Value {
    pub(crate) fn text(text: String) -> Self {
        Self::Scalar(Scalar { text, kind: ScalarKind::Str })
    }
}

/// `version: 1.10` means text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scalar {
    /// Unescaped for strings, else as written.
    pub text: String,
    pub kind: ScalarKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ScalarKind {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub key: String,
    #[serde(with = "place")]
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    pub fn nest(key: &str, value: Self) -> Self {
        let span = value.span;
        let entry = Entry { key: key.to_owned(), key_span: span, value };
        Self { span, value: Value::Map(vec![entry]) }
    }

    pub(crate) fn empty_map(span: Span) -> Self {
        Self { span, value: Value::Map(Vec::new()) }
    }

    pub(crate) fn null(span: Span) -> Self {
        let scalar = Scalar { text: String::new(), kind: ScalarKind::Null };
        Self { span, value: Value::Scalar(scalar) }
    }

    fn moved_to(mut self, file: FileId) -> Self {
        self.map_spans(&|span| Span { file, ..span });
        self
    }

    pub(crate) fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        self.span = map(self.span);
        match &mut self.value {
            Value::Scalar(_) => {}
            Value::Seq(items) => items.iter_mut().for_each(|item| item.map_spans(map)),
            Value::Map(entries) => {
                for entry in entries {
                    entry.key_span = map(entry.key_span);
                    entry.value.map_spans(map);
                }
            }
        }
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub fn entries(&self) -> &[Entry] {
        if let Value::Map(entries) = &self.value { entries } else { &[] }
    }

    pub fn items(&self) -> Option<&[Self]> {
        if let Value::Seq(items) = &self.value { Some(items) } else { None }
    }

    pub fn scalar(&self) -> Option<&Scalar> {
        if let Value::Scalar(scalar) = &self.value { Some(scalar) } else { None }
    }

    pub fn as_str(&self) -> Option<&str> {
        let scalar = self.scalar()?;
        (scalar.kind != ScalarKind::Null).then_some(&*scalar.text)
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let ScalarKind::Bool(value) = self.scalar()?.kind { Some(value) } else { None }
    }

    pub fn as_int(&self) -> Option<i64> {
        if let ScalarKind::Int(value) = self.scalar()?.kind { Some(value) } else { None }
    }

    #[expect(clippy::cast_precision_loss, reason = "settings are far below 2^53")]
    pub(crate) fn as_float(&self) -> Option<f64> {
        match self.scalar()?.kind {
            ScalarKind::Int(value) => Some(value as f64),
            ScalarKind::Float(value) => Some(value),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        self.scalar().is_some_and(|scalar| scalar.kind == ScalarKind::Null)
    }

    pub fn type_name(&self) -> &'static str {
        match &self.value {
            Value::Seq(_) => "a list",
            Value::Map(_) => "a map",
            Value::Scalar(scalar) => match scalar.kind {
                ScalarKind::Null => "nothing",
                ScalarKind::Bool(_) => "a bool",
                ScalarKind::Int(_) => "a whole number",
                ScalarKind::Float(_) => "a number",
                ScalarKind::Str => "text",
            },
        }
    }

    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Seq(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Map(entries) => Json::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect(),
            ),
            Value::Scalar(scalar) => match scalar.kind {
                ScalarKind::Null => Json::Null,
                ScalarKind::Bool(value) => value.into(),
                ScalarKind::Int(value) => value.into(),
                ScalarKind::Float(value) => serde_json::Number::from_f64(value)
                    .map_or_else(|| scalar.text.clone().into(), Json::Number),
                ScalarKind::Str => scalar.text.clone().into(),
            },
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum YamlTrouble {
    Syntax,
    DuplicateKey,
    Anchor,
    /// Too long or deeply nested, or several documents.
    Limit,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct YamlError {
    pub trouble: YamlTrouble,
    pub message: String,
    #[serde(with = "place")]
    pub span: Span,
}

impl YamlError {
    pub(crate) fn syntax(message: &str, span: Span) -> Self {
        Self { trouble: YamlTrouble::Syntax, message: message.to_owned(), span }
    }

    pub(crate) fn anchor(span: Span) -> Self {
        let message = "anchors and aliases are not supported".to_owned();
        Self { trouble: YamlTrouble::Anchor, message, span }
    }

    pub(crate) fn too_deep(span: Span) -> Self {
        let message = format!("more than {MAX_DEPTH} levels of nesting");
        Self { trouble: YamlTrouble::Limit, message, span }
    }
}

pub(crate) fn parse_known(
    source: &SourceFile,
    file: FileId,
    end: usize,
    known: Option<&YamlCache>,
) -> Result<Node, YamlError> {
    match known {
        Some(known) => known.parse(source, file, end),
        None => parse_text(&source.text[..end], file),
    }
}

#[derive(Debug, Default)]
pub struct YamlCache(pub(crate) DigestMap);

impl YamlCache {
    fn parse(&self, source: &SourceFile, file: FileId, end: usize) -> Result<Node, YamlError> {
        type Known = (usize, Result<Node, YamlError>);
        let key = source.text.digest();
        let known = self.0.get(key).and_then(|bytes| rmp_serde::from_slice(&bytes).ok());
        if let Some((_, read)) = known.filter(|(known_end, _): &Known| *known_end == end) {
            let moved = |error: YamlError| YamlError { span: Span { file, ..error.span }, ..error };
            return read.map(|node| node.moved_to(file)).map_err(moved);
        }
        let read = parse_text(&source.text[..end], file);
        if let Ok(bytes) = rmp_serde::to_vec(&(end, &read)) {
            self.0.insert(*key, bytes.into());
        }
        read
    }
}

/// `---` and a byte-order mark may precede.
///
/// # Errors
///
/// If it is not one YAML 1.2 document within the limits, or has anchors or duplicate keys.
pub fn parse_text(text: &str, file: FileId) -> Result<Node, YamlError> {
    let yaml = text.trim_start_matches(['\u{feff}', '-']).trim_start();
    let bytes = yaml.len();
    if yaml.starts_with('!') {
        let start = text.len() - bytes;
        return Err(YamlError::syntax("`!` begins a tag", Span::new(file, start, start + 1)));
    }
    if bytes > MAX_BYTES {
        return Err(YamlError {
            trouble: YamlTrouble::Limit,
            message: format!("{bytes} bytes of YAML; at most {MAX_BYTES} are read"),
            span: Span::start_of(file),
        });
    }
    match serde_saphyr::from_str_with_options::<Spanned<RawNode>>(text, options()) {
        Ok(raw) => Builder { text, file }.node(raw),
        Err(error) => Err(describe(text, file, &error)),
    }
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        strict_booleans: true,
        merge_keys: serde_saphyr::options::MergeKeyPolicy::AsOrdinary,
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::AsString,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            max_documents: 1,
            max_anchors: 0,
            max_aliases: 0,
        },
    }
}

pub(crate) const SECOND_DOCUMENT: &str = "a second document begins here";

fn describe(text: &str, file: FileId, error: &SaphyrError) -> YamlError {
    use serde_saphyr::budget::BudgetBreach;
    let rendered = error.to_string();
    let message = rendered.split(" at line ").next().unwrap_or(&rendered);
    let span = locate(text, file, error);
    let (trouble, message) = match error {
        SaphyrError::DuplicateMappingKey { .. } => {
            (YamlTrouble::DuplicateKey, message.split(", set ").next().unwrap_or(message))
        }
        SaphyrError::UnknownAnchor { .. } => {
            (YamlTrouble::Anchor, "`*` begins an alias, but there is no anchor")
        }
        SaphyrError::Budget { breach, .. } => match breach {
            BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. } => {
                return YamlError::anchor(span);
            }
            BudgetBreach::Documents { .. } => (YamlTrouble::Limit, SECOND_DOCUMENT),
            _ => return YamlError::too_deep(span),
        },
        _ => match indenting_tab(text, span.range().start) {
            Some(tab) => return YamlError::syntax(TAB, Span::new(file, tab, tab + 1)),
            None => (YamlTrouble::Syntax, message),
        },
    };
    if let Some(open) = message.strip_prefix("unclosed bracket '") {
        let message = format!("this `{}` is not closed", open.trim_end_matches('\''));
        return YamlError { trouble, message, span };
    }
    let message = message.replace("within this context", "here").replace("in this context", "here");
    YamlError { trouble, message, span }
}

pub(crate) fn first_key(text: &str, duplicate: Span) -> Option<Span> {
    let at = duplicate.range().start;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let (indent, key) = (at - start, text[at..].split_once(':')?.0);
    let mut end = start;
    for line in text[..start].split_inclusive('\n').rev() {
        end -= line.len();
        let content = line.trim_start_matches(' ');
        let depth = line.len() - content.len();
        let is_key = content.split_once(':').is_some_and(|(known, _)| known == key);
        if depth == indent && is_key {
            return Some(Span::new(duplicate.file, end + depth, end + depth + key.len()));
        }
        let has_content = !content.trim().is_empty() && !content.starts_with('#');
        if depth < indent && has_content {
            return None;
        }
    }
    None
}

fn indenting_tab(text: &str, at: usize) -> Option<usize> {
    let before = text.as_bytes()[..at].iter().rposition(|&byte| byte == b'\n');
    let first = before.map_or(0, |line_break| line_break + 1);
    let mut start = first;
    text[first..].split_inclusive('\n').take(2).find_map(|line| {
        let indent = line.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(line.len());
        let tab = line[..indent].find('\t').map(|tab| start + tab);
        start += line.len();
        tab
    })
}

fn locate(text: &str, file: FileId, error: &SaphyrError) -> Span {
    let Some(location) = error.location() else { return Span::start_of(file) };
    if let (Some(start), length) = (location.span().byte_offset(), location.span().byte_len()) {
        let start = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
        let length = length.map_or(0, |length| usize::try_from(length).unwrap_or(0));
        return Span::new(file, start, (start + length).min(text.len()));
    }
    let mut sources = crate::source::SourceMap::default();
    let id = sources.add(camino::Utf8PathBuf::new(), text.to_owned());
    let position = Position {
        line: usize::try_from(location.line()).unwrap_or(1),
        column: usize::try_from(location.column()).unwrap_or(1),
    };
    let at = sources.get(id).offset(position) as usize;
    Span::new(file, at, at)
}

enum RawNode {
    Scalar(ScalarKind),
    Str(String),
    Seq(Vec<Spanned<RawNode>>),
    Map(Vec<(Spanned<String>, Spanned<RawNode>)>),
}

impl<'de> Deserialize<'de> for RawNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawNode;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any YAML value")
    }

    fn visit_unit<E>(self) -> Result<RawNode, E> {
        Ok(RawNode::Scalar(ScalarKind::Null))
    }

    fn visit_none<E>(self) -> Result<RawNode, E> {
        Ok(RawNode::Scalar(ScalarKind::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<RawNode, E> {
        Ok(RawNode::Scalar(ScalarKind::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<RawNode, E> {
        Ok(RawNode::Scalar(ScalarKind::Int(value)))
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond i64 only the written text matters")]
    fn visit_u64<E>(self, value: u64) -> Result<RawNode, E> {
        let kind = i64::try_from(value).map_or(ScalarKind::Float(value as f64), ScalarKind::Int);
        Ok(RawNode::Scalar(kind))
    }

    fn visit_f64<E>(self, value: f64) -> Result<RawNode, E> {
        Ok(RawNode::Scalar(ScalarKind::Float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<RawNode, E> {
        Ok(RawNode::Str(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<RawNode, A::Error> {
        let items = std::iter::from_fn(|| access.next_element().transpose());
        items.collect::<Result<_, _>>().map(RawNode::Seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<RawNode, A::Error> {
        let entries = std::iter::from_fn(|| access.next_entry().transpose());
        entries.collect::<Result<_, _>>().map(RawNode::Map)
    }
}

struct Builder<'a> {
    text: &'a str,
    file: FileId,
}

impl Builder<'_> {
    fn span<T>(&self, spanned: &Spanned<T>) -> Span {
        let span = spanned.referenced.span();
        let offset = |value: Option<u64>| usize::try_from(value.unwrap_or(0)).unwrap_or(0);
        let start = offset(span.byte_offset()).min(self.text.len());
        let end = (start + offset(span.byte_len())).min(self.text.len());
        let trimmed = self.text[start..end].trim_end().len();
        Span::new(self.file, start, start + trimmed)
    }

    /// Fails at a tag without a value, such as `!draft`.
    fn node(&self, raw: Spanned<RawNode>) -> Result<Node, YamlError> {
        let span = self.span(&raw);
        let value = match raw.value {
            RawNode::Scalar(ScalarKind::Null) if self.is_tagged(span) => {
                return Err(YamlError::syntax("`!` begins a tag", span));
            }
            RawNode::Scalar(kind) => {
                Value::Scalar(Scalar { text: self.text[span.range()].to_owned(), kind })
            }
            RawNode::Str(text) => Value::text(text),
            RawNode::Seq(items) => {
                Value::Seq(items.into_iter().map(|item| self.node(item)).collect::<Result<_, _>>()?)
            }
            RawNode::Map(entries) => {
                let entries = entries.into_iter().map(|(key, value)| self.entry(key, value));
                Value::Map(entries.collect::<Result<_, _>>()?)
            }
        };
        Ok(Node { span, value })
    }

    fn entry(&self, key: Spanned<String>, value: Spanned<RawNode>) -> Result<Entry, YamlError> {
        Ok(Entry { key_span: self.span(&key), key: key.value, value: self.node(value)? })
    }

    fn is_tagged(&self, null: Span) -> bool {
        let Range { start, end } = null.range();
        let before = self.text[..start].trim_end();
        let last = before.rsplit(|c: char| c.is_whitespace() || "[{,".contains(c)).next();
        self.text[start..end].starts_with('!') || last.is_some_and(|it| it.starts_with('!'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest_map::tests::MemoryStore;
    use crate::source::SourceMap;

    fn read(text: &str) -> Result<(SourceMap, Node), YamlError> {
        let mut sources = SourceMap::default();
        let file = sources.add("x.yml".into(), text.to_owned());
        let node = parse_text(text, file)?;
        Ok((sources, node))
    }

    #[test]
    fn every_value_knows_its_bytes_behind_a_byte_order_mark_and_crlf() {
        let (sources, node) =
            read("\u{feff}---\r\nname: 'ü b'\r\nlist:\r\n  - x\r\n  - 1.10\r\n").unwrap();
        let name = node.get("name").unwrap();
        assert_eq!((name.as_str(), sources.text(name.span)), (Some("ü b"), "'ü b'"));
        let items = node.get("list").unwrap().items().unwrap();
        assert_eq!(sources.text(items[0].span), "x");
        assert_eq!((items[1].as_str(), items[1].as_float()), (Some("1.10"), Some(1.1)));
        assert_eq!(sources.text(node.entries()[1].key_span), "list");
    }

    #[test]
    fn what_was_read_is_the_same_in_another_file() {
        let text = "a: 1\nb: [x, 2.5, ~, {c: true}]\n";
        let mut sources = SourceMap::default();
        sources.add("other.yml".into(), String::new());
        let file = sources.add("x.yml".into(), text.to_owned());
        let source = sources.get(file);
        let store = MemoryStore::default();
        let first = YamlCache::default();
        let node = first.parse(source, file, text.len()).unwrap();
        assert_eq!(Ok(&node), parse_text(text, file).as_ref());
        first.0.save(&store, "yaml", 1 << 20);
        let second = YamlCache(DigestMap::open(&store, "yaml"));
        let at = sources.add("y.yml".into(), text.to_owned());
        let known = second.parse(sources.get(at), at, text.len()).unwrap();
        assert_eq!(known, node.moved_to(at));
        assert_eq!(second.0.added_count(), 0, "it was known");
        let less = second.parse(sources.get(at), at, 4).unwrap();
        assert_eq!(less.entries().len(), 1, "another part of the file");
    }

    #[test]
    fn yaml_1_2_core_schema() {
        let (_, node) = read("a: yes\nb: true\nc: 2026-01-15\nd: ~\ne:\nf: 0x10\n").unwrap();
        let kinds: Vec<_> = node.entries().iter().map(|entry| entry.value.type_name()).collect();
        assert_eq!(kinds, ["text", "a bool", "text", "nothing", "nothing", "a whole number"]);
    }

    #[test]
    fn errors_are_distinguished_and_have_places() {
        let trouble = |text: &str| {
            let error = read(text).unwrap_err();
            (error.trouble, error.span.start)
        };
        assert_eq!(trouble("---\nglobs: **/*.py\n"), (YamlTrouble::Anchor, 11));
        assert_eq!(trouble("a: b: c\n"), (YamlTrouble::Syntax, 4));
        assert_eq!(read("a: b: c\n").unwrap_err().message, "mapping values are not allowed here");
        for (text, tab) in [("a: x\n\tb: 1\n", 5), ("a:\n\tb: 1\n", 3), ("a: |\n  b\n\tc\n", 9)] {
            let error = read(text).unwrap_err();
            assert_eq!((&*error.message, error.span.range()), (TAB, tab..tab + 1), "{text:?}");
        }
        assert_eq!(trouble("a: 1\na: 2\n"), (YamlTrouble::DuplicateKey, 5));
        assert_eq!(trouble("a: &x 1\n").0, YamlTrouble::Anchor);
        assert_eq!(trouble("a: 1\n---\nb: 2\n").0, YamlTrouble::Limit);
        let deep = format!("a: {}1{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert_eq!(trouble(&deep).0, YamlTrouble::Limit);
        assert!(read(&"[".repeat(20_000)).is_err());
        assert_eq!(trouble(&"a".repeat(MAX_BYTES + 1)).0, YamlTrouble::Limit);
    }
}
