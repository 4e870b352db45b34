//! Splits a text as uncased BERT does. A *chunk* is the text between ASCII separators; only
//! [`fold`] decodes characters.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::decompose_canonical;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharClass {
    Part,
    Alone,
    Space,
    Drop,
}

const ASCII: [CharClass; 128] = {
    let mut kinds = [CharClass::Drop; 128];
    let mut code = 0_u8;
    while code < 128 {
        kinds[code as usize] = match code {
            b' ' | b'\t' | b'\n' | b'\r' => CharClass::Space,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => CharClass::Part,
            0..=31 | 127 => CharClass::Drop,
            _ => CharClass::Alone,
        };
        code += 1;
    }
    kinds
};

const MAX_WORD_CHARS: usize = 100;

fn kind(c: char) -> CharClass {
    use GeneralCategory as Category;
    if let Some(&kind) = ASCII.get(c as usize) {
        return kind;
    }
    match c {
        char::REPLACEMENT_CHARACTER => return CharClass::Drop,
        '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2CEAF}'
        | '\u{2F800}'..='\u{2FA1F}' => return CharClass::Alone,
        _ => {}
    }
    match get_general_category(c) {
        Category::SpaceSeparator | Category::LineSeparator | Category::ParagraphSeparator => {
            CharClass::Space
        }
        Category::Control | Category::Format | Category::PrivateUse | Category::NonspacingMark => {
            CharClass::Drop
        }
        Category::ConnectorPunctuation
        | Category::DashPunctuation
        | Category::OpenPunctuation
        | Category::ClosePunctuation
        | Category::InitialPunctuation
        | Category::FinalPunctuation
        | Category::OtherPunctuation => CharClass::Alone,
        _ => CharClass::Part,
    }
}

pub(super) fn is_punctuation(chunk: &str) -> bool {
    matches!(chunk.as_bytes(), &[byte] if ASCII.get(usize::from(byte)) == Some(&CharClass::Alone))
}

pub(super) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let parts = |byte: u8| {
        matches!(ASCII.get(usize::from(byte)), Some(CharClass::Alone | CharClass::Space))
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes
            .get(at)
            .is_some_and(|&byte| ASCII.get(usize::from(byte)) == Some(&CharClass::Space))
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
        text.get(start..at)
    })
}

pub(super) fn fold(chunk: &str, mut found: impl FnMut(&str)) {
    let mut word = CurrentWord::default();
    if chunk.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        word.text = chunk.to_ascii_lowercase();
        word.length = chunk.len();
        return word.end(&mut found);
    }
    for c in chunk.chars().filter(|&c| kind(c) != CharClass::Drop) {
        decompose_canonical(c, |part| {
            if kind(part) == CharClass::Drop {
                return;
            }
            for small in part.to_lowercase() {
                match kind(small) {
                    CharClass::Part => word.push(small),
                    CharClass::Drop => {}
                    CharClass::Space => word.end(&mut found),
                    CharClass::Alone => {
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

#[derive(Default)]
struct CurrentWord {
    text: String,
    length: usize,
}

impl CurrentWord {
    fn push(&mut self, c: char) {
        self.length += 1;
        if self.length <= MAX_WORD_CHARS {
            self.text.push(c);
        }
    }

    fn end(&mut self, found: &mut impl FnMut(&str)) {
        if (1..=MAX_WORD_CHARS).contains(&self.length) {
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
}
