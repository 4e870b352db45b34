//! Token counts, exact for the encodings whose vocabulary is public.

mod cache;

use std::sync::Arc;

use bpe_openai::Tokenizer;

pub use cache::TokenCache;

/// A byte-pair encoding that counts are given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// `o200k_base`; `o200k_harmony` differs only in special tokens, which texts never have.
    O200kBase,
    Cl100kBase,
}

impl Encoding {
    /// Every name in settings with its encoding; the first of an encoding is its own.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("o200k_base", Self::O200kBase),
        ("o200k_harmony", Self::O200kBase),
        ("cl100k_base", Self::Cl100kBase),
    ];

    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// The tokenizer, which is loaded when it is first asked for.
    fn tokenizer(self) -> &'static Tokenizer {
        match self {
            Self::O200kBase => bpe_openai::o200k_base(),
            Self::Cl100kBase => bpe_openai::cl100k_base(),
        }
    }
}

/// The number of tokens of `text`, equal to the reference implementation.
///
/// Special tokens such as `<|endoftext|>` are ordinary text here.
///
/// Counts are additive at a seam between a text that ends in a line feed and one that begins with
/// neither white space nor `/`. In `o200k_base` punctuation, the line breaks after it and a `/`
/// after those are one piece, so `/` can change the count of the text before it.
pub fn count(encoding: Encoding, text: &str) -> usize {
    // For `cl100k_base` the tokenizer splits white space at the end of a text after its last line
    // break, where the reference keeps it in one piece. That changes no count: no token of that
    // vocabulary has anything behind a line break that does not end in a line break too, so no
    // merge reaches across.
    encoding.tokenizer().count(text)
}

/// Counts in one encoding, with a safety margin for models whose tokenizer is not public.
#[derive(Clone, Debug)]
pub struct Counter {
    /// The encoding of the model, or the nearest one.
    pub encoding: Encoding,
    /// Percent to add to a count; 0 if the encoding is the model's own.
    pub margin_percent: u32,
    /// Counts that were made before.
    pub cache: Arc<TokenCache>,
}

impl Counter {
    /// A counter without a margin.
    pub fn exact(encoding: Encoding, cache: &Arc<TokenCache>) -> Self {
        Self { encoding, margin_percent: 0, cache: Arc::clone(cache) }
    }

    /// The number of tokens of `text`, the margin included and rounded up.
    pub fn count(&self, text: &str) -> usize {
        let count = || count(self.encoding, text);
        let exact = self.cache.get_or_count(self.encoding, text, count);
        let margin = exact.saturating_mul(self.margin_percent as usize).div_ceil(100);
        exact.saturating_add(margin)
    }

    /// Whether `text` was counted before, so that no vocabulary is needed for it.
    pub fn is_cached(&self, text: &str) -> bool {
        self.cache.contains(self.encoding, text)
    }

    /// Begins to load the tokenizer in the background, for whoever is going to count `text` and
    /// what belongs to it: loading takes about as long as reading a workspace, and both can go on at
    /// once. When `text` has been counted before, so probably has the rest, and nothing is loaded.
    pub fn warm_up(&self, text: &str) {
        if !self.is_cached(text) {
            let encoding = self.encoding;
            std::thread::spawn(move || encoding.tokenizer());
        }
    }

    /// Whether its counts are estimates, which every figure then has to say.
    pub fn is_estimated(&self) -> bool {
        self.margin_percent > 0
    }
}

