use std::collections::BTreeSet;
use std::ops::Range;

use bytes::Bytes;
use camino::Utf8Path;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::search::bytes::{TextKey, binary_search};
use crate::search::scope::{Scope, Scopes};
use faber_core::category::{CATEGORIES, Category};
use faber_core::layer::LayerKind;
use faber_core::line::Line;
use faber_core::packs;
use faber_core::parse::fields::Confidence;
use faber_core::source::{SourceMap, Span};

pub(crate) const DEFAULT_CONFIDENCE: f64 = 0.5;

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceType {
    /// A note of the history.
    Memory,
    /// A context, task or flow.
    Document,
    /// A part of a conversation of the history.
    Conversation,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextLocation {
    /// Byte range, and [`checksum`] of the file up to its end.
    File(usize, usize, u32),
    Own {
        text: String,
        paths: Vec<String>,
        /// Index in `paths`, and line from 1.
        origins: Vec<(u32, u32)>,
    },
}

impl TextLocation {
    pub(super) fn of_file(sources: &SourceMap, span: Span) -> Self {
        let Range { start, end } = span.range();
        Self::File(start, end, checksum(&sources.get(span.file).text[..end]))
    }

    pub(super) fn of_lines(lines: &[Line], text: String, sources: &SourceMap) -> Self {
        let paths: BTreeSet<&Utf8Path> = lines.iter().map(|line| line.place(sources).0).collect();
        let paths: Vec<&Utf8Path> = paths.into_iter().collect();
        let origins = lines.iter().map(|line| {
            let (path, number) = line.place(sources);
            let at = paths.binary_search(&path).unwrap_or_default();
            (u32::try_from(at).unwrap_or_default(), u32::try_from(number).unwrap_or_default())
        });
        let origins = origins.collect();
        Self::Own { text, paths: paths.iter().map(ToString::to_string).collect(), origins }
    }
}

pub const SPACE: &str = "@space:";

pub fn in_space(id: &str) -> (Option<&str>, &str) {
    let parts = id.strip_prefix(SPACE).and_then(|rest| {
        let organization = rest.find('/')?;
        let end = organization + 1 + rest[organization + 1..].find('/')?;
        Some((Some(&rest[..end]), &rest[end + 1..]))
    });
    parts.unwrap_or((None, id))
}

pub fn checksum(text: &str) -> u32 {
    crc32fast::hash(text.as_bytes())
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchItem {
    /// `category/name`, `category/name/path.md`, `task/name`, `flow/name` or `history/name`, after
    /// `@role:NAME/` for other roles.
    pub id: String,
    pub kind: SourceType,
    pub category: Option<Category>,
    pub layers: Vec<LayerKind>,
    pub layer_name: Option<String>,
    /// The first heading, else the name.
    pub title: String,
    pub description: Option<String>,
    pub named_kind: Option<String>,
    pub path: String,
    pub pack: Option<String>,
    pub owner: Option<String>,
    pub dated: Option<Date>,
    pub body: TextLocation,
    pub shorter: [Option<String>; 2],
    pub confidence: f64,
    pub links: [Vec<String>; 3],
    pub topics: Vec<String>,
    pub on_demand: bool,
    #[serde(default)]
    pub triggers: Option<String>,
    #[serde(default)]
    pub pack_place: Option<String>,
    #[serde(default)]
    pub files: Vec<String>,
}

pub(crate) const DERIVED_FROM: usize = 0;
pub(crate) const CONTRADICTS: usize = 1;
pub(crate) const RELATED: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facets {
    pub scopes: Scopes,
    pub category: Option<Category>,
    pub bytes: u32,
}

/// Read in place. Numbers are four little-endian bytes: count; keys of all texts; scopes, category
/// (0 is none) and size of each item; ends of all encodings; indexes by key; items in
/// `MessagePack`.
#[derive(Clone, Debug, Default)]
pub struct Items {
    bytes: Bytes,
    count: usize,
}

const HEAD: usize = 4;
const KEY: usize = size_of::<TextKey>();
const FACETS: usize = 6;
const EACH: usize = KEY + FACETS + 4 + 4;

impl FromIterator<(SearchItem, TextKey, Facets)> for Items {
    /// Must be sorted by ID.
    fn from_iter<T: IntoIterator<Item = (SearchItem, TextKey, Facets)>>(items: T) -> Self {
        let (mut keys, mut all_facets) = (Vec::new(), Vec::new());
        let (mut ends, mut encoded) = (Vec::new(), Vec::new());
        for (item, key, facets) in items {
            keys.push(key);
            let category = facets.category.map_or(0, |category| category as u8 + 1);
            all_facets.extend_from_slice(&[facets.scopes.bits(), category]);
            all_facets.extend_from_slice(&facets.bytes.to_le_bytes());
            rmp_serde::encode::write(&mut encoded, &item)
                .expect("plain data can always be encoded");
            ends.push(encoded.len());
        }
        let count = keys.len();
        let mut by_key: Vec<usize> = (0..count).collect();
        by_key.sort_unstable_by_key(|at| (keys[*at], *at));
        let numbers = |numbers: &[usize]| -> Vec<u8> {
            let small = |number: &usize| u32::try_from(*number).unwrap_or(u32::MAX).to_le_bytes();
            numbers.iter().flat_map(small).collect()
        };
        let (ends, by_key) = (numbers(&ends), numbers(&by_key));
        let bytes =
            [&numbers(&[count])[..], keys.as_flattened(), &all_facets, &ends, &by_key, &encoded];
        Self { bytes: Bytes::from(bytes.concat()), count }
    }
}

impl Items {
    pub fn open(bytes: Bytes) -> Option<Self> {
        let count = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        let least = count.checked_mul(EACH)?.checked_add(HEAD)?;
        (bytes.len() >= least).then_some(Self { bytes, count })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn cell<const SIZE: usize>(&self, before: usize, at: usize) -> [u8; SIZE] {
        assert!(at < self.count, "there are {} items", self.count);
        let start = HEAD + before * self.count + at * SIZE;
        self.bytes[start..start + SIZE].try_into().expect("the size is the same")
    }

    fn end(&self, at: usize) -> usize {
        u32::from_le_bytes(self.cell(KEY + FACETS, at)) as usize
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn key(&self, at: usize) -> TextKey {
        self.cell(0, at)
    }

    pub fn by_key(&self, at: usize) -> usize {
        u32::from_le_bytes(self.cell(KEY + FACETS + 4, at)) as usize
    }

    pub fn facets(&self, at: usize) -> Facets {
        let [scopes, category, size @ ..] = self.cell::<FACETS>(KEY, at);
        let row = usize::from(category).checked_sub(1).and_then(|at| CATEGORIES.get(at));
        Facets {
            scopes: Scopes::from_bits(scopes),
            category: row.map(|row| row.category),
            bytes: u32::from_le_bytes(size),
        }
    }

    pub fn find(&self, id: &str) -> Option<usize> {
        binary_search(self.count, |at| self.get(at).id.as_str().cmp(id))
    }

    /// # Panics
    ///
    /// If `at` is out of bounds.
    pub fn get(&self, at: usize) -> SearchItem {
        let start = at.checked_sub(1).map_or(0, |before| self.end(before));
        let bytes = &self.bytes[HEAD + self.count * EACH..][start..self.end(at)];
        rmp_serde::from_slice(bytes).expect("it was encoded by this program, and is sealed")
    }
}

impl SearchItem {
    pub(super) fn blank(id: String, kind: SourceType) -> Self {
        Self {
            id,
            kind,
            category: None,
            layers: Vec::new(),
            layer_name: None,
            title: String::new(),
            description: None,
            named_kind: None,
            path: String::new(),
            pack: None,
            owner: None,
            dated: None,
            body: TextLocation::File(0, 0, 0),
            shorter: [None, None],
            confidence: DEFAULT_CONFIDENCE,
            links: [Vec::new(), Vec::new(), Vec::new()],
            topics: Vec::new(),
            on_demand: false,
            triggers: None,
            pack_place: None,
            files: Vec::new(),
        }
    }

    pub(super) fn scopes(&self, has_role: bool) -> Scopes {
        if self.layers.is_empty() {
            Scopes::of([Scope::Historical])
        } else {
            Scopes::of_layers(&self.layers, self.is_of_area(has_role))
        }
    }

    pub fn cited(&self, path: &str) -> String {
        let place = self.pack_place.as_deref().map(Utf8Path::new);
        packs::at_place(Utf8Path::new(path), place).into_string()
    }

    pub fn kind_name(&self) -> &'static str {
        match (self.category, self.kind) {
            (Some(category), _) => category.row().name,
            (None, SourceType::Memory) => "note",
            (None, SourceType::Conversation) => "conversation",
            (None, SourceType::Document) if self.id.strip_suffix(".md").is_some() => "file",
            (None, SourceType::Document) if self.id.rsplit('/').nth(1) == Some("flow") => "flow",
            (None, SourceType::Document) => "task",
        }
    }

    pub(super) fn is_of_area(&self, has_role: bool) -> bool {
        has_role && !in_space(&self.id).1.starts_with("@role:")
    }

    pub(super) fn is_of_owner(&self) -> bool {
        let role = in_space(&self.id).1.strip_prefix("@role:").and_then(|it| it.split_once('/'));
        let mut folders = Utf8Path::new(&self.path).components();
        role.is_none_or(|(role, _)| folders.any(|folder| folder.as_str() == role))
    }

    pub fn scope(&self, has_role: bool) -> Scope {
        match self.layers.last() {
            Some(layer) => Scope::of(*layer, self.is_of_area(has_role)),
            None => Scope::Historical,
        }
    }
}

/// As stated, or the geometric mean.
pub fn confidence(stated: Option<&Confidence>) -> f64 {
    let mean = match stated {
        None => return DEFAULT_CONFIDENCE,
        Some(Confidence::Overall(overall)) => *overall,
        Some(Confidence::Components(parts)) if parts.is_empty() => return DEFAULT_CONFIDENCE,
        Some(Confidence::Components(parts)) => {
            #[expect(clippy::cast_precision_loss, reason = "front matter has 64 KiB at most")]
            let count = parts.len() as f64;
            (parts.values().map(|part| part.ln()).sum::<f64>() / count).exp()
        }
    };
    unit(mean)
}

pub(crate) fn unit(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str) -> SearchItem {
        SearchItem {
            title: id.to_uppercase(),
            path: format!("{id}.md"),
            body: TextLocation::File(0, 2, 3),
            shorter: [None, Some("Short.".to_owned())],
            links: [Vec::new(), vec!["x".to_owned()], Vec::new()],
            on_demand: true,
            ..SearchItem::blank(id.to_owned(), SourceType::Document)
        }
    }

    #[test]
    fn items_are_read_in_place() {
        let facets = |bytes| {
            let category = CATEGORIES.last().map(|row| row.category);
            Facets { scopes: Scopes::of([Scope::Team]), category, bytes }
        };
        let rows = [("a", 9, 1), ("b", 7, 2), ("c", 9, 3), ("d", 8, u32::MAX)];
        let made = rows.map(|(id, key, bytes)| (item(id), [key; 16], facets(bytes)));
        let items: Items = made.clone().into_iter().collect();
        let items = Items::open(Bytes::from(items.bytes().to_vec())).unwrap();
        for (at, (item, key, facets)) in made.into_iter().enumerate() {
            assert_eq!(items.find(&item.id), Some(at));
            assert_eq!((items.get(at), items.key(at), items.facets(at)), (item, key, facets));
        }
        assert_eq!((items.count(), items.find("aa")), (4, None));
        assert_eq!([0, 1, 2, 3].map(|at| items.by_key(at)), [1, 3, 0, 2]);
    }

    #[test]
    fn no_items_are_few_bytes() {
        let none = Items::from_iter([]);
        assert_eq!(Items::open(Bytes::from(none.bytes().to_vec())).unwrap().count(), 0);
        for short in [&[][..], &[1, 0, 0], &[1, 0, 0, 0], &[255; 34]] {
            assert!(Items::open(Bytes::from(short.to_vec())).is_none());
        }
    }
}
