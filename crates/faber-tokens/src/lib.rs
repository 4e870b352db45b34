//! Counts tokens: [`count_message`] of a whole text, [`count`] of a part. Start at `split`, for
//! Claude at `claude`.

mod bpe;
mod categories;
mod claude;
mod hash;
mod split;
mod vocabulary;

use claude::Family;
use split::{Pattern, Pieces};
use vocabulary::Vocabulary;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// `o200k_harmony` differs only in special tokens.
    O200kBase,
    Cl100kBase,
    /// Claude 3 to Opus 4.6.
    Claude3,
    Claude47,
    Claude48,
}

static O200K_BASE: Vocabulary = Vocabulary::new(include_bytes!("../tables/o200k_base.bin"));
static CL100K_BASE: Vocabulary = Vocabulary::new(include_bytes!("../tables/cl100k_base.bin"));

impl Encoding {
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

    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
            Self::Claude3 => "claude_3",
            Self::Claude47 => "claude_4.7",
            Self::Claude48 => "claude_4.8",
        }
    }

    /// Of unpublished tokenizers; counts may be wrong.
    pub fn is_reconstructed(self) -> bool {
        matches!(self.tokenizer(), TokenizerKind::Tiles(_))
    }

    fn tokenizer(self) -> TokenizerKind {
        match self {
            Self::O200kBase => TokenizerKind::Merges(Pattern::O200k, &O200K_BASE),
            Self::Cl100kBase => TokenizerKind::Merges(Pattern::Cl100k, &CL100K_BASE),
            Self::Claude3 => TokenizerKind::Tiles(&claude::CLAUDE_3),
            Self::Claude47 => TokenizerKind::Tiles(&claude::CLAUDE_4_7),
            Self::Claude48 => TokenizerKind::Tiles(&claude::CLAUDE_4_8),
        }
    }
}

/// For Claude, of lines within a message. Special tokens such as `<|endoftext|>` are ordinary text.
/// O(n log n) in bytes.
///
/// Counts add up if one text ends with a line feed, and the next does not begin with white space
/// or `/`.
pub fn count(encoding: Encoding, text: &str) -> usize {
    match encoding.tokenizer() {
        TokenizerKind::Merges(pattern, vocabulary) => {
            Pieces::new(text, pattern).map(|piece| vocabulary.count(piece.as_bytes())).sum()
        }
        TokenizerKind::Tiles(family) => family.count(text),
    }
}

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

/// For Claude with the 6 to 11 tokens around a message.
pub fn count_message(encoding: Encoding, text: &str) -> usize {
    match encoding.tokenizer() {
        TokenizerKind::Merges(..) => count(encoding, text),
        TokenizerKind::Tiles(family) => family.count_message(text),
    }
}

#[derive(Clone, Copy)]
enum TokenizerKind {
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
