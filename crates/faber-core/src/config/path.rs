//! Keys in messages.

use crate::escape::clip;

const MAX_WORD: usize = 60;

pub(super) fn join(parent: &str, key: &str) -> String {
    if parent.is_empty() { clip(key) } else { format!("{parent}.{}", clip(key)) }
}

pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_WORD {
        return None;
    }
    let word = word.to_lowercase();
    known
        .map(|name| (strsim::damerau_levenshtein(&word, name), name))
        .filter(|&(distance, name)| distance <= (name.chars().count() / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_close_is_suggested() {
        let known = || ["team", "workflow", "organization"].into_iter();
        assert_eq!(nearest("teem", known()), Some("team"));
        assert_eq!(nearest("organisation", known()), Some("organization"));
        assert_eq!(nearest("colour", known()), None);
    }

    #[test]
    fn long_and_broken_text_is_cut() {
        assert_eq!(clip("a\nb"), "a\\nb");
        assert_eq!(clip(&"ü".repeat(61)), format!("{}…", "ü".repeat(60)));
        assert_eq!(join("a.b", "c"), "a.b.c");
    }
}
