//! Also used by `cargo xtask tokens`.

/// The high bits select the bucket, the lowest byte is the tag.
#[inline]
pub(crate) fn hash(token: &[u8]) -> u64 {
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
