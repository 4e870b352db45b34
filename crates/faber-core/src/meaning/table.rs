//! Word pieces and their rows, read in place from `table.bin` (written by
//! `tools/embedding/build.py`), in little-endian numbers:
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | `MAGIC` |
//! | 4 × 4 | number of rows, dimensions, rows of word beginnings, bytes of all pieces |
//! | 4 | the unit of row values, an `f32` |
//! | 4 × (rows + 1) | offset of each piece, and the end of the last |
//! | … | the pieces in UTF-8: word beginnings, then continuations, each sorted by bytes |
//! | rows × dimensions | the rows, as `i8` |

use std::ops::Range;

use super::words::fold;

static TABLE: &[u8] = include_bytes!("table.bin");

/// The digit is the version of the layout.
const MAGIC: &[u8; 8] = b"faber\0m1";

const ROWS: usize = header(0);
const INITIALS: usize = header(2);
const TEXT_SIZE: usize = header(3);

pub const DIMENSIONS: usize = header(1);

pub(super) const STEP: f32 = f32::from_le_bytes(word(MAGIC.len() + 4 * 4));

const OFFSETS: usize = MAGIC.len() + 5 * 4;
const TEXT: usize = OFFSETS + 4 * (ROWS + 1);
const VALUES: usize = TEXT + TEXT_SIZE;

const _: () = {
    let mut index = 0;
    while index < MAGIC.len() {
        assert!(TABLE[index] == MAGIC[index], "the table has another layout");
        index += 1;
    }
    assert!(TABLE.len() == VALUES + ROWS * DIMENSIONS, "the table is not as long as it says");
    assert!(ROWS <= u16::MAX as usize, "a row needs more than 16 bits");
    assert!(INITIALS <= ROWS, "the table has more beginnings than rows");
};

pub(super) type RowId = u16;

const BEGINNINGS: Range<usize> = 0..INITIALS;
const CONTINUATIONS: Range<usize> = INITIALS..ROWS;

pub(super) fn row(id: RowId) -> &'static [u8] {
    let start = VALUES + usize::from(id) * DIMENSIONS;
    &TABLE[start..start + DIMENSIONS]
}

pub(super) fn is_zero_row(id: RowId) -> bool {
    row(id).iter().all(|&byte| byte == 0)
}

fn longest_prefix(text: &[u8], rows: &Range<usize>) -> Option<(RowId, usize)> {
    let (row, length) = longest_piece(text, rows.clone(), piece)?;
    Some((RowId::try_from(row).ok()?, length))
}

pub fn longest_piece<'a>(
    text: &[u8],
    rows: Range<usize>,
    piece: impl Fn(usize) -> &'a [u8],
) -> Option<(usize, usize)> {
    let (mut low, mut high) = (rows.start, rows.end);
    let mut best = None;
    for (depth, byte) in text.iter().enumerate() {
        low = first_row(low..high, |row| piece(row).get(depth) >= Some(byte));
        high = first_row(low..high, |row| piece(row).get(depth) > Some(byte));
        if low == high {
            break;
        }
        if piece(low).len() == depth + 1 {
            best = Some((low, depth + 1));
        }
    }
    best
}

fn first_row(rows: Range<usize>, far: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (rows.start, rows.end);
    while low < high {
        let middle = usize::midpoint(low, high);
        if far(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

fn piece(row: usize) -> &'static [u8] {
    let at = |index: usize| TEXT + u32::from_le_bytes(word(OFFSETS + 4 * index)) as usize;
    &TABLE[at(row)..at(row + 1)]
}

const fn word(at: usize) -> [u8; 4] {
    [TABLE[at], TABLE[at + 1], TABLE[at + 2], TABLE[at + 3]]
}

const fn header(field: usize) -> usize {
    u32::from_le_bytes(word(MAGIC.len() + 4 * field)) as usize
}

#[cfg(test)]
fn piece_name(id: RowId) -> String {
    let row = usize::from(id);
    let name = String::from_utf8_lossy(piece(row));
    if CONTINUATIONS.contains(&row) { format!("##{name}") } else { name.into_owned() }
}

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
    use super::*;

    #[test]
    fn pieces_are_sorted_and_distinct() {
        for rows in [BEGINNINGS, CONTINUATIONS] {
            for row in rows.start + 1..rows.end {
                assert!(piece(row - 1) < piece(row), "row {row}");
            }
        }
    }

    #[test]
    fn every_piece_is_found_by_its_own_text() {
        for rows in [BEGINNINGS, CONTINUATIONS] {
            for row in rows.clone() {
                let name = piece(row);
                let found =
                    longest_prefix(name, &rows).map(|(id, length)| (usize::from(id), length));
                assert_eq!(found, Some((row, name.len())));
            }
        }
    }

    #[test]
    fn the_longest_piece_wins() {
        let (id, length) = longest_prefix(b"embeddings", &BEGINNINGS).unwrap();
        assert_eq!((piece_name(id).as_str(), length), ("em", 2));
        assert_eq!(longest_prefix(b"", &BEGINNINGS), None);
        assert_eq!(longest_prefix("\u{10FFFF}".as_bytes(), &BEGINNINGS), None);
    }

    #[test]
    fn the_step_is_a_number_and_most_rows_are_not_silent() {
        assert!(STEP.is_finite() && STEP > 0.0);
        let silent = (0..ROWS).filter(|&row| is_zero_row(RowId::try_from(row).unwrap())).count();
        assert!(silent < ROWS / 10, "{silent}");
    }

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
