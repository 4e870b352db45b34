//! ASCII-case-insensitive search without a copy.

pub(crate) fn contains(text: &str, word: &str, rare: usize) -> bool {
    let (bytes, word) = (text.as_bytes(), word.as_bytes());
    let letter = word[rare].to_ascii_lowercase();
    let places = memchr::memchr2_iter(letter, letter.to_ascii_uppercase(), bytes);
    places.filter_map(|place| place.checked_sub(rare)).any(|start| {
        let there = bytes.get(start..start + word.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_and_at_the_edges() {
        for text in ["exist", "It EXISTS", "é exIst", "x exist"] {
            assert!(contains(text, "exist", 1), "{text}");
        }
        for text in ["", "x", "exis", "xist", "e xist"] {
            assert!(!contains(text, "exist", 1), "{text}");
        }
    }
}
