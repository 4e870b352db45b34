//! Reads safetensors: length of a JSON header, header, numbers.

use std::collections::HashMap;

use serde::Deserialize;

#[derive(Deserialize)]
struct TensorEntry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

pub(crate) struct Tensors<'a> {
    entries: HashMap<String, TensorEntry>,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (header, data) = rest.split_at_checked(length)?;
        let header: HashMap<String, serde_json::Value> = serde_json::from_slice(header).ok()?;
        let entries = header.into_iter().filter(|(name, _)| name != "__metadata__");
        let entries =
            entries.map(|(name, entry)| Some((name, serde_json::from_value(entry).ok()?)));
        Some(Self { entries: entries.collect::<Option<_>>()?, data })
    }

    /// `None` unless it is a 32-bit tensor of this shape.
    pub(crate) fn numbers(&self, name: &str, shape: &[usize]) -> Option<Numbers<'a>> {
        // Some models prefix all names.
        let grouped = || self.entries.get(&format!("bert.{name}"));
        let entry = self.entries.get(name).or_else(grouped)?;
        let [start, end] = entry.data_offsets;
        let (numbers, rest) = self.data.get(start..end)?.as_chunks::<4>();
        let count = shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size))?;
        let is_right = entry.dtype == "F32" && entry.shape == shape && rest.is_empty();
        (is_right && numbers.len() == count).then_some(Numbers(numbers))
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Numbers<'a>(&'a [[u8; 4]]);

impl<'a> Numbers<'a> {
    pub(crate) fn row(self, at: usize, width: usize) -> impl Iterator<Item = f32> + Clone + 'a {
        self.0[at * width..(at + 1) * width].iter().map(|four| f32::from_le_bytes(*four))
    }
}
