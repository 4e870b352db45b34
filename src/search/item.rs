//! What can be found in one view, and how it is kept.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::category::Category;
use crate::layer::LayerKind;
use crate::search::part::Key;
use crate::search::scope::{Scope, Scopes};

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

/// Bytes that are kept as they are, and not number by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Blob(Vec<u8>);

impl Blob {
    /// Adds a number of 32 bits.
    fn push(&mut self, number: usize) {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// The number in the place `at`, if all are numbers.
    fn number(&self, at: usize) -> usize {
        let bytes = &self.0[at * 4..at * 4 + 4];
        u32::from_le_bytes(bytes.try_into().expect("these are four bytes")) as usize
    }
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
                Ok(bytes)
            }
        }
        deserializer.deserialize_byte_buf(Visitor).map(Self)
    }
}

/// Many items, of which few will be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items {
    /// 16 bytes for each.
    keys: Blob,
    /// Scopes, category (0 is none) and four bytes of size for each.
    facets: Blob,
    /// Where each ends in `encoded`, in four bytes.
    ends: Blob,
    encoded: Blob,
    /// The items by their keys, and those of one key as they are, in four bytes each.
    by_key: Blob,
}

impl FromIterator<(Item, Key, Facets)> for Items {
    /// Items, each with the key of its text, by id.
    fn from_iter<T: IntoIterator<Item = (Item, Key, Facets)>>(items: T) -> Self {
        let mut all = Self::default();
        for (item, key, facets) in items {
            all.push(&item, &key, facets);
        }
        let mut by_key: Vec<usize> = (0..all.len()).collect();
        by_key.sort_unstable_by_key(|at| (all.key(*at), *at));
        for at in by_key {
            all.by_key.push(at);
        }
        all
    }
}

impl Items {
    fn push(&mut self, item: &Item, key: &Key, facets: Facets) {
        self.keys.0.extend_from_slice(key);
        let category = facets.category.map_or(0, |category| category as u8 + 1);
        self.facets.0.extend_from_slice(&[facets.scopes.bits(), category]);
        self.facets.0.extend_from_slice(&facets.bytes.to_le_bytes());
        let bytes = rmp_serde::to_vec(item).expect("plain data can always be encoded");
        self.encoded.0.extend_from_slice(&bytes);
        self.ends.push(self.encoded.0.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.0.len() / size_of::<Key>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.0.is_empty()
    }

    /// The key of the text of an item.
    ///
    /// # Panics
    ///
    /// When there is no such item.
    pub fn key(&self, at: usize) -> Key {
        self.keys.0[at * 16..at * 16 + 16].try_into().expect("these are sixteen bytes")
    }

    /// The item at the place `at` when they are sorted by their keys.
    ///
    /// # Panics
    ///
    /// When there is no such place.
    pub fn by_key(&self, at: usize) -> usize {
        self.by_key.number(at)
    }

    /// What decides whether it may be an answer.
    pub fn facets(&self, at: usize) -> Facets {
        let bytes = &self.facets.0[at * 6..at * 6 + 6];
        let row =
            usize::from(bytes[1]).checked_sub(1).and_then(|at| crate::category::CATEGORIES.get(at));
        Facets {
            scopes: Scopes::from_bits(bytes[0]),
            category: row.map(|row| row.category),
            bytes: u32::from_le_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]),
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
        let start = at.checked_sub(1).map_or(0, |before| self.ends.number(before));
        let bytes = &self.encoded.0[start..self.ends.number(at)];
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
