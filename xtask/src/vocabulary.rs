//! Tables of byte-pair encodings; see `crates/faber-tokens/src/vocabulary.rs`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::Outcome;
use crate::hash::hash;

/// From tiktoken's format (Base64 token and rank per line), with 2^`bits` buckets.
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
