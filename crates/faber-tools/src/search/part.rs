//! Part of an index, read in place.
//!
//! Little-endian layout: `MAGIC`; table length (4 bytes); table of pieces in `MessagePack`; the
//! pieces: `entries`, 32 bytes per text, by key; `rows`, 28 bytes per chunk, by text; `anchors`;
//! `vectors`, [`meaning::DIMENSIONS`] bytes per row; those of `Postings`.

use std::ops::Range;

use bytes::Bytes;

use crate::search::bytes::{TextKey, number, small};
use crate::search::postings::{self, IndexField, Postings};
use crate::search::prepare::Prepared;
use faber_core::meaning;

/// Changes with layout, stems, chunks and vectors.
const MAGIC: &[u8; 8] = b"fabidx\0\x07";
const PIECES: [&str; 7] = ["anchors", "entries", "keys", "lists", "rows", "terms", "vectors"];
const HEAD: usize = 12;
const ENTRY: usize = 32;
const ROW: usize = 28;

#[derive(Debug, PartialEq, Eq)]
pub struct Damaged;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct IndexEntry {
    pub(super) first: u32,
    pub(super) rows: u32,
    pub(super) meta: u32,
    /// Length of the sum of its vectors.
    pub(super) whole: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DocAddress {
    pub(super) part: usize,
    pub(super) entry: IndexEntry,
}

/// Keys must be sorted.
pub(crate) fn locate(
    parts: &[OpenPart],
    keys: impl Iterator<Item = TextKey>,
) -> Option<Vec<DocAddress>> {
    let mut cursors = vec![0; parts.len()];
    let mut locate = |key: &TextKey| {
        let mut parts = parts.iter().zip(&mut cursors).enumerate();
        parts.find_map(|(part, (found, cursor))| {
            *cursor = found.first_from(*cursor, key);
            Some(DocAddress { part, entry: found.entry(*cursor, key)? })
        })
    };
    keys.map(|key| locate(&key)).collect()
}

pub(crate) fn chunks(parts: &[OpenPart], text: DocAddress) -> Vec<(Range<usize>, &str)> {
    let part = &parts[text.part];
    let rows = text.entry.first..text.entry.first + text.entry.rows;
    let chunk = |row: IndexRow| (row.start as usize..row.end as usize, part.anchor(row));
    rows.map(|row| chunk(part.row(row))).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct IndexRow {
    pub(super) start: u32,
    pub(super) end: u32,
    anchor: (u32, u32),
    pub(super) lengths: [u32; 2],
    /// Length of its unscaled vector.
    pub(super) weight: f32,
}

pub struct OpenPart {
    bytes: Bytes,
    entries: Range<usize>,
    rows: Range<usize>,
    anchors: Range<usize>,
    vectors: Range<usize>,
    terms: Range<usize>,
    keys: Range<usize>,
    lists: Range<usize>,
}

impl std::fmt::Debug for OpenPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Part({} texts, {} rows)", self.entries.len() / ENTRY, self.rows.len() / ROW)
    }
}

/// Panics over 4 GiB.
pub(crate) fn build(mut texts: Vec<Prepared>) -> Vec<u8> {
    texts.sort_by_key(|text| text.key);
    texts.dedup_by_key(|text| text.key);
    let (mut entries, mut rows, mut vectors) = (Vec::new(), Vec::new(), Vec::new());
    let mut anchors = String::new();
    let mut first = 0_u32;
    for text in &texts {
        let count = small(text.rows.len());
        entries.extend_from_slice(&text.key);
        for number in [first, count, text.meta_terms] {
            entries.extend_from_slice(&number.to_le_bytes());
        }
        entries.extend_from_slice(&text.whole.to_le_bytes());
        for row in &text.rows {
            let anchor = [small(anchors.len()), small(row.anchor.len())];
            let span = [small(row.span.start), small(row.span.end)];
            for number in span.into_iter().chain(anchor).chain(row.lengths) {
                rows.extend_from_slice(&number.to_le_bytes());
            }
            rows.extend_from_slice(&row.vector.length.to_le_bytes());
            anchors.push_str(&row.anchor);
            vectors.extend(row.vector.values.iter().map(|value| value.cast_unsigned()));
        }
        first += count;
    }
    let [terms, keys, lists] = postings::build(&texts);
    let anchors = anchors.into_bytes();
    let pieces = [anchors, entries, keys, lists, rows, terms, vectors];
    let mut at = 0;
    let place = |(name, piece): (_, &Vec<u8>)| {
        let start = small(at);
        at += piece.len();
        (name, start, small(at))
    };
    let table: Vec<(&str, u32, u32)> = PIECES.into_iter().zip(&pieces).map(place).collect();
    let table = rmp_serde::to_vec(&table).expect("names and numbers can always be encoded");
    let mut bytes = [&MAGIC[..], &small(table.len()).to_le_bytes(), &table].concat();
    for piece in &pieces {
        bytes.extend_from_slice(piece);
    }
    bytes
}

