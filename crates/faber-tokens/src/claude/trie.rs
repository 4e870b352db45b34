//! The least number of pieces that a string of bytes can be put together from.

/// The pieces of a vocabulary as a double array, which `cargo xtask tokens` writes.
///
/// An entry has four bytes, little-endian: in the lowest byte the byte that leads to it, in the next bit
/// whether a piece ends here, and above that the base of its children. The child by a byte is the entry
/// at the exclusive or of base and byte, if that has the byte; the root is the first entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trie(&'static [[u8; 4]]);

/// More than the bytes of the longest piece.
const REACH: usize = 256;

impl Trie {
    pub(crate) const fn new(table: &'static [u8]) -> Self {
        Self(table.as_chunks::<4>().0)
    }

    fn entry(&self, at: usize) -> u32 {
        self.0.get(at).map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// The number of pieces, where any single byte is one, too. No byte may be 0.
    ///
    /// Takes O(n) for n bytes, with the length of the longest piece as a factor.
    pub(crate) fn tiles(&self, text: &[u8]) -> usize {
        // The least number to each of the next places, by place modulo `REACH`.
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
