//! Posting lists: LEB128 deltas of item IDs, each followed by a weight as a byte.

const MAX_BYTE: f64 = 255.0;

pub(crate) fn encode(entries: &[(i64, u8)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * 3);
    let mut before = 0;
    for &(item, worth) in entries {
        let mut step = item.abs_diff(before);
        before = item;
        while step >= 0x80 {
            bytes.push(step.to_le_bytes()[0] | 0x80);
            step >>= 7;
        }
        bytes.push(step.to_le_bytes()[0]);
        bytes.push(worth);
    }
    bytes
}

pub(crate) fn each(mut bytes: &[u8], mut take: impl FnMut(i64, u8)) {
    let mut item = 0_i64;
    while !bytes.is_empty() {
        let mut step = 0_u64;
        for shift in (0..63).step_by(7) {
            let Some((&byte, rest)) = bytes.split_first() else { return };
            bytes = rest;
            step |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        let Some((&worth, rest)) = bytes.split_first() else { return };
        bytes = rest;
        let Some(next) = item.checked_add_unsigned(step) else { return };
        item = next;
        take(item, worth);
    }
}

/// `worth` is 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
pub(crate) fn to_byte(worth: f64) -> u8 {
    (worth * MAX_BYTE).round().clamp(1.0, MAX_BYTE) as u8
}

pub(crate) fn from_byte(worth: u8) -> f64 {
    f64::from(worth) / MAX_BYTE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_back() {
        let entries = [(1, 1), (2, 255), (129, 7), (1 << 20, 9), (1 << 40, 3)];
        let bytes = encode(&entries);
        let mut read = Vec::new();
        each(&bytes, |item, worth| read.push((item, worth)));
        assert_eq!(read, entries);
        for end in 0..bytes.len() {
            let mut count = 0;
            each(&bytes[..end], |_, _| count += 1);
            assert!(count <= entries.len());
        }
        each(&[0xff; 30], |_, _| {});
    }

    #[test]
    fn worths_keep_their_order() {
        let worths = [0.0, 0.1, 0.5, 0.9, 1.0].map(to_byte);
        assert!(worths.is_sorted() && worths[0] == 1 && (from_byte(worths[4]) - 1.0).abs() < 1e-9);
    }
}