impl OpenPart {
    pub fn open(bytes: Bytes) -> Result<Self, Damaged> {
        if !bytes.starts_with(MAGIC) || bytes.len() < HEAD {
            return Err(Damaged);
        }
        let first = HEAD + number(&bytes, 8) as usize;
        let table = bytes.get(HEAD..first).ok_or(Damaged)?;
        let table: Vec<(&str, u32, u32)> = rmp_serde::from_slice(table).map_err(|_| Damaged)?;
        let piece = |name: &str| {
            let (_, start, end) = table.iter().find(|row| row.0 == name).ok_or(Damaged)?;
            let range = first + *start as usize..first + *end as usize;
            bytes.get(range.clone()).map(|_| range).ok_or(Damaged)
        };
        let (entries, rows) = (piece("entries")?, piece("rows")?);
        let (anchors, vectors) = (piece("anchors")?, piece("vectors")?);
        let (terms, keys, lists) = (piece("terms")?, piece("keys")?, piece("lists")?);
        Ok(Self { bytes, entries, rows, anchors, vectors, terms, keys, lists })
    }

    pub fn texts(&self) -> usize {
        self.entries.len() / ENTRY
    }

    pub fn rows(&self) -> usize {
        self.rows.len() / ROW
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn key(&self, at: usize) -> TextKey {
        let start = self.entries.start + at * ENTRY;
        self.bytes[start..start + size_of::<TextKey>()].try_into().expect("these are sixteen bytes")
    }

    pub fn has(&self, key: &TextKey) -> bool {
        self.entry(self.first_from(0, key), key).is_some()
    }

    fn first_from(&self, start: usize, key: &TextKey) -> usize {
        let is_before = |at: usize| at < self.texts() && self.key(at) < *key;
        let (mut low, mut step) = (start, 1);
        while is_before(low + step - 1) {
            low += step;
            step *= 2;
        }
        let mut high = low + step - 1;
        while low < high {
            let middle = low.midpoint(high);
            if is_before(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn entry(&self, at: usize, key: &TextKey) -> Option<IndexEntry> {
        if at >= self.texts() || self.key(at) != *key {
            return None;
        }
        let at = self.entries.start + at * ENTRY + size_of::<TextKey>();
        let whole = f32::from_bits(number(&self.bytes, at + 12));
        let [first, rows, meta] = [0, 4, 8].map(|offset| number(&self.bytes, at + offset));
        Some(IndexEntry { first, rows, meta, whole })
    }

    pub(super) fn row(&self, row: u32) -> IndexRow {
        let at = self.rows.start + row as usize * ROW;
        let [start, end, from, length, head, body, weight] =
            [0, 4, 8, 12, 16, 20, 24].map(|offset| number(&self.bytes, at + offset));
        let weight = f32::from_bits(weight);
        IndexRow { start, end, anchor: (from, length), lengths: [head, body], weight }
    }

    pub(super) fn anchor(&self, row: IndexRow) -> &str {
        let start = self.anchors.start + row.anchor.0 as usize;
        std::str::from_utf8(&self.bytes[start..start + row.anchor.1 as usize]).unwrap_or_default()
    }

    pub(super) fn vector(&self, row: u32) -> &[u8] {
        let start = self.vectors.start + row as usize * meaning::DIMENSIONS;
        &self.bytes[start..start + meaning::DIMENSIONS]
    }

    pub(super) fn each(&self, column: IndexField, stem: &str, take: impl FnMut(u32, u32)) {
        let piece = |range: &Range<usize>| &self.bytes[range.clone()];
        let [terms, keys, lists] = [&self.terms, &self.keys, &self.lists].map(piece);
        Postings { terms, keys, lists }.each(column, stem, take);
    }
}
