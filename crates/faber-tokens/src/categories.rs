//! General categories of Unicode 16, from `cargo xtask tokens`.

/// A byte per block of [`BLOCK`] code points, then the distinct blocks.
static TABLE: &[u8] = include_bytes!("../tables/categories.bin");
const BLOCK: usize = 256;
const BLOCKS: usize = 0x11_0000 / BLOCK;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Properties(u8);

impl Properties {
    pub(crate) fn of(c: char) -> Self {
        Self::of_code(c as usize)
    }

    fn of_code(code: usize) -> Self {
        let block = usize::from(TABLE[code / BLOCK]);
        Self(TABLE[BLOCKS + block * BLOCK + code % BLOCK])
    }

    pub(crate) fn category(self) -> CharCategory {
        CATEGORIES[usize::from(self.0 & 0x1f)]
    }

    pub(crate) fn is_alphabetic_mark(self) -> bool {
        self.0 & 0x20 != 0
    }

    pub(crate) fn is_combining(self) -> bool {
        self.0 & 0x40 != 0
    }
}

macro_rules! categories {
    ($($name:ident)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum CharCategory { $($name),* }

        const CATEGORIES: [CharCategory; 32] = {
            let named = [$(CharCategory::$name),*];
            let mut all = [CharCategory::Cn; 32];
            let mut at = 0;
            while at < named.len() {
                all[at] = named[at];
                at += 1;
            }
            all
        };
    };
}

categories! {
    Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co
}

impl CharCategory {
    pub(crate) fn is_letter(self) -> bool {
        use CharCategory::{Ll, Lm, Lo, Lt, Lu};
        matches!(self, Lu | Ll | Lt | Lm | Lo)
    }

    pub(crate) fn is_mark(self) -> bool {
        matches!(self, Self::Mn | Self::Mc | Self::Me)
    }

    pub(crate) fn is_punctuation(self) -> bool {
        use CharCategory::{Pc, Pd, Pe, Pf, Pi, Po, Ps};
        matches!(self, Pc | Pd | Ps | Pe | Pi | Pf | Po)
    }

    pub(crate) fn is_symbol(self) -> bool {
        matches!(self, Self::Sm | Self::Sc | Self::Sk | Self::So)
    }

    pub(crate) fn is_separator(self) -> bool {
        matches!(self, Self::Zs | Self::Zl | Self::Zp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_known_characters() {
        let known = [
            ('A', CharCategory::Lu),
            ('ß', CharCategory::Ll),
            ('ǅ', CharCategory::Lt),
            ('ʰ', CharCategory::Lm),
            ('漢', CharCategory::Lo),
            ('\u{301}', CharCategory::Mn),
            ('٣', CharCategory::Nd),
            ('Ⅷ', CharCategory::Nl),
            ('²', CharCategory::No),
            ('_', CharCategory::Pc),
            ('€', CharCategory::Sc),
            ('\u{3000}', CharCategory::Zs),
            ('\n', CharCategory::Cc),
            ('\u{200d}', CharCategory::Cf),
            ('\u{e000}', CharCategory::Co),
            ('\u{fdd0}', CharCategory::Cn),
            ('\u{10ffff}', CharCategory::Cn),
            ('\u{10fffd}', CharCategory::Co),
        ];
        for (c, category) in known {
            assert_eq!(Properties::of(c).category(), category, "{c:?}");
        }
        assert!(Properties::of('\u{301}').is_combining());
        assert!(!Properties::of('\u{301}').is_alphabetic_mark());
        assert!(Properties::of('\u{93f}').is_alphabetic_mark());
    }

    #[test]
    fn white_space_is_what_the_standard_library_says() {
        for c in '\0'..=char::MAX {
            let category = Properties::of(c).category();
            let white = category.is_separator() || matches!(c, '\t'..='\r' | '\u{85}');
            assert_eq!(white, c.is_whitespace(), "{c:?}");
        }
    }
}
