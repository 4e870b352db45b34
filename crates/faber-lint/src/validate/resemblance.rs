//! Jaccard index of runs of `RUN` words. Candidates share least line hashes (`MinHash`).

use memchr::memchr_iter;

const RUN: usize = 5;
const KEPT: usize = 8;
/// In bytes.
const LONG: usize = 24;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MinHash {
    pub least: Vec<u64>,
    pub len: usize,
    pub print: u64,
}

impl MinHash {
    pub(crate) fn new(text: &str) -> Self {
        let mut sketch = Self::default();
        let bytes = text.as_bytes();
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            sketch.add(bytes[start..end].trim_ascii());
            start = end + 1;
        }
        sketch
    }

    fn add(&mut self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        let hash = hashed(line);
        self.len += line.len();
        self.print = (self.print ^ hash).wrapping_mul(FACTOR).rotate_left(29);
        let is_least = self.least.len() < KEPT || self.least.last().is_some_and(|&it| hash < it);
        if line.len() >= LONG
            && is_least
            && let Err(at) = self.least.binary_search(&hash)
        {
            self.least.truncate(KEPT - 1);
            self.least.insert(at, hash);
        }
    }

    pub(crate) fn may_resemble(&self, other: &Self) -> bool {
        let (less, more) = (self.len.min(other.len), self.len.max(other.len));
        less * 4 >= more * 3
    }
}

fn hashed(line: &[u8]) -> u64 {
    let mut hash = line.len() as u64;
    let mut chunks = line.chunks_exact(8);
    let mut add = |chunk: [u8; 8]| {
        hash = (hash ^ u64::from_le_bytes(chunk)).wrapping_mul(FACTOR).rotate_left(29);
    };
    for chunk in &mut chunks {
        let mut whole = [0; 8];
        whole.copy_from_slice(chunk);
        add(whole);
    }
    let mut rest = [0; 8];
    rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    add(rest);
    mixed(hash)
}

/// Percent, rounded down; 0 if a text has fewer than `least` runs.
pub(crate) fn resemblance(a: &str, b: &str, least: usize) -> usize {
    let set = |text: &str| {
        let mut all = Vec::new();
        runs(text, |run| all.push(run));
        all.sort_unstable();
        all.dedup();
        all
    };
    let (a, b) = (set(a), set(b));
    let both = a.iter().filter(|run| b.binary_search(run).is_ok()).count();
    let all = a.len() + b.len() - both;
    if all < least { 0 } else { (both * 100).checked_div(all).unwrap_or(0) }
}

fn runs(text: &str, mut take: impl FnMut(u64)) {
    let out = (0..RUN).fold(1_u64, |factor, _| factor.wrapping_mul(FACTOR));
    let mut last = [0_u64; RUN];
    let (mut words, mut rolled, mut word) = (0_usize, 0_u64, 0_u64);
    let mut end = |word: &mut u64| {
        if *word != 0 {
            let at = words % RUN;
            rolled = rolled.wrapping_mul(FACTOR).wrapping_add(*word);
            rolled = rolled.wrapping_sub(last[at].wrapping_mul(out));
            last[at] = *word;
            words += 1;
            *word = 0;
            if words >= RUN {
                take(mixed(rolled));
            }
        }
    };
    for byte in text.bytes() {
        if byte >= 0xe3 {
            end(&mut word);
        }
        if byte.is_ascii_alphanumeric() || byte >= 0x80 {
            let byte = u64::from(byte.to_ascii_lowercase());
            // FNV-1a; zero means no word.
            let so_far = if word == 0 { 0xcbf2_9ce4_8422_2325 } else { word };
            word = (so_far ^ byte).wrapping_mul(0x0100_0000_01b3);
        } else {
            end(&mut word);
        }
    }
    end(&mut word);
}

fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(range: std::ops::Range<usize>) -> String {
        range.map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ") + " "
    }

    #[test]
    fn resemblance_is_the_share_of_common_runs() {
        assert_eq!(resemblance(&words(0..100), &words(0..100), 96), 100);
        assert_eq!(resemblance(&words(0..100), &words(0..100), 97), 0);
        assert_eq!(resemblance(&words(0..100), &words(100..200), 0), 0);
        let other = words(0..100).replace("word50 ", "other ");
        assert_eq!(resemblance(&words(0..100), &other, 60), 90);
        assert_eq!(resemblance("", "", 0), 0);
    }

    #[test]
    fn case_and_punctuation_do_not_count_and_order_does() {
        let (a, b) = ("One two, three: four five six", "one *two* three\nfour-five `six`");
        assert_eq!(resemblance(a, b, 2), 100);
        assert_eq!(resemblance(a, "six five four three two one", 0), 0);
        assert_eq!(resemblance("四五六七八九", "四五六七八十", 0), 33);
    }

    #[test]
    fn texts_that_are_alike_share_a_least_hash() {
        let lines: Vec<String> = (0..200).map(|n| words(n * 9..n * 9 + 9)).collect();
        let base = lines.join("\n");
        for line in &lines {
            let other = base.replace(line, "another line that is long enough");
            let (a, b) = (MinHash::new(&base), MinHash::new(&other));
            assert!(a.least.iter().any(|hash| b.least.contains(hash)), "{line}");
            assert!(a.print != b.print && a.may_resemble(&b));
        }
        assert_eq!(MinHash::new(&base), MinHash::new(&base.replace('\n', "\r\n\r\n  ")));
        let other = MinHash::new(&lines.concat());
        assert!(!MinHash::new(&base).least.iter().any(|line| other.least.contains(line)));
    }
}
