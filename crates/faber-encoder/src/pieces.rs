//! `WordPiece`.

use faber_core::meaning;

use crate::file::{Encoder, u32_at};

impl Encoder {
    /// With beginning and end, within the limit of the model.
    pub(crate) fn pieces(&self, text: &str) -> Vec<usize> {
        let max = self.shape.positions - 1;
        let mut rows = vec![self.shape.first];
        for word in meaning::words(text) {
            if rows.len() >= max {
                break;
            }
            self.cut(&word, &mut rows);
        }
        rows.truncate(max);
        rows.push(self.shape.last);
        rows
    }

    fn cut(&self, word: &str, rows: &mut Vec<usize>) {
        let before = rows.len();
        let mut rest = word.as_bytes();
        let mut among = 0..self.shape.beginnings;
        while !rest.is_empty() {
            let found = meaning::longest_piece(rest, among, |row| self.piece(row));
            let Some((row, length)) = found else {
                rows.truncate(before);
                rows.push(self.shape.unknown);
                return;
            };
            rows.push(row);
            rest = &rest[length..];
            among = self.shape.beginnings..self.shape.pieces;
        }
    }

    /// Empty in a damaged file.
    fn piece(&self, row: usize) -> &[u8] {
        let offset = |row: usize| Some(u32_at(&self.bytes, self.offsets.start + 4 * row)? as usize);
        let range = || Some(offset(row)?..offset(row + 1)?);
        let text = &self.bytes[self.text.clone()];
        range().and_then(|range| text.get(range)).unwrap_or_default()
    }
}
