//! Lists of words in constants.

/// The words of `text`, separated by single spaces.
pub(crate) const fn word_list<const N: usize>(text: &'static str) -> [&'static str; N] {
    let (mut words, mut rest, mut at) = ([""; N], text, 0);
    while at < N {
        let mut end = 0;
        while end < rest.len() && rest.as_bytes()[end] != b' ' {
            end += 1;
        }
        assert!(end > 0, "there are fewer words");
        (words[at], rest) = rest.split_at(end);
        rest = rest.trim_ascii_start();
        at += 1;
    }
    assert!(rest.is_empty(), "there are more words");
    words
}
