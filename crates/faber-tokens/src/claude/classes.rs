//! Listed characters were measured; no Unicode property covers them.

use crate::categories::{CharCategory, Properties};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunClass {
    Word,
    Stray,
    Digit,
    Punctuation,
    Space,
    /// Such as ideographs and emoji.
    Hard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HardKind {
    Punctuation,
    Number,
    Letter,
}

/// Of Unicode 15.
fn category(c: char) -> CharCategory {
    match c {
        '\u{a7cc}' | '\u{a7cd}' | '\u{a7da}'..='\u{a7dc}' => CharCategory::Cn,
        _ => Properties::of(c).category(),
    }
}

pub(super) fn is_unassigned(c: char) -> bool {
    category(c) == CharCategory::Cn
}

fn is_astral(c: char) -> bool {
    c >= '\u{10000}'
}

pub(super) fn class(c: char) -> RunClass {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' => RunClass::Word,
            '0'..='9' => RunClass::Digit,
            ' ' | '\t'..='\r' => RunClass::Space,
            '!'..='~' => RunClass::Punctuation,
            _ => RunClass::Hard,
        };
    }
    let category = category(c);
    match c {
        _ if category.is_separator() => RunClass::Space,
        // Runic golden numbers, Roman numerals, circled letters, Bamum number letters.
        '\u{16ee}'..='\u{16f0}'
        | '\u{2160}'..='\u{2188}'
        | '\u{24b6}'..='\u{24e9}'
        | '\u{a6e6}'..='\u{a6ef}' => RunClass::Word,
        '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}' => RunClass::Digit,
        '£' | '§' | '«' | '°' | '·' | '»' | '\u{f0d}' | '–' | '—' | '„' | '†' | '•' | '…' | '€'
        | '№' | '→' | '−' | '√' | '─' | '│' | '└' | '═' | '█' | '（' => {
            RunClass::Punctuation
        }
        _ if is_selector(c) => RunClass::Hard,
        _ if category.is_mark() => {
            if !is_astral(c) && Properties::of(c).is_alphabetic_mark() {
                RunClass::Word
            } else {
                RunClass::Hard
            }
        }
        _ if category.is_letter() && !is_hard_letter(c) => RunClass::Word,
        _ => RunClass::Hard,
    }
}

fn is_hard_letter(c: char) -> bool {
    is_astral(c)
        || matches!(c,
            '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}'
            | '\u{ac00}'..='\u{d7a3}' | '\u{3005}' | '\u{3006}' | '\u{3031}'..='\u{3035}'
            | '\u{303b}' | '\u{303c}')
}

pub(super) fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

fn is_separator(c: char) -> bool {
    let properties = Properties::of(c);
    !is_astral(c)
        && properties.category().is_mark()
        && !is_selector(c)
        && !properties.is_alphabetic_mark()
}

/// Unless after a letter. Excludes Syriac vowels.
pub(super) fn may_be_stray(c: char) -> bool {
    !matches!(c, '\u{711}' | '\u{730}'..='\u{73f}')
        && Properties::of(c).is_combining()
        && !is_separator(c)
}

pub(super) fn is_like_punctuation(c: char) -> bool {
    if is_astral(c) {
        return false;
    }
    let category = category(c);
    let ideographic = matches!(c, '\u{3001}'..='\u{303f}')
        && (category.is_punctuation()
            || matches!(
                c,
                '\u{3004}'
                    | '\u{3012}'
                    | '\u{3013}'
                    | '\u{3020}'
                    | '\u{3036}'
                    | '\u{3037}'
                    | '\u{303e}'
                    | '\u{303f}'
            ));
    let symbol = category.is_punctuation()
        || category.is_symbol()
        || matches!(category, CharCategory::Cf | CharCategory::Cn);
    is_separator(c) || (symbol && !ideographic)
}

pub(super) fn is_border_number(c: char) -> bool {
    let category = category(c);
    (category == CharCategory::No || (category == CharCategory::Nd && !c.is_ascii()))
        && !is_astral(c)
}

pub(super) fn is_number(run: &str) -> bool {
    let mut categories = run.chars().map(category);
    categories.next().is_some_and(|first| {
        matches!(first, CharCategory::Nd | CharCategory::No)
            && categories.all(|other| other == first)
    })
}

pub(super) fn kind(c: char) -> HardKind {
    if is_like_punctuation(c) {
        HardKind::Punctuation
    } else if is_border_number(c) {
        HardKind::Number
    } else {
        HardKind::Letter
    }
}

pub(super) fn is_letter_or_mark(c: char) -> bool {
    let category = category(c);
    category.is_letter() || category.is_mark()
}
