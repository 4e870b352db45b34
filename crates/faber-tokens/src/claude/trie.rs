//! Divides bytes into a minimum number of pieces.

/// From `cargo xtask tokens`. Entries are 4 bytes, little-endian: bits 0–7 the byte that leads
/// here, bit 8 whether a piece ends here, the rest the base of its children. The child by byte `b`
/// is entry `base ^ b`, if it has that byte; the root is entry 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trie(&'static [[u8; 4]]);

/// Exceeds the longest piece.
const REACH: usize = 256;

impl Trie {
    pub(crate) const fn new(table: &'static [u8]) -> Self {
        Self(table.as_chunks::<4>().0)
    }

    fn entry(&self, at: usize) -> u32 {
        self.0.get(at).map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// No byte may be 0. O(n) in bytes, times the longest piece.
    pub(crate) fn tiles(&self, text: &[u8]) -> usize {
        let mut least = [usize::MAX; REACH];
        let mut here = 0;
        for start in 0..text.len() {
            least[start % REACH] = usize::MAX;
            let with_one = here + 1;
            let mut reach = |at: usize| {
                let least = &mut least[at % REACH];
                *least = with_one.min(*least);
            };
            reach(start + 1);
            let mut node = self.entry(0);
            for (at, &byte) in (start + 1..).zip(&text[start..]) {
                node = self.entry((node >> 9) as usize ^ usize::from(byte));
                if node.to_le_bytes()[0] != byte {
                    break;
                }
                if node & 0x100 != 0 {
                    reach(at);
                }
            }
            here = least[(start + 1) % REACH];
        }
        here
    }
}
