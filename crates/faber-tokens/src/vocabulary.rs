//! The tokens of a byte-pair encoding with their ranks, as a hash table in static memory.

/// A vocabulary as `cargo xtask tokens` writes it, all numbers little-endian: the binary logarithm of
/// the number of buckets and the length of the longest token (4 bytes each), the offset of each
/// bucket and of the end (4 bytes each), and the buckets.
///
/// A bucket has the tokens of one hash one after the other: length (1 byte), tag (1 byte), rank
/// (3 bytes), bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vocabulary {
    offsets: &'static [[u8; 4]],
    buckets: &'static [u8],
    shift: u32,
    longest: usize,
}

/// Bytes of a token in a bucket before its own.
const HEAD: usize = 5;

impl Vocabulary {
    /// Takes a table for use. It is not read but for its first eight bytes.
    pub(crate) const fn new(table: &'static [u8]) -> Self {
        let numbers = table.as_chunks::<4>().0;
        let bits = u32::from_le_bytes(numbers[0]);
        let offsets = (1 << bits) + 1;
        let (offsets, _) = numbers.split_at(2).1.split_at(offsets);
        let (_, buckets) = table.split_at(8 + 4 * offsets.len());
        let longest = u32::from_le_bytes(numbers[1]) as usize;
        Self { offsets, buckets, shift: u64::BITS - bits, longest }
    }

    /// The rank of a token, which says when it is merged: lower is earlier.
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

/// The high bits choose the bucket, the lowest byte is the tag. `xtask/src/vocabulary.rs` has the same
/// function.
#[inline]
fn hash(token: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(FACTOR);
        product ^ product >> 32
    };
    let length = token.len() as u64;
    if let (Some(first), Some(last)) = (token.first_chunk::<4>(), token.last_chunk::<4>()) {
        let Some(end) = token.last_chunk::<8>() else {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            return mix(mix(length, u64::from(first) << 32 | u64::from(last)), 0);
        };
        let words = token.as_chunks::<8>().0.iter();
        let whole = words.fold(length, |hash, word| mix(hash, u64::from_le_bytes(*word)));
        return mix(mix(whole, u64::from_le_bytes(*end)), 0);
    }
    let short = match *token {
        [] => 0,
        [a] => u64::from(a),
        [a, b] => u64::from(a) << 8 | u64::from(b),
        [a, b, c, ..] => u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c),
    };
    mix(mix(length, short), 0)
}
