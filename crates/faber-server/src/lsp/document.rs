use camino::Utf8PathBuf;
use lsp_types::TextDocumentContentChangeEvent;

use crate::lsp::position::{ColumnUnit, LineIndex};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenDocument {
    pub path: Utf8PathBuf,
    pub version: i32,
    pub opening: u64,
    pub edit: u64,
    pub text: String,
}

impl OpenDocument {
    pub(crate) fn change(
        &mut self,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: ColumnUnit,
    ) {
        for change in changes {
            match change.range {
                None => self.text = change.text,
                Some(range) => {
                    let bytes = LineIndex::new(&self.text, encoding).bytes(range);
                    self.text.replace_range(bytes, &change.text);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::{Position, Range};

    fn change(range: Option<[u32; 4]>, text: &str) -> TextDocumentContentChangeEvent {
        let at = |line, character| Position { line, character };
        let range = range.map(|[a, b, c, d]| Range { start: at(a, b), end: at(c, d) });
        TextDocumentContentChangeEvent { range, range_length: None, text: text.to_owned() }
    }

    #[test]
    fn changes_follow_one_another() {
        let text = "a😀b\r\nc\n".to_owned();
        let path = "/a.md".into();
        let mut document = OpenDocument { path, version: 1, text, opening: 1, edit: 1 };
        let changes = [([0, 3, 0, 4], "x"), ([1, 0, 1, 1], "d\n"), ([9, 9, 9, 9], "end")];
        let changes = changes.map(|(range, text)| change(Some(range), text));
        document.change(changes.into(), ColumnUnit::Utf16);
        assert_eq!(document.text, "a😀x\r\nd\n\nend");
        document.change(vec![change(Some([1, 1, 0, 1]), "!")], ColumnUnit::Utf16);
        assert_eq!(document.text, "a😀x\r\nd!\n\nend", "a range that ends before it begins");
        document.change(vec![change(None, "all")], ColumnUnit::Utf8);
        assert_eq!(document.text, "all");
    }
}
