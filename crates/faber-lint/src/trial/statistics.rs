//! Mean of paired differences, with a confidence interval.
//!
//! Paired bootstrap (B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, sections
//! 8.3 and 13.3). A pair is a case: its runs depend on each other.

/// With 9 999, the 95 % bounds are exactly the 250th and 9 750th mean.
const DRAWS: usize = 9_999;
const RANK: usize = 250;

/// G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        let wide = u128::from(self.next()) * limit as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
    if count == 0 { 0.0 } else { values.iter().sum::<f64>() / f64::from(count) }
}

pub(crate) fn interval(differences: &[f64], seed: u64) -> Option<(f64, f64)> {
    if differences.len() < 2 {
        return None;
    }
    let mut random = SplitMix64(seed);
    let mut drawn = vec![0.0; differences.len()];
    let mut draw = || {
        for value in &mut drawn {
            *value = differences[random.below(differences.len())];
        }
        mean(&drawn)
    };
    let mut means: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
    means.sort_unstable_by(f64::total_cmp);
    Some((means[RANK - 1], means[DRAWS - RANK]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(differences: &[f64]) -> (f64, f64) {
        let count = differences.len();
        let mut means = Vec::new();
        for draw in 0..count.pow(u32::try_from(count).unwrap()) {
            let (mut rest, mut sum) = (draw, 0.0);
            for _ in 0..count {
                sum += differences[rest % count];
                rest /= count;
            }
            means.push(sum / f64::from(u32::try_from(count).unwrap()));
        }
        means.sort_by(f64::total_cmp);
        let at = |share: usize| means[(means.len() - 1) * share / 1000];
        (at(25), at(975))
    }

    #[test]
    fn the_bounds_are_those_of_all_draws() {
        for differences in [
            vec![1.0, 0.0, 0.0, 1.0, -1.0, 1.0],
            vec![0.5, 0.25, 0.75, 0.1, 0.3],
            vec![-1.0, -0.5, -0.75, 0.25, -1.0, -0.25, -0.5],
            vec![0.2; 6],
        ] {
            let (low, high) = interval(&differences, 1).unwrap();
            let (naive_low, naive_high) = naive(&differences);
            let near = |one: f64, other: f64| (one - other).abs() < 0.05;
            assert!(near(low, naive_low) && near(high, naive_high), "{differences:?} {low} {high}");
            assert!(low <= mean(&differences) && mean(&differences) <= high + 1e-9);
        }
    }

    #[test]
    fn a_seed_gives_the_same_bounds_and_another_one_close_ones() {
        let differences = [1.0, 0.0, 0.5, -0.5, 1.0, 0.25, 0.0, 0.75];
        let first = interval(&differences, 7).unwrap();
        assert_eq!(interval(&differences, 7), Some(first));
        let other = interval(&differences, 8).unwrap();
        assert!((first.0 - other.0).abs() < 0.1 && (first.1 - other.1).abs() < 0.1);
        assert_eq!(interval(&[1.0], 7), None);
    }

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let mut random = SplitMix64(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }
}
