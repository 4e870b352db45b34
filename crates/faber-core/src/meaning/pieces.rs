//! Cuts words into pieces (`WordPiece`) and finds their rows.

use super::table::{BEGINNINGS, CONTINUATIONS, RowId, is_zero_row, longest_prefix};
use super::words::fold;

pub(super) fn nonzero_rows(chunk: &str, rows: &mut Vec<RowId>) {
    rows.clear();
    cut_chunk(chunk, rows);
    rows.retain(|&row| !is_zero_row(row));
}

pub(super) fn cut_chunk(chunk: &str, rows: &mut Vec<RowId>) {
    fold(chunk, |word| cut_word(word, rows));
}

/// Greedy. Words with an unknown part have no pieces.
pub(super) fn cut_word(word: &str, rows: &mut Vec<RowId>) {
    let before = rows.len();
    let mut rest = word.as_bytes();
    let mut among = BEGINNINGS;
    while !rest.is_empty() {
        let Some((row, length)) = longest_prefix(rest, &among) else {
            rows.truncate(before);
            return;
        };
        rows.push(row);
        rest = &rest[length..];
        among = CONTINUATIONS;
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::piece_name;
    use super::*;

    fn pieces(chunk: &str) -> Vec<String> {
        let mut rows = Vec::new();
        cut_chunk(chunk, &mut rows);
        rows.into_iter().map(piece_name).collect()
    }

    #[test]
    fn words_become_their_longest_pieces() {
        assert_eq!(pieces("embeddings"), ["em", "##bed", "##ding", "##s"]);
        assert_eq!(pieces("Kubernetes"), ["ku", "##ber", "##net", "##es"]);
        assert_eq!(pieces("the"), ["the"]);
    }

    #[test]
    fn a_word_that_cannot_be_cut_has_no_pieces() {
        assert_eq!(pieces("ab\u{1F980}"), Vec::<String>::new());
        assert_eq!(pieces(""), Vec::<String>::new());
    }
}
