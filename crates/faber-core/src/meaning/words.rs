//! Cuts a text where uncased BERT does: at white space and around punctuation, lower case, without
//! accents.
//!
//! It goes in two steps. A *chunk* is what stands between two ASCII characters that surely part words,
//! found without decoding anything; nearly always it is one word of ASCII, and a cache can know it by
//! its bytes. Only [`fold`] looks at characters.

use unicode_normalization::char::decompose_canonical;

use super::classes::RANGES;

/// What a character is to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is part of a word.
    Part,
    /// It is a word by itself.
    Alone,
    /// It ends a word.
    Space,
    /// It is as if it were not there: marks, control characters.
    Drop,
}

const ASCII: [Kind; 128] = {
    let mut kinds = [Kind::Drop; 128];
    let mut code = 0_u8;
    while code < 128 {
        kinds[code as usize] = match code {
            b' ' | b'\t' | b'\n' | b'\r' => Kind::Space,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => Kind::Part,
            0..=31 | 127 => Kind::Drop,
            _ => Kind::Alone,
        };
        code += 1;
    }
    kinds
};

/// The most characters of a word; longer ones are taken for noise and have no pieces.
const LONGEST_WORD: usize = 100;

/// What `c` is to a text.
fn kind(c: char) -> Kind {
    let code = u32::from(c);
    if let Some(&kind) = ASCII.get(code as usize) {
        return kind;
    }
    let after = RANGES.partition_point(|&(first, _, _)| first <= code);
    match after.checked_sub(1).map(|index| RANGES[index]) {
        Some((_, last, kind)) if code <= last => kind,
        _ => Kind::Part,
    }
}

/// Whether `chunk` is a sign of ASCII punctuation. The table is silent about these, and they are every third chunk, so who
/// adds rows need not look them up.
pub(super) fn is_punctuation(chunk: &str) -> bool {
    matches!(chunk.as_bytes(), &[byte] if ASCII.get(usize::from(byte)) == Some(&Kind::Alone))
}

/// The chunks of `text`, in order: ASCII punctuation alone, and what stands between it and white space.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let parts = |byte: u8| matches!(ASCII.get(usize::from(byte)), Some(Kind::Alone | Kind::Space));
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|&byte| ASCII.get(usize::from(byte)) == Some(&Kind::Space))
        {
            at += 1;
        }
        let start = at;
        let first = *bytes.get(start)?;
        at += 1;
        if !parts(first) {
            while bytes.get(at).is_some_and(|&byte| !parts(byte)) {
                at += 1;
            }
        }
        // Both ends stand beside an ASCII character or an end of the text, so this cuts no character.
        text.get(start..at)
    })
}

/// Hands every word of `chunk` to `found`, lower case and without accents. Longer words than
/// [`LONGEST_WORD`] are left out.
pub(super) fn fold(chunk: &str, mut found: impl FnMut(&str)) {
    let mut word = Word::default();
    if chunk.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        word.text = chunk.to_ascii_lowercase();
        word.length = chunk.len();
        return word.end(&mut found);
    }
    for c in chunk.chars().filter(|&c| kind(c) != Kind::Drop) {
        decompose_canonical(c, |part| {
            if kind(part) == Kind::Drop {
                return;
            }
            for small in part.to_lowercase() {
                match kind(small) {
                    Kind::Part => word.push(small),
                    Kind::Drop => {}
                    Kind::Space => word.end(&mut found),
                    Kind::Alone => {
                        word.end(&mut found);
                        word.push(small);
                        word.end(&mut found);
                    }
                }
            }
        });
    }
    word.end(&mut found);
}

/// A word that is being read; of too long ones only the length is kept.
#[derive(Default)]
struct Word {
    text: String,
    length: usize,
}

impl Word {
    fn push(&mut self, c: char) {
        self.length += 1;
        if self.length <= LONGEST_WORD {
            self.text.push(c);
        }
    }

    fn end(&mut self, found: &mut impl FnMut(&str)) {
        if (1..=LONGEST_WORD).contains(&self.length) {
            found(&self.text);
        }
        self.text.clear();
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for chunk in chunks(text) {
            fold(chunk, |word| found.push(word.to_owned()));
        }
        found
    }

    #[test]
    fn words_are_cut_at_space_and_punctuation() {
        assert_eq!(words("Hello, World!\n"), ["hello", ",", "world", "!"]);
        assert_eq!(words("rate_limit-429"), ["rate", "_", "limit", "-", "429"]);
        assert_eq!(words(" \t\r\n"), Vec::<String>::new());
    }

    #[test]
    fn accents_and_marks_fall_away() {
        assert_eq!(words("Café İstanbul naïve"), ["cafe", "istanbul", "naive"]);
        assert_eq!(words("soft\u{AD}hyphen zero\u{200B}width"), ["softhyphen", "zerowidth"]);
        assert_eq!(words("a\u{0}b"), ["ab"]);
    }

    #[test]
    fn other_scripts_and_their_punctuation_part_words() {
        assert_eq!(words("中文 text"), ["中", "文", "text"]);
        assert_eq!(words("“quoted”—dash\u{3000}wide"), ["“", "quoted", "”", "—", "dash", "wide"]);
    }

    #[test]
    fn the_longest_word_has_a_hundred_characters() {
        assert_eq!(words(&"x".repeat(100)).len(), 1);
        assert_eq!(words(&"x".repeat(101)).len(), 0);
        assert_eq!(words(&"é".repeat(100)).len(), 1);
        assert_eq!(words(&"é".repeat(101)).len(), 0);
    }

    #[test]
    fn ranges_are_sorted() {
        assert!(RANGES.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }
}
