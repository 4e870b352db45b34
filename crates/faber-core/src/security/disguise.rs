//! Disguised text that models understand.

use crate::word_list::words;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disguise {
    /// ROT13.
    Rotated,
    Reversed,
    Spaced,
}

pub(super) const DISGUISED: &[(&[&str], Disguise)] = &[
    (
        words!("vafgehpg, cerivbhf, rneyvre, qverpgvir, thvqryvar, qvfertneq, vtaber"),
        Disguise::Rotated,
    ),
    (
        words!("tcurtsni, suoiverp, reilrae, evitcerid, enilediug, dragersid, erongi"),
        Disguise::Reversed,
    ),
    (
        words!(
            "i n s t r u c t, p r e v i o u s, e a r l i e r, d i r e c t i v e",
            "g u i d e l i n e, d i s r e g a r d, i g n o r e",
        ),
        Disguise::Spaced,
    ),
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
