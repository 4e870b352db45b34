//! Byte-pair merging.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::Vocabulary;

const SHORT: usize = 64;
const NEVER: u32 = u32::MAX;

impl Vocabulary {
    /// Lowest rank first, leftmost first. O(n log n) in bytes.
    pub(crate) fn count(&self, piece: &[u8]) -> usize {
        if piece.len() < 2 || self.rank(piece).is_some() {
            usize::from(!piece.is_empty())
        } else if piece.len() <= SHORT {
            self.count_short(piece)
        } else {
            self.count_long(piece)
        }
    }

    fn rank_or_never(&self, token: &[u8]) -> u32 {
        self.rank(token).unwrap_or(NEVER)
    }

    fn count_short(&self, piece: &[u8]) -> usize {
        // Starts of parts and the end; rank of each part with the next.
        let mut starts = [0_usize; SHORT + 1];
        let mut ranks = [NEVER; SHORT];
        let mut parts = piece.len();
        for (at, start) in starts.iter_mut().enumerate() {
            *start = at;
        }
        for (rank, pair) in ranks.iter_mut().zip(piece.windows(2)) {
            *rank = self.rank_or_never(pair);
        }
        loop {
            let lowest = (0..parts - 1).min_by_key(|&at| ranks[at]);
            let Some(at) = lowest.filter(|&at| ranks[at] != NEVER) else { return parts };
            starts.copy_within(at + 2..=parts, at + 1);
            ranks.copy_within(at + 1..parts, at);
            parts -= 1;
            let rate = |at: usize| {
                let end = if at + 2 <= parts { starts[at + 2] } else { return NEVER };
                self.rank_or_never(&piece[starts[at]..end])
            };
            ranks[at] = rate(at);
            if at > 0 {
                ranks[at - 1] = rate(at - 1);
            }
        }
    }

    fn count_long(&self, piece: &[u8]) -> usize {
        // By start of a part: end, previous start, rank with the next. Heap entries with other
        // ranks are outdated.
        let mut ends: Vec<usize> = (1..=piece.len()).collect();
        let mut before: Vec<usize> = (0..piece.len()).map(|at| at.saturating_sub(1)).collect();
        let pairs = piece.windows(2).map(|pair| self.rank_or_never(pair));
        let mut ranks: Vec<u32> = pairs.chain([NEVER]).collect();
        let known = ranks.iter().enumerate().filter(|(_, rank)| **rank != NEVER);
        let mut heap: BinaryHeap<_> = known.map(|(at, &rank)| Reverse((rank, at))).collect();
        let mut parts = piece.len();
        while let Some(Reverse((rank, at))) = heap.pop() {
            if ranks[at] != rank {
                continue;
            }
            let merged = ends[at];
            ranks[merged] = NEVER;
            ends[at] = ends[merged];
            if let Some(previous) = before.get_mut(ends[at]) {
                *previous = at;
            }
            parts -= 1;
            let left = (at > 0).then(|| before[at]);
            for start in [Some(at), left].into_iter().flatten() {
                let end = ends.get(ends[start]);
                ranks[start] = end.map_or(NEVER, |&end| self.rank_or_never(&piece[start..end]));
                if ranks[start] != NEVER {
                    heap.push(Reverse((ranks[start], start)));
                }
            }
        }
        parts
    }
}
