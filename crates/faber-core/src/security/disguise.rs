//! Disguised lines, which a model understands and a reader overlooks.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disguise {
    /// ROT13.
    Rotated,
    /// Written backwards.
    Reversed,
    /// A space after each letter.
    Spaced,
}

/// Disguised words of injection phrases.
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
            // Words are at least two spaces apart.
            let words = line.split("  ").filter(|word| !word.trim().is_empty());
            words.map(|word| word.replace(' ', "")).collect::<Vec<_>>().join(" ")
        }
    }
}
