//! Disguised text that models understand.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disguise {
    /// ROT13.
    Rotated,
    Reversed,
    /// A space after each letter.
    Spaced,
}

/// Words of phrases that override a prompt, in each disguise.
pub(super) const DISGUISED: &[(&str, Disguise)] = &[
    ("vafgehpg", Disguise::Rotated),
    ("cerivbhf", Disguise::Rotated),
    ("rneyvre", Disguise::Rotated),
    ("qverpgvir", Disguise::Rotated),
    ("thvqryvar", Disguise::Rotated),
    ("qvfertneq", Disguise::Rotated),
    ("vtaber", Disguise::Rotated),
    ("tcurtsni", Disguise::Reversed),
    ("suoiverp", Disguise::Reversed),
    ("reilrae", Disguise::Reversed),
    ("evitcerid", Disguise::Reversed),
    ("enilediug", Disguise::Reversed),
    ("dragersid", Disguise::Reversed),
    ("erongi", Disguise::Reversed),
    ("i n s t r u c t", Disguise::Spaced),
    ("p r e v i o u s", Disguise::Spaced),
    ("e a r l i e r", Disguise::Spaced),
    ("d i r e c t i v e", Disguise::Spaced),
    ("g u i d e l i n e", Disguise::Spaced),
    ("d i s r e g a r d", Disguise::Spaced),
    ("i g n o r e", Disguise::Spaced),
];

pub(super) fn undisguised(line: &str, disguise: Disguise) -> String {
    let rotate = |char: char| {
        let from = |first: u8| char::from((char as u8 - first + 13) % 26 + first);
        match char {
            'a'..='z' => from(b'a'),
            'A'..='Z' => from(b'A'),
            _ => char,
        }
    };
    match disguise {
        Disguise::Rotated => line.chars().map(rotate).collect(),
        Disguise::Reversed => line.chars().rev().collect(),
        Disguise::Spaced => {
            let words = line.split("  ").filter(|word| !word.trim().is_empty());
            words.map(|word| word.replace(' ', "")).collect::<Vec<_>>().join(" ")
        }
    }
}
