//! What can be found in one view, and how it is kept.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;

use crate::search::part::Key;
use crate::search::scope::{Scope, Scopes};
use faber_core::category::Category;
use faber_core::layer::LayerKind;
use faber_core::parse::fields::Confidence;

/// What a figure from 0 to 1 is when nothing says more.
pub const UNKNOWN: f64 = 0.5;

/// What something that can be found is.
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

/// Where the text of an item is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    /// These bytes of the file at the item's path, when everything in it up to their end still has
    /// this [`checksum`].
    File(usize, usize, u32),
    /// Here, since no file has it as it is; with the index of the path and the number of the line
    /// that each of its lines comes from.
    Own {
        /// The text.
        text: String,
        /// The files that lines come from.
        paths: Vec<String>,
        /// For each line the file and the line in it, from 1.
        origins: Vec<(u32, u32)>,
    },
}

/// What tells whether the beginning of a file is still what it was: its CRC-32, which takes no time
/// beside reading it.
pub fn checksum(text: &str) -> u32 {
    crc32fast::hash(text.as_bytes())
}

/// Something that can be found: a context as all layers have left it, a task, a flow, an entry of the
/// history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// `category/name`, `task/name`, `flow/name` or `history/name`; with `@role:NAME/` before it
    /// when the question is about all roles and this belongs to one.
    pub id: String,
    /// What it is.
    pub kind: SourceType,
    /// Its category, when it is a context.
    pub category: Option<Category>,
    /// The layers that contribute, lowest first.
    pub layers: Vec<LayerKind>,
    /// What the highest of them is called, when it has a name.
    pub layer_name: Option<String>,
    /// Its first heading, else its name.
    pub title: String,
    /// What it is about, when it says so.
    pub description: Option<String>,
    /// The file of its lowest layer.
    pub path: String,
    /// Who answers for it.
    pub owner: Option<String>,
    /// When it was last changed, or first valid, as far as it says.
    pub dated: Option<Date>,
    /// Its text.
    pub body: Body,
    /// The shorter texts that it brings along: `summary` and `essence`.
    pub shorter: [Option<String>; 2],
    /// How far it can be relied on, from 0 to 1.
    pub confidence: f64,
    /// What it was derived from, what it contradicts and what it is related to, as it names them.
    pub links: [Vec<String>; 3],
    /// Its keywords and tags.
    pub topics: Vec<String>,
    /// Whether it is a context that is loaded when something asks for it, neither always nor never.
    pub on_demand: bool,
}

/// The place of each list in [`Item::links`].
pub const DERIVED_FROM: usize = 0;
/// See [`DERIVED_FROM`].
pub const CONTRADICTS: usize = 1;
/// See [`DERIVED_FROM`].
pub const RELATED: usize = 2;

/// What decides whether an item may be an answer, before anything is ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facets {
    /// Where it belongs.
    pub scopes: Scopes,
    /// Its category.
    pub category: Option<Category>,
    /// Its size in bytes.
    pub bytes: u32,
}

/// Many items, of which few will be looked at: one run of bytes that is read in place.
///
/// The layout, numbers in four bytes of little endian: how many there are; for each the key of its text;
/// for each scopes, category (0 is none) and size; for each where it ends among the encoded ones; the
/// items in the order of their keys; the items in `MessagePack`.
#[derive(Clone, Debug)]
pub struct Items {
    bytes: OwnedBytes,
    count: usize,
}

/// Bytes of the count.
const HEAD: usize = 4;
/// Bytes of a key.
const KEY: usize = size_of::<Key>();
/// Bytes of what decides whether an item may be an answer.
const FACETS: usize = 6;
/// Bytes of an item but for itself.
const EACH: usize = KEY + FACETS + 4 + 4;

impl Default for Items {
    fn default() -> Self {
        Self { bytes: OwnedBytes::empty(), count: 0 }
    }
}

impl FromIterator<(Item, Key, Facets)> for Items {
    /// Items by id, each with the key of its text.
    fn from_iter<T: IntoIterator<Item = (Item, Key, Facets)>>(items: T) -> Self {
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
        Self { bytes: OwnedBytes::new(bytes.concat()), count }
    }
}

impl Items {
    /// The items that these are the [`bytes`](Self::bytes) of; none when they are too short for that.
    pub fn open(bytes: OwnedBytes) -> Option<Self> {
        let count = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        let least = count.checked_mul(EACH)?.checked_add(HEAD)?;
        (bytes.len() >= least).then_some(Self { bytes, count })
    }

    /// It as bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes in the place `at` of a row that begins behind so many bytes of each item.
    fn cell<const SIZE: usize>(&self, before: usize, at: usize) -> [u8; SIZE] {
        assert!(at < self.count, "there are {} items", self.count);
        let start = HEAD + before * self.count + at * SIZE;
        self.bytes[start..start + SIZE].try_into().expect("the size is the same")
    }

