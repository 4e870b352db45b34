//! Disguised text that models understand.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disguise {
    /// ROT13.
    Rotated,
    Reversed,
    /// A space after each letter.
    Spaced,
}

pub(super) const DISGUISED: &[(&str, Disguise)] = &[
    ("vafgehpgvba", Disguise::Rotated),
    ("cerivbhf", Disguise::Rotated),
    ("snoitcurtsni", Disguise::Reversed),
    ("suoiverp", Disguise::Reversed),
    ("i n s t r u c t", Disguise::Spaced),
    ("p r e v i o u s", Disguise::Spaced),
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
