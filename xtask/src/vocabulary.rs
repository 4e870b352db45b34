//! Tables of byte-pair encodings; `crates/faber-tokens/src/vocabulary.rs` has the format.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::Outcome;

/// The table of a vocabulary in the format of tiktoken, a token in Base64 and its rank in each line, with
/// 2^`bits` buckets.
pub(crate) fn table(text: &str, bits: u32) -> Outcome<Vec<u8>> {
    let mut buckets = vec![Vec::new(); 1 << bits];
    let mut longest = 0;
    for line in text.lines() {
        let (token, rank) = line.split_once(' ').ok_or("a line without a rank")?;
        let token = BASE64_STANDARD.decode(token)?;
        let rank: u32 = rank.parse()?;
        let [a, b, c, 0] = rank.to_le_bytes() else { return Err("a rank over 24 bits".into()) };
        let hash = hash(&token);
        let bucket = &mut buckets[usize::try_from(hash >> (64 - bits))?];
        bucket.extend([u8::try_from(token.len())?, hash.to_le_bytes()[0], a, b, c]);
        bucket.extend(&token);
        longest = longest.max(token.len());
    }
    let mut table = Vec::from(bits.to_le_bytes());
    table.extend(u32::try_from(longest)?.to_le_bytes());
    let mut end = 0_u32;
    table.extend(end.to_le_bytes());
    for bucket in &buckets {
        end += u32::try_from(bucket.len())?;
        table.extend(end.to_le_bytes());
    }
    table.extend(buckets.concat());
    Ok(table)
}

/// The same function as in `crates/faber-tokens/src/vocabulary.rs`.
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
