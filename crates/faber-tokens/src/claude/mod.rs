//! Claude's unpublished tokenizers: a port of [ctok](https://pypi.org/project/ctok/) 1.3 by Sander
//! Land. Text is normalized (`normalize`), marked with word borders and case (`stream`), and
//! divided into as few pieces as possible (`trie`).

mod case;
mod classes;
mod normalize;
mod stream;
mod trie;

use trie::Trie;

#[derive(Debug)]
pub(crate) struct Family {
    pieces: Trie,
    frame: usize,
    fold_quotes: bool,
    /// Minimum length of uppercase words to lowercase.
    caps: Option<usize>,
    frame_begins_word: bool,
}

static PIECES_3: Trie = Trie::new(include_bytes!("../../tables/claude_3.bin"));
static PIECES_4_7: Trie = Trie::new(include_bytes!("../../tables/claude_4_7.bin"));

/// Claude 3 to Opus 4.6.
pub(crate) static CLAUDE_3: Family = Family {
    pieces: PIECES_3,
    frame: 7,
    fold_quotes: true,
    caps: Some(4),
    frame_begins_word: true,
};
pub(crate) static CLAUDE_4_7: Family = Family {
    pieces: PIECES_4_7,
    frame: 11,
    fold_quotes: false,
    caps: None,
    frame_begins_word: true,
};
/// Opus 4.8, Sonnet 5 and later.
pub(crate) static CLAUDE_4_8: Family = Family {
    pieces: PIECES_4_7,
    frame: 6,
    fold_quotes: false,
    caps: None,
    frame_begins_word: false,
};

impl Family {
    pub(crate) fn count(&self, lines: &str) -> usize {
        let normal = normalize::normalize(lines, self.fold_quotes);
        self.pieces.tiles(&stream::stream(&normal, self.caps, false))
    }

    pub(crate) fn count_message(&self, text: &str) -> usize {
        let normal = normalize::normalize(text, self.fold_quotes);
        let mut content = normal.trim_end_matches('\n');
        let breaks = normal.len() - content.len();
        if self.frame_begins_word
            && text.starts_with(' ')
            && let Some(rest) = content.strip_prefix(' ')
            && !rest.starts_with(' ')
        {
            content = rest;
        }
        let stream = stream::stream(content, self.caps, self.frame_begins_word);
        self.frame + self.pieces.tiles(&stream) + self.breaks_at_end(breaks)
    }

    /// The frame adds two more, and includes one token for them.
    fn breaks_at_end(&self, breaks: usize) -> usize {
        if breaks == 0 { 0 } else { self.pieces.tiles(&vec![b'\n'; breaks + 2]) - 1 }
    }
}
