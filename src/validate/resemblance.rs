//! How alike two texts are, and how texts that are alike are found without comparing all of them.
//!
//! A text is taken for the set of its runs of [`RUN`] words, each as a hash. How alike two texts are
//! is how many of their runs both have (the Jaccard index). Of a text only the least hashes are
//! kept to look it up by: hashes are as good as random, so the least hash of two texts together
//! lies with the probability of their resemblance in both. Of texts nine tenths of which are alike,
//! all eight are different in one of ten million cases.

/// How many words a run has. Shorter ones are shared by texts about the same matter.
const RUN: usize = 5;
/// How many hashes a text is looked up by.
const KEPT: usize = 8;
/// The factor by which a run of words rolls on.
const ROLL: u64 = 0x9e37_79b9_7f4a_7c15;

/// What is kept of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Its least hashes, in order; fewer when the text is short.
    pub least: Vec<u64>,
    /// How many runs of words it has, repeated ones too.
    pub len: usize,
    /// A hash of all words in their order.
    pub print: u64,
}

impl Sketch {
    /// Reads a text once, in linear time.
    pub fn new(text: &str) -> Self {
        let mut sketch = Self::default();
        let least = &mut sketch.least;
        let (mut len, mut print) = (0, 0_u64);
        runs(text, |run| {
            len += 1;
            print = print.wrapping_mul(ROLL).wrapping_add(run);
            if least.len() == KEPT && run >= least[KEPT - 1] {
                return;
            }
            if let Err(at) = least.binary_search(&run) {
                least.insert(at, run);
                least.truncate(KEPT);
            }
        });
        (sketch.len, sketch.print) = (len, print);
        sketch
    }

    /// Whether two texts are long enough for each other that `percent` of both could be the same.
    pub fn may_resemble(&self, other: &Self, percent: usize) -> bool {
        let (less, more) = (self.len.min(other.len), self.len.max(other.len));
        // Repeated runs count once when texts are compared, so this is generous.
        less * 100 * 2 >= more * percent
    }
}

/// How many percent of the runs of two texts both of them have, rounded down.
pub fn resemblance(a: &str, b: &str) -> usize {
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
    (both * 100).checked_div(all).unwrap_or(0)
}

/// Hands the hash of every run of words to `take`. Case, punctuation and white space do not count;
/// a character of a script that is written without spaces is a word.
fn runs(text: &str, mut take: impl FnMut(u64)) {
    let out = (0..RUN).fold(1_u64, |factor, _| factor.wrapping_mul(ROLL));
    let mut last = [0_u64; RUN];
    let (mut words, mut rolled, mut word) = (0_usize, 0_u64, 0_u64);
    let mut end = |word: &mut u64| {
        if *word != 0 {
            let at = words % RUN;
            rolled = rolled.wrapping_mul(ROLL).wrapping_add(*word);
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
            // FNV-1a, which is good enough for words, and never 0 but by accident.
            let so_far = if word == 0 { 0xcbf2_9ce4_8422_2325 } else { word };
            word = (so_far ^ byte).wrapping_mul(0x0100_0000_01b3);
        } else {
            end(&mut word);
        }
    }
    end(&mut word);
}

/// The finalizer of `SplitMix64`, which spreads every bit over all.
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
        assert_eq!(resemblance(&words(0..100), &words(0..100)), 100);
        assert_eq!(resemblance(&words(0..100), &words(100..200)), 0);
        // 96 runs each; one word in the middle is in five of them, so 91 of 101 are in both.
        let other = words(0..100).replace("word50 ", "other ");
        assert_eq!(resemblance(&words(0..100), &other), 90);
        assert_eq!(resemblance("", ""), 0);
    }

    #[test]
    fn case_and_punctuation_do_not_count_and_order_does() {
        let (a, b) = ("One two, three: four five six", "one *two* three\nfour-five `six`");
        assert_eq!(Sketch::new(a), Sketch::new(b));
        assert_eq!(resemblance(a, "six five four three two one"), 0);
        assert_eq!(Sketch::new("四五六七八九").len, 2);
    }

    #[test]
    fn texts_that_are_alike_share_a_least_hash() {
        let base = words(0..1000);
        for n in (0..1000).step_by(7) {
            let other = base.replace(&format!("word{n} "), "other ");
            let (a, b) = (Sketch::new(&base), Sketch::new(&other));
            assert!(a.least.iter().any(|run| b.least.contains(run)), "{n}");
            assert_ne!(a.print, b.print);
        }
        let other = Sketch::new(&words(5000..6000));
        assert!(!Sketch::new(&base).least.iter().any(|run| other.least.contains(run)));
    }
}
