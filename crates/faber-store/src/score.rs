//! Scores by item ID, in dense blocks.

use std::collections::HashMap;

const BLOCK: i64 = 4096;
const BLOCK_SIZE: usize = 4096;

#[derive(Default)]
pub(crate) struct PostingScores {
    blocks: HashMap<i64, Box<[f64]>>,
    last: Option<(i64, Box<[f64]>)>,
}

impl PostingScores {
    pub(crate) fn add(&mut self, id: i64, score: f64) {
        let (number, at) = (id.div_euclid(BLOCK), id.rem_euclid(BLOCK));
        if self.last.as_ref().is_none_or(|(last, _)| *last != number) {
            let block = self.blocks.remove(&number);
            let empty = || vec![0.0; BLOCK_SIZE].into_boxed_slice();
            let before = self.last.replace((number, block.unwrap_or_else(empty)));
            self.blocks.extend(before);
        }
        if let Some((_, block)) = &mut self.last {
            block[usize::try_from(at).unwrap_or_default()] += score;
        }
    }

    pub(crate) fn finish(&mut self, change: impl Fn(f64) -> f64) {
        self.blocks.extend(self.last.take());
        for score in self.blocks.values_mut().flat_map(|block| block.iter_mut()) {
            if *score > 0.0 {
                *score = change(*score);
            }
        }
    }

    pub(crate) fn get(&self, id: i64) -> f64 {
        let at = usize::try_from(id.rem_euclid(BLOCK)).unwrap_or_default();
        self.blocks.get(&id.div_euclid(BLOCK)).map_or(0.0, |block| block[at])
    }

    pub(crate) fn best(&self, limit: usize) -> Vec<(i64, f64)> {
        let blocks = self.blocks.iter();
        let scores = blocks.flat_map(|(number, block)| {
            (number * BLOCK..).zip(block.iter().copied()).filter(|(_, score)| *score > 0.0)
        });
        let mut scores: Vec<(i64, f64)> = scores.collect();
        let order = |a: &(i64, f64), b: &(i64, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if scores.len() > limit {
            scores.select_nth_unstable_by(limit, order);
            scores.truncate(limit);
        }
        scores.sort_unstable_by(order);
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first() {
        let mut scores = PostingScores::default();
        for id in [5, 5000, 70_000, 6, 5000] {
            scores.add(id, if id == 6 { 0.5 } else { 1.0 });
        }
        scores.finish(|score| score * 2.0);
        assert_eq!(scores.best(3), [(5000, 4.0), (5, 2.0), (70_000, 2.0)]);
        assert!((scores.get(6) - 1.0).abs() < 1e-9 && scores.get(7).abs() < 1e-9);
        assert!(scores.get(1 << 40).abs() < 1e-9);
    }
}