    /// Where an item ends among the encoded ones.
    fn end(&self, at: usize) -> usize {
        u32::from_le_bytes(self.cell(KEY + FACETS, at)) as usize
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The key of the text of an item.
    ///
    /// # Panics
    ///
    /// When there is no such item.
    pub fn key(&self, at: usize) -> Key {
        self.cell(0, at)
    }

    /// The item at the place `at` when they are sorted by their keys.
    ///
    /// # Panics
    ///
    /// When there is no such place.
    pub fn by_key(&self, at: usize) -> usize {
        u32::from_le_bytes(self.cell(KEY + FACETS + 4, at)) as usize
    }

    /// What decides whether it may be an answer.
    pub fn facets(&self, at: usize) -> Facets {
        let [scopes, category, size @ ..] = self.cell::<FACETS>(KEY, at);
        let row = usize::from(category)
            .checked_sub(1)
            .and_then(|at| faber_core::category::CATEGORIES.get(at));
        Facets {
            scopes: Scopes::from_bits(scopes),
            category: row.map(|row| row.category),
            bytes: u32::from_le_bytes(size),
        }
    }

    /// The place of the item with this id.
    pub fn find(&self, id: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.get(middle).id.as_str().cmp(id) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The item.
    ///
    /// # Panics
    ///
    /// When there is no such item.
    pub fn get(&self, at: usize) -> Item {
        let start = at.checked_sub(1).map_or(0, |before| self.end(before));
        let bytes = &self.bytes[HEAD + self.count * EACH..][start..self.end(at)];
        rmp_serde::from_slice(bytes).expect("it was encoded by this program, and is sealed")
    }
}

impl Item {
    /// The scope of its highest layer.
    pub fn scope(&self, has_role: bool) -> Scope {
        match self.layers.last() {
            Some(layer) => Scope::of(*layer, has_role),
            None => Scope::Historical,
        }
    }
}

/// How far the author relies on it, 0 to 1: the number that front matter states, or the geometric
/// mean of the components that it names, so that one weak component weighs on all. 0.5 when it
/// states nothing.
pub fn confidence(stated: Option<&Confidence>) -> f64 {
    let mean = match stated {
        None => return UNKNOWN,
        Some(Confidence::Overall(overall)) => *overall,
        Some(Confidence::Components(parts)) if parts.is_empty() => return UNKNOWN,
        Some(Confidence::Components(parts)) => {
            #[expect(clippy::cast_precision_loss, reason = "front matter has 64 KiB at most")]
            let count = parts.len() as f64;
            // The sum of logarithms: a product of many parts would vanish.
            (parts.values().map(|part| part.ln()).sum::<f64>() / count).exp()
        }
    };
    unit(mean)
}

/// Within 0 and 1; what is no number counts as nothing.
pub(crate) fn unit(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str) -> Item {
        Item {
            id: id.to_owned(),
            kind: SourceType::Document,
            category: None,
            layers: Vec::new(),
            layer_name: None,
            title: id.to_uppercase(),
            description: None,
            path: format!("{id}.md"),
            owner: None,
            dated: None,
            body: Body::File(0, 2, 3),
            shorter: [None, Some("Short.".to_owned())],
            confidence: 0.5,
            links: [Vec::new(), vec!["x".to_owned()], Vec::new()],
            topics: Vec::new(),
            on_demand: true,
        }
    }

    #[test]
    fn items_are_read_in_place() {
        let facets = |bytes| {
            let category = faber_core::category::CATEGORIES.last().map(|row| row.category);
            Facets { scopes: Scopes::of([Scope::Team]), category, bytes }
        };
        let rows = [("a", 9, 1), ("b", 7, 2), ("c", 9, 3), ("d", 8, u32::MAX)];
        let made = rows.map(|(id, key, bytes)| (item(id), [key; 16], facets(bytes)));
        let items: Items = made.clone().into_iter().collect();
        let items = Items::open(OwnedBytes::new(items.bytes().to_vec())).unwrap();
        for (at, (item, key, facets)) in made.into_iter().enumerate() {
            assert_eq!(items.find(&item.id), Some(at));
            assert_eq!((items.get(at), items.key(at), items.facets(at)), (item, key, facets));
        }
        assert_eq!((items.len(), items.find("aa")), (4, None));
        assert_eq!([0, 1, 2, 3].map(|at| items.by_key(at)), [1, 3, 0, 2]);
    }

    #[test]
    fn no_items_are_few_bytes() {
        let none = Items::from_iter([]);
        assert!(Items::open(OwnedBytes::new(none.bytes().to_vec())).unwrap().is_empty());
        for short in [&[][..], &[1, 0, 0], &[1, 0, 0, 0], &[255; 34]] {
            assert!(Items::open(OwnedBytes::new(short.to_vec())).is_none());
        }
    }
}
