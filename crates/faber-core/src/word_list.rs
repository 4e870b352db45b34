//! Lists of words, many in a line.

/// `words!("a, b c", "d")` is `&["a", "b c", "d"]`.
macro_rules! words {
    ($($text:literal),+ $(,)?) => {{
        const TEXT: &str = concat!($($text, ", "),+);
        const WORDS: [&str; $crate::word_list::count(TEXT)] = $crate::word_list::split(TEXT);
        &WORDS
    }};
}
pub(crate) use words;

pub(crate) const fn count(text: &str) -> usize {
    let (mut count, mut rest) = (0, text);
    while let Some((_, after)) = split_first(rest) {
        (count, rest) = (count + 1, after);
    }
    count
}

pub(crate) const fn split<const N: usize>(text: &'static str) -> [&'static str; N] {
    let (mut words, mut at, mut rest) = ([""; N], 0, text);
    while let Some((word, after)) = split_first(rest) {
        words[at] = word;
        (at, rest) = (at + 1, after);
    }
    words
}

const fn split_first(text: &str) -> Option<(&str, &str)> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    while at + 1 < bytes.len() {
        if bytes[at] == b',' && bytes[at + 1] == b' ' {
            return Some((text.split_at(at).0, text.split_at(at + 2).1));
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    #[test]
    fn commas_separate_words() {
        assert_eq!(words!("a, b c", "d "), &["a", "b c", "d "]);
    }
}
