//! Letters in names.

use caseless::Caseless;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Without decomposition.
const LATIN: [(char, &str); 9] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('ł', "l"),
    ('đ', "d"),
    ('ð', "d"),
    ('þ', "th"),
    ('ı', "i"),
];

pub fn words(text: &str) -> Vec<String> {
    let text: String = text.nfc().collect::<String>().to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    let words = text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Latin letters lose marks; other scripts are dropped.
pub fn ascii_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut plain = String::with_capacity(lower.len());
    for c in lower.nfkd().filter(|c| !is_combining_mark(*c)) {
        match LATIN.iter().find(|(letter, _)| *letter == c) {
            Some((_, ascii)) => plain.push_str(ascii),
            None => plain.push(c),
        }
    }
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().nfd().default_case_fold().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_letters() {
        assert_eq!(words("Über die Straße: §5"), ["über", "die", "straße", "5"]);
        assert_eq!(words("U\u{308}ber"), ["über"]);
        assert_eq!(words("Всё хорошо, 日本語!"), ["всё", "хорошо", "日本語"]);
        assert_eq!(words("हिन्दी"), ["हिन्दी"]);
        assert!(words("… — !").is_empty());
    }

    #[test]
    fn latin_letters_lose_their_marks() {
        assert_eq!(ascii_words("Überprüfung Straße"), ["uberprufung", "strasse"]);
        assert_eq!(ascii_words("ŁÓDŹ_Ærø"), ["lodz", "aero"]);
        assert_eq!(ascii_words("日本 a1"), ["a1"]);
        assert!(ascii_words("Всё").is_empty());
    }
}
