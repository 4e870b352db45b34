//! Counts tokens of large language models exactly, from static tables that need no loading.
//!
//! [`count_message`] counts a whole text, [`count`] a part of one. A table is used where it lies in the
//! program, so the first count costs as little as any other, and only the pages of memory that a text needs
//! are read. `cargo xtask tokens` writes the tables, in `tables/`, from published vocabularies; start reading
//! at `split` and `bpe`, for Claude at `claude`.

mod bpe;
mod categories;
mod claude;
mod hash;
mod split;
mod vocabulary;

use claude::Family;
use split::{Pattern, Pieces};
use vocabulary::Vocabulary;

/// A way to make tokens of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// `o200k_base` of OpenAI; `o200k_harmony` differs only in special tokens, which texts never have.
    O200kBase,
    /// `cl100k_base` of OpenAI.
    Cl100kBase,
    /// Claude 3 to Opus 4.6, reconstructed.
    Claude3,
    /// Claude Opus 4.7, reconstructed.
    Claude47,
    /// Claude Opus 4.8, Sonnet 5 and later, reconstructed.
    Claude48,
}

static O200K_BASE: Vocabulary = Vocabulary::new(include_bytes!("../tables/o200k_base.bin"));
static CL100K_BASE: Vocabulary = Vocabulary::new(include_bytes!("../tables/cl100k_base.bin"));

impl Encoding {
    /// Every name of an encoding; the first of an encoding is its own.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("o200k_base", Self::O200kBase),
        ("o200k_harmony", Self::O200kBase),
        ("cl100k_base", Self::Cl100kBase),
        ("claude_3", Self::Claude3),
        ("claude_4.7", Self::Claude47),
        ("claude_4.8", Self::Claude48),
    ];

    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// The name that settings and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
            Self::Claude3 => "claude_3",
            Self::Claude47 => "claude_4.7",
            Self::Claude48 => "claude_4.8",
        }
    }

    /// Whether the tokenizer is not published, and counts come from a reconstruction: they are right where
    /// they were measured, and need not be right for every text.
    pub fn is_reconstructed(self) -> bool {
        matches!(self.way(), Way::Tiles(_))
    }

    fn way(self) -> Way {
        match self {
            Self::O200kBase => Way::Merges(Pattern::O200k, &O200K_BASE),
            Self::Cl100kBase => Way::Merges(Pattern::Cl100k, &CL100K_BASE),
            Self::Claude3 => Way::Tiles(&claude::CLAUDE_3),
            Self::Claude47 => Way::Tiles(&claude::CLAUDE_4_7),
            Self::Claude48 => Way::Tiles(&claude::CLAUDE_4_8),
        }
    }
}

/// The number of tokens of `text`, equal to the reference implementation; for Claude as lines within a
/// message.
///
/// Special tokens such as `<|endoftext|>` are ordinary text here. Takes O(n log n) for n bytes, whatever
/// the text is.
///
/// Counts are additive at a seam between a text that ends in a line feed and one that begins with
/// neither white space nor `/`. In `o200k_base` punctuation, the line breaks after it and a `/`
/// after those are one piece, so `/` can change the count of the text before it.
pub fn count(encoding: Encoding, text: &str) -> usize {
    match encoding.way() {
        Way::Merges(pattern, vocabulary) => {
            Pieces::new(text, pattern).map(|piece| vocabulary.count(piece.as_bytes())).sum()
        }
        Way::Tiles(family) => family.count(text),
    }
}

/// The parts of `text` between its seams (see [`count`]): their counts add up to that of `text`. Of an encoding
/// whose counts do not add up anywhere, the text is one part.
pub fn parts(encoding: Encoding, text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_seam = |&end: &usize| {
            let next = rest[end..].chars().next();
            next.is_some_and(|next| next != '/' && !next.is_whitespace())
        };
        let mut ends = rest.match_indices('\n').map(|(at, _)| at + 1);
        let end = ends.find(|end| !encoding.is_reconstructed() && is_seam(end));
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// The number of tokens of `text` as the only message of a request. Claude's counts are those of the
/// reconstruction, which has the 6 to 11 tokens around a message; the others are those of [`count`].
pub fn count_message(encoding: Encoding, text: &str) -> usize {
    match encoding.way() {
        Way::Merges(..) => count(encoding, text),
        Way::Tiles(family) => family.count_message(text),
    }
}

/// How an encoding makes tokens.
#[derive(Clone, Copy)]
enum Way {
    Merges(Pattern, &'static Vocabulary),
    Tiles(&'static Family),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_encodings_and_back() {
        for (name, encoding) in Encoding::NAMES {
            assert_eq!(Encoding::from_name(name), Some(encoding));
            assert_eq!(Encoding::from_name(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::from_name("p50k_base"), None);
    }
}
