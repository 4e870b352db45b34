//! Claude, whose tokenizers are not published: a port of [ctok](https://pypi.org/project/ctok/) 1.3 by
//! Sander Land, which reconstructs the counts of Anthropic's API from measurements.
//!
//! A text is normalized (`normalize`), written as a stream with markers for the borders and the case of
//! words (`stream`), and cut into as few pieces of a vocabulary as possible (`trie`).

mod case;
mod classes;
mod normalize;
mod stream;
mod trie;

use trie::Trie;

/// The models that share a tokenizer.
#[derive(Debug)]
pub(crate) struct Family {
    pieces: Trie,
    /// Tokens of a message with one text, beside those of the text.
    frame: usize,
    /// Curly quotes become straight.
    fold_quotes: bool,
    /// From how many characters on a word in capitals is written in lower case.
    caps: Option<usize>,
    /// The frame ends in the marker of the begin of a word.
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
/// Opus 4.7.
pub(crate) static CLAUDE_4_7: Family = Family {
    pieces: PIECES_4_7,
    frame: 11,
    fold_quotes: false,
    caps: None,
    frame_begins_word: true,
};
/// Opus 4.8, Sonnet 5 and what came after them.
pub(crate) static CLAUDE_4_8: Family = Family {
    pieces: PIECES_4_7,
    frame: 6,
    fold_quotes: false,
    caps: None,
    frame_begins_word: false,
};

impl Family {
    /// The tokens of lines within a longer text.
    pub(crate) fn count(&self, lines: &str) -> usize {
        let normal = normalize::normalize(lines, self.fold_quotes);
        self.pieces.tiles(&stream::stream(&normal, self.caps, false))
    }

    /// The tokens of a message with this text.
    pub(crate) fn count_message(&self, text: &str) -> usize {
        let normal = normalize::normalize(text, self.fold_quotes);
        let mut content = normal.trim_end_matches('\n');
        let breaks = normal.len() - content.len();
        // A space that was the first character is the one that the frame ends in.
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

    /// The tokens of line breaks at the end. The frame goes on with two more of them and pays for one token.
    fn breaks_at_end(&self, breaks: usize) -> usize {
        if breaks == 0 { 0 } else { self.pieces.tiles(&vec![b'\n'; breaks + 2]) - 1 }
    }
}
