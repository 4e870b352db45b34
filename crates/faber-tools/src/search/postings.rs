//! An inverted index.
//!
//! `keys`: sorted stems, each with a byte for the field; `terms`: ends of each key and list, in
//! four little-endian bytes; `lists`: LEB128 numbers, twice the distance from the previous row,
//! plus one if the term occurs once, else followed by its frequency.

use foldhash::HashMap;

use crate::search::bytes::{binary_search, number, small};
use crate::search::prepare::Prepared;

const TERM: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum IndexField {
    Meta,
    Head,
    Body,
}

impl IndexField {
    pub(super) const ALL: [Self; 3] = [Self::Meta, Self::Head, Self::Body];
}

pub(super) struct Postings<'a> {
    pub(super) terms: &'a [u8],
    pub(super) keys: &'a [u8],
    pub(super) lists: &'a [u8],
}

#[derive(Default)]
struct List {
    bytes: Vec<u8>,
    before: u32,
    row: u32,
    count: u32,
}

impl List {
    fn add(&mut self, row: u32) {
        if self.count == 0 || self.row != row {
            self.flush();
            self.row = row;
        }
        self.count += 1;
    }

    fn flush(&mut self) {
        let often = std::mem::take(&mut self.count);
        if often == 0 {
            return;
        }
        write(&mut self.bytes, (self.row - self.before) << 1 | u32::from(often == 1));
        if often > 1 {
            write(&mut self.bytes, often);
        }
        self.before = self.row;
    }
}

fn write(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

fn read(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    Some(number)
}

pub(super) fn build(texts: &[Prepared]) -> [Vec<u8>; 3] {
    let mut found: HashMap<(&str, IndexField), List> = HashMap::default();
    let rows = texts.iter().flat_map(|text| {
        let meta = std::iter::once(text.meta.as_str()).chain(std::iter::repeat(""));
        text.rows.iter().zip(meta)
    });
    for (at, (row, meta)) in (0..).zip(rows) {
        let texts = [meta, &row.head, &row.body];
        for (field, text) in IndexField::ALL.into_iter().zip(texts) {
            for stem in text.split_ascii_whitespace() {
                found.entry((stem, field)).or_default().add(at);
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable_by_key(|&(key, _)| key);
    let (mut terms, mut keys, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    for ((stem, field), mut list) in found {
        list.flush();
        keys.extend_from_slice(stem.as_bytes());
        keys.push(field as u8);
        lists.append(&mut list.bytes);
        terms.extend_from_slice(&small(keys.len()).to_le_bytes());
        terms.extend_from_slice(&small(lists.len()).to_le_bytes());
    }
    [terms, keys, lists]
}

impl<'a> Postings<'a> {
    pub(super) fn each(&self, field: IndexField, stem: &str, mut take: impl FnMut(u32, u32)) {
        let Some(mut list) = self.list(field, stem) else { return };
        let mut row = 0;
        while let Some(next) = read(&mut list) {
            row += next >> 1;
            let often = if next & 1 == 1 { Some(1) } else { read(&mut list) };
            take(row, often.unwrap_or(1));
        }
    }

    fn list(&self, field: IndexField, stem: &str) -> Option<&'a [u8]> {
        let order = |at: usize| {
            let key = self.range(at, 0, self.keys).split_last();
            key.map(|(of, own)| (own, *of)).cmp(&Some((stem.as_bytes(), field as u8)))
        };
        let at = binary_search(self.terms.len() / TERM, order)?;
        Some(self.range(at, 4, self.lists))
    }

    fn range(&self, at: usize, offset: usize, piece: &'a [u8]) -> &'a [u8] {
        let end = |at: usize| number(self.terms, at * TERM + offset) as usize;
        &piece[at.checked_sub(1).map_or(0, end)..end(at)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::prepare::{Preparer, Text};

    #[test]
    fn numbers_of_every_length_are_read_back() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, 1 << 21, (1 << 28) - 1, 1 << 28, u32::MAX];
        let mut bytes = Vec::new();
        for number in numbers {
            write(&mut bytes, number);
        }
        let mut left = &bytes[..];
        let read: Vec<u32> = std::iter::from_fn(|| read(&mut left)).collect();
        assert_eq!(read, numbers);
    }

    #[test]
    fn rows_and_frequencies_of_each_field_are_read_back() {
        let mut preparer = Preparer::default();
        let meta = &["ops".to_owned()];
        let mut prepare = |name, body| preparer.prepare(&Text { name, meta, body });
        let deploys =
            prepare("gateway", "# Deploys\n\nDeploy the cluster, then deploy the gateway.\n");
        let rollback = prepare("gateway", "# Rollback\n\nThe gateway again.\n");
        let texts = [deploys.clone(), rollback, deploys];
        let [terms, keys, lists] = build(&texts);
        let postings = Postings { terms: &terms, keys: &keys, lists: &lists };
        let rows = |field, stem| {
            let mut rows = Vec::new();
            postings.each(field, stem, |row, often| rows.push((row, often)));
            rows
        };
        assert_eq!(rows(IndexField::Meta, "gateway"), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(rows(IndexField::Head, "deploy"), [(0, 1), (2, 1)]);
        assert_eq!(rows(IndexField::Body, "deploy"), [(0, 2), (2, 2)]);
        assert_eq!(rows(IndexField::Body, "gateway"), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(rows(IndexField::Body, "missing"), []);
    }
}
