//! Tables of Claude's pieces; see `crates/faber-tokens/src/claude/trie.rs`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::Outcome;

/// As in `crates/faber-tokens/src/claude/stream.rs`.
const MARKERS: [(&str, u8); 4] = [("bow", 0xff), ("eow", 0xfe), ("shift", 0xfd), ("caps", 0xfc)];
const FIRST: usize = 256;

/// From a ctok vocabulary.
pub(crate) fn table(text: &str) -> Outcome<Vec<u8>> {
    let document: Value = serde_json::from_str(text)?;
    let groups = document["tokens"].as_object().ok_or("no tokens")?;
    let mut pieces = BTreeSet::new();
    for (group, entries) in groups {
        let names = entries.as_object().into_iter().flat_map(Map::keys);
        for name in names {
            if group == "bytes_fallback" {
                pieces.insert(hex(name)?);
                continue;
            }
            let mut piece = bytes(name)?;
            pieces.insert(piece.clone());
            if group == "contractions" {
                piece.push(0xfe);
                pieces.insert(piece);
            }
        }
    }
    if pieces.iter().any(|piece| piece.len() >= 256 || piece.contains(&0)) {
        return Err("a piece that the format cannot have".into());
    }
    let pieces: Vec<Vec<u8>> = pieces.into_iter().collect();
    let mut array = Array { entries: vec![0; FIRST], taken: BTreeSet::new(), free: FIRST };
    array.place(0, &pieces, 0)?;
    let length = array.entries.len().next_multiple_of(256);
    array.entries.resize(length, 0);
    Ok(array.entries.iter().flat_map(|entry| entry.to_le_bytes()).collect())
}

fn bytes(name: &str) -> Outcome<Vec<u8>> {
    let mut piece = Vec::new();
    let mut rest = name;
    while let Some((text, after)) = rest.split_once('⟨') {
        let (atom, after) = after.split_once('⟩').ok_or("a marker without an end")?;
        piece.extend(text.bytes());
        match MARKERS.iter().find(|(name, _)| *name == atom) {
            Some(&(_, byte)) => piece.push(byte),
            None => piece.extend(hex(atom.strip_prefix("0x").ok_or("an unknown marker")?)?),
        }
        rest = after;
    }
    piece.extend(rest.bytes());
    Ok(piece)
}

fn hex(digits: &str) -> Outcome<Vec<u8>> {
    let byte = |at| Ok(u8::from_str_radix(&digits[at..at + 2], 16)?);
    (0..digits.len()).step_by(2).map(byte).collect()
}

struct Array {
    entries: Vec<u32>,
    taken: BTreeSet<usize>,
    free: usize,
}

impl Array {
    /// `pieces` are sorted and share their first `depth` bytes.
    fn place(&mut self, node: usize, pieces: &[Vec<u8>], depth: usize) -> Outcome<()> {
        let longer = &pieces[pieces.partition_point(|piece| piece.len() == depth)..];
        let children: Vec<&[Vec<u8>]> = longer.chunk_by(|a, b| a[depth] == b[depth]).collect();
        let bytes: Vec<u8> = children.iter().map(|child| child[0][depth]).collect();
        let Some(&first) = bytes.first() else { return Ok(()) };
        let is_free = |entries: &[u32], at: usize| entries.get(at).is_none_or(|entry| *entry == 0);
        while !is_free(&self.entries, self.free) {
            self.free += 1;
        }
        let fits = |base: usize| {
            let child = |byte: &u8| base ^ usize::from(*byte);
            !self.taken.contains(&base)
                && bytes.iter().map(child).all(|at| at >= FIRST && is_free(&self.entries, at))
        };
        let mut bases = (self.free..).map(|at| at ^ usize::from(first));
        let base = bases.find(|base| fits(*base)).ok_or("no room")?;
        self.taken.insert(base);
        self.entries[node] |= u32::try_from(base)? << 9;
        for (byte, child) in bytes.iter().zip(&children) {
            let at = base ^ usize::from(*byte);
            if at >= self.entries.len() {
                self.entries.resize(at + 1, 0);
            }
            let ends = u32::from(child[0].len() == depth + 1);
            self.entries[at] = u32::from(*byte) | ends << 8;
        }
        for (byte, child) in bytes.iter().zip(children) {
            self.place(base ^ usize::from(*byte), child, depth + 1)?;
        }
        Ok(())
    }
}