/// The approximate tokens of `bytes` bytes of Markdown, for figures that decide nothing.
///
/// Public agent instructions, runbooks and pattern catalogues have 4.5 bytes per token in
/// `o200k_base`: 4.54 over 6.9 MB in 1 207 files, 4.2 to 4.9 by collection. Terse texts are denser:
/// 3.7 over 4.3 MB of tldr pages.
pub fn estimate(bytes: usize) -> usize {
    bytes.saturating_mul(2).div_ceil(9)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOTH: [Encoding; 2] = [Encoding::O200kBase, Encoding::Cl100kBase];

    fn reference(encoding: Encoding, text: &str) -> usize {
        let reference = match encoding {
            Encoding::O200kBase => tiktoken_rs::o200k_base_singleton(),
            Encoding::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        };
        reference.encode_ordinary(text).len()
    }

    /// Pieces that tokenizers are known to stumble over, between characters of any kind.
    fn soup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[ \t\r\n\u{a0}\u{85}\u{2028}\u{3000}\u{b}\u{c}]{1,6}",
            2 => "[0-9\u{0661}\u{b2}\u{2163}]{1,7}",
            2 => "[ ]?(I|we|DON|ſ)'(s|S|t|re|VE|m|ll|d|ſ|x)",
            3 => "[a-zA-Zéßǅʰ漢字ひ\u{301}\u{93f}]{1,8}",
            3 => "[-/#*_`|<>.,!?\"'\\\\(){}\\[\\]]{1,4}[\r\n/]{0,3}",
            1 => "[👍🏽👩\u{200d}💻\u{fe0f}🇩🇪]{1,4}",
            1 => "[\u{0}-\u{1f}\u{7f}\u{feff}\u{fffd}]{1,3}",
            1 => Just("<|endoftext|><|im_start|>".to_owned()),
            1 => (any::<char>(), 1..300_usize).prop_map(|(c, n)| c.to_string().repeat(n)),
            1 => ("[ \n\tax0.=]", 1..300_usize).prop_map(|(c, n)| c.repeat(n)),
            3 => any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn counts_are_those_of_the_reference(text in soup()) {
            for encoding in BOTH {
                prop_assert_eq!(count(encoding, &text), reference(encoding, &text));
            }
        }

        #[test]
        fn white_space_at_the_end_counts_as_in_the_reference(
            text in "[a!.0'/ ]{0,4}[ \t\r\n\u{a0}\u{85}\u{3000}\u{1c}\u{200b}]{0,8}[x./]?"
        ) {
            for encoding in BOTH {
                prop_assert_eq!(count(encoding, &text), reference(encoding, &text));
            }
        }

        #[test]
        fn counts_add_up_where_a_line_begins(before in soup(), after in soup()) {
            let before = before + "\n";
            let after = after.trim_start().trim_start_matches(|c: char| {
                c == '/' || c.is_whitespace()
            });
            let whole = before.clone() + after;
            for encoding in BOTH {
                let sum = count(encoding, &before) + count(encoding, after);
                prop_assert_eq!(sum, reference(encoding, &whole));
            }
        }
    }

    #[test]
    fn the_seams_that_do_not_add_up_are_known() {
        let sum = |encoding, a, b| count(encoding, a) + count(encoding, b);
        let (a, b) = ("\"\n", "//");
        let apart = sum(Encoding::O200kBase, a, b);
        assert_ne!(apart, count(Encoding::O200kBase, "\"\n//"));
        assert_eq!(sum(Encoding::Cl100kBase, a, b), count(Encoding::Cl100kBase, "\"\n//"));
    }

    #[test]
    fn an_estimate_of_markdown_is_about_right() {
        let text = "# Deploying\n\nRun the pipeline, then watch the dashboard for ten minutes.\n\n\
            - Check that `kubectl rollout status` reports success.\n\
            - If the error rate rises above one percent, roll back.\n";
        let exact = count(Encoding::O200kBase, text);
        assert!(estimate(text.len()).abs_diff(exact) * 4 <= exact, "{exact}");
        assert_eq!((estimate(0), estimate(1)), (0, 1));
    }

    #[test]
    fn names_lead_to_encodings_and_back() {
        for encoding in BOTH {
            assert_eq!(Encoding::from_name(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::from_name("o200k_harmony"), Some(Encoding::O200kBase));
        assert_eq!(Encoding::from_name("p50k_base"), None);
    }

    #[test]
    fn a_margin_is_rounded_up_and_says_so() {
        let exact = Counter::exact(Encoding::O200kBase, &Arc::default());
        let text = "one two three";
        assert_eq!((exact.count(text), exact.is_estimated()), (3, false));
        let margin = Counter { margin_percent: 10, ..exact.clone() };
        assert_eq!((margin.count(text), margin.count(""), margin.is_estimated()), (4, 0, true));
    }
}
