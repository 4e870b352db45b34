//! Ranked tokens in a static hash table.

use crate::hash::hash;

/// From `cargo xtask tokens`, in little-endian: binary logarithm of the number of buckets, length
/// of the longest token, offset of each bucket and of the end (4 bytes each), buckets. A bucket
/// lists its tokens: length (1 byte), tag (1 byte), rank (3 bytes), bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vocabulary {
    offsets: &'static [[u8; 4]],
    buckets: &'static [u8],
    shift: u32,
    longest: usize,
}

const HEAD: usize = 5;

impl Vocabulary {
    pub(crate) const fn new(table: &'static [u8]) -> Self {
        let numbers = table.as_chunks::<4>().0;
        let bits = u32::from_le_bytes(numbers[0]);
        let offsets = (1 << bits) + 1;
        let (offsets, _) = numbers.split_at(2).1.split_at(offsets);
        let (_, buckets) = table.split_at(8 + 4 * offsets.len());
        let longest = u32::from_le_bytes(numbers[1]) as usize;
        Self { offsets, buckets, shift: u64::BITS - bits, longest }
    }

    #[inline]
    pub(crate) fn rank(&self, token: &[u8]) -> Option<u32> {
        if token.len() > self.longest {
            return None;
        }
        let hash = hash(token);
        let bucket = usize::try_from(hash >> self.shift).ok()?;
        let offset = |at: usize| u32::from_le_bytes(self.offsets[at]) as usize;
        let mut rest = &self.buckets[offset(bucket)..offset(bucket + 1)];
        while let Some((&[length, tag, a, b, c], tail)) = rest.split_first_chunk::<HEAD>() {
            let length = usize::from(length);
            if length == token.len() && tag == hash.to_le_bytes()[0] && &tail[..length] == token {
                return Some(u32::from_le_bytes([a, b, c, 0]));
            }
            rest = &tail[length..];
        }
        None
    }
}
