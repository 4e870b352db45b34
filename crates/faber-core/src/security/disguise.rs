//! Lines that a reader passes over and a model understands.

/// How a line can be written so that a reader passes over it and a model does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disguise {
    /// Each letter is the thirteenth after the one that is meant.
    Rotated,
    /// It is written from its end.
    Reversed,
    /// There is a blank behind each letter.
    Spaced,
}

/// Words of which phrases consist, in disguise.
pub(super) const DISGUISED: &[(&str, Disguise)] = &[
    ("vafgehpgvba", Disguise::Rotated),
    ("cerivbhf", Disguise::Rotated),
    ("snoitcurtsni", Disguise::Reversed),
    ("suoiverp", Disguise::Reversed),
    ("i n s t r u c t", Disguise::Spaced),
    ("p r e v i o u s", Disguise::Spaced),
];

/// What a line in disguise says.
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
            // Two blanks or more stand between words.
            let words = line.split("  ").filter(|word| !word.trim().is_empty());
            words.map(|word| word.replace(' ', "")).collect::<Vec<_>>().join(" ")
        }
    }
}
