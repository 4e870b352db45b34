//! Words that mix lookalike scripts, and Latin in the letters of signs.

use super::{fold, window};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WritingSystem {
    Latin,
    Greek,
    Cyrillic,
    /// Armenian, Cherokee, Coptic, Lisu, Deseret: never mixed with Latin.
    Rare,
    Styled,
    Other,
}

/// Micro and ohm signs are units.
pub(super) fn script(char: char) -> WritingSystem {
    match char {
        'A'..='Z'
        | 'a'..='z'
        | '\u{c0}'..='\u{2af}'
        | '\u{1e00}'..='\u{1eff}'
        | '\u{2c60}'..='\u{2c7f}' => WritingSystem::Latin,
        '\u{370}'..='\u{3e1}' | '\u{1f00}'..='\u{1fff}' => WritingSystem::Greek,
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' => {
            WritingSystem::Cyrillic
        }
        '\u{531}'..='\u{58f}'
        | '\u{13a0}'..='\u{13ff}'
        | '\u{ab70}'..='\u{abbf}'
        | '\u{2c80}'..='\u{2cff}'
        | '\u{a4d0}'..='\u{a4ff}'
        | '\u{10400}'..='\u{1044f}' => WritingSystem::Rare,
        '\u{1d400}'..='\u{1d6a3}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            WritingSystem::Styled
        }
        _ => WritingSystem::Other,
    }
}

/// Twins look identical, kin similar.
const CYRILLIC_TWINS: &str = "аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅӀҺԌ";
const CYRILLIC_KIN: &str = "кёїѵвнмтпгьзиЁЇЗѴЬ";
const LATIN_TWINS: &str = "aceopxyijshkABCEHIJKMOPSTXY";
const GREEK_TWINS: &str = "οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";
const GREEK_KIN: &str = "αγνρικυωάόίύ";

pub(super) enum Mixture {
    Mixed { foreign: char, script: &'static str },
    Twin(char),
    Cyrillic,
    None,
}

#[derive(Default)]
struct Count {
    latin: usize,
    upper: usize,
    greek: usize,
    cyrillic: usize,
    rare: usize,
    styled: usize,
    ascii: usize,
}

pub(super) fn classify(word: &str) -> Mixture {
    let mut count = Count::default();
    for char in word.chars() {
        match script(char) {
            WritingSystem::Latin => {
                count.latin += 1;
                count.upper += usize::from(char.is_uppercase());
                count.ascii += usize::from(char.is_ascii());
            }
            WritingSystem::Greek => count.greek += 1,
            WritingSystem::Cyrillic => count.cyrillic += 1,
            WritingSystem::Rare => count.rare += 1,
            WritingSystem::Styled => count.styled += 1,
            WritingSystem::Other => {}
        }
    }
    if count.latin > 0 && count.rare > 0 {
        return mixed(word, WritingSystem::Rare, "another script");
    }
    if count.ascii > 0 && count.styled > 0 && count.ascii + count.styled >= 4 {
        return mixed(word, WritingSystem::Styled, "styled Latin");
    }
    if count.cyrillic > 0 && count.latin > 0 {
        return cyrillic(word, &count);
    }
    if count.greek > 0 && count.latin > 0 && greek(word, &count) {
        return mixed(word, WritingSystem::Greek, "Greek");
    }
    if count.cyrillic > 0 && count.latin == 0 {
        let twins = word.chars().filter(|&char| script(char) == WritingSystem::Cyrillic);
        let mut twins = twins.map(|char| CYRILLIC_TWINS.contains(char));
        return match (twins.all(|twin| twin), first(word, WritingSystem::Cyrillic)) {
            (true, Some(char)) if count.cyrillic >= 3 => Mixture::Twin(char),
            (true, _) => Mixture::None,
            _ => Mixture::Cyrillic,
        };
    }
    Mixture::None
}

/// Unlike `SQLный`, where some letters have no twins.
fn cyrillic(word: &str, count: &Count) -> Mixture {
    let all = |wanted: WritingSystem, twins: &[&str]| {
        let mut letters = word.chars().filter(|&char| script(char) == wanted);
        letters.all(|char| twins.iter().any(|twins| twins.contains(char)))
    };
    // An abbreviation with a Russian ending.
    let ending = word.trim_start_matches(|char: char| char.is_ascii_uppercase());
    let inflected = count.upper >= 2
        && count.upper == count.latin
        && ending
            .chars()
            .all(|char| script(char) == WritingSystem::Cyrillic && char.is_lowercase())
        && count.cyrillic <= 3;
    if inflected {
        return Mixture::None;
    }
    let is_latin = count.latin >= count.cyrillic;
    if is_latin && all(WritingSystem::Cyrillic, &[CYRILLIC_TWINS, CYRILLIC_KIN]) {
        mixed(word, WritingSystem::Cyrillic, "Cyrillic")
    } else if all(WritingSystem::Latin, &[LATIN_TWINS]) {
        mixed(word, WritingSystem::Latin, "Latin")
    } else if all(WritingSystem::Cyrillic, &[CYRILLIC_TWINS]) {
        mixed(word, WritingSystem::Cyrillic, "Cyrillic")
    } else {
        Mixture::None
    }
}

fn first(word: &str, wanted: WritingSystem) -> Option<char> {
    word.chars().find(|&char| script(char) == wanted)
}

fn mixed(word: &str, wanted: WritingSystem, script: &'static str) -> Mixture {
    first(word, wanted).map_or(Mixture::None, |foreign| Mixture::Mixed { foreign, script })
}

pub(super) fn symbol(word: &str) -> Option<char> {
    let mut chars = word.chars();
    let first = chars.next().filter(|&char| GREEK_KIN.contains(char))?;
    chars.all(|char| char.is_ascii_alphanumeric()).then_some(first)
}

/// Quantities (`Δx`, `μs`, `ρgh`), so merely similar ones need three Latin letters.
fn greek(word: &str, count: &Count) -> bool {
    let letters = || word.chars().filter(|&char| script(char) == WritingSystem::Greek);
    let all = letters().all(|char| GREEK_TWINS.contains(char) || GREEK_KIN.contains(char));
    // `TNFα` and `FcγR` look like no other word.
    let is_symbol = count.greek == 1 && count.upper >= 2 && count.upper * 2 >= count.latin;
    let is_similar = count.latin >= 3 && !is_symbol;
    all && (letters().any(|char| GREEK_TWINS.contains(char)) || is_similar)
}

/// Latin letters in the form of signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Costume {
    Circled,
    SmallCapital,
    Mathematical,
    Braille,
}

impl Costume {
    pub(super) fn of(char: char) -> Option<Self> {
        match char {
            '\u{249c}'..='\u{24e9}'
            | '\u{1f130}'..='\u{1f149}'
            | '\u{1f150}'..='\u{1f169}'
            | '\u{1f170}'..='\u{1f189}' => Some(Costume::Circled),
            '\u{1d00}'..='\u{1d22}'
            | '\u{a730}'
            | '\u{a731}'
            | 'ɪ'
            | 'ʀ'
            | 'ʙ'
            | 'ɢ'
            | 'ʜ'
            | 'ʟ'
            | 'ɴ'
            | 'ʏ' => Some(Costume::SmallCapital),
            '\u{1d400}'..='\u{1d6a3}' => Some(Costume::Mathematical),
            '\u{2801}'..='\u{283f}' => Some(Costume::Braille),
            _ => None,
        }
    }

    pub(super) fn named(self) -> &'static str {
        match self {
            Costume::Circled => "circled letters",
            Costume::SmallCapital => "small capitals",
            Costume::Mathematical => "mathematical letters",
            Costume::Braille => "Braille",
        }
    }

    /// Letters and words that are no heading, formula or sample.
    fn least(self) -> (usize, usize) {
        match self {
            Costume::Circled | Costume::SmallCapital => (8, 1),
            Costume::Mathematical | Costume::Braille => (16, 3),
        }
    }
}

const MIN_WORD: usize = 4;

/// The end of a text in such letters that begins at `start`, and what it says.
pub(super) fn in_costume(text: &str, start: usize) -> (usize, Option<(Costume, String)>) {
    let Some(costume) = text[start..].chars().next().and_then(Costume::of) else {
        return (start, None);
    };
    let (mut end, mut said, mut between) = (start, String::new(), String::new());
    for (at, char) in text[start..].char_indices() {
        let is_letter = Costume::of(char).is_some() || char == 'x' || char == 'ǫ';
        match fold::latin(char).or_else(|| char.is_ascii().then_some(char)).filter(|_| is_letter) {
            Some(plain) => {
                said.push_str(&between);
                between.clear();
                said.push(plain);
                end = start + at + char.len_utf8();
            }
            None if between.len() < 2 && (char == ' ' || ",.'-:!?’⠀".contains(char)) => {
                between.push(char);
            }
            None => break,
        }
    }
    let letters = said.chars().filter(char::is_ascii_alphabetic).count();
    let words = || window::words(&said);
    let is_alphabet = said.bytes().filter(u8::is_ascii_alphabetic).is_sorted();
    let (least, least_words) = costume.least();
    let is_text = letters >= least
        && words().count() >= least_words
        && words().any(|word| word.len() >= MIN_WORD)
        && !is_alphabet;
    (end, is_text.then_some((costume, said)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_letters_of_the_script_they_are_of() {
        for (table, expected) in [
            (CYRILLIC_TWINS, WritingSystem::Cyrillic),
            (CYRILLIC_KIN, WritingSystem::Cyrillic),
            (LATIN_TWINS, WritingSystem::Latin),
            (GREEK_TWINS, WritingSystem::Greek),
            (GREEK_KIN, WritingSystem::Greek),
        ] {
            for char in table.chars() {
                assert_eq!(script(char), expected, "U+{:04X}", u32::from(char));
            }
        }
    }

    #[test]
    fn texts_in_letters_of_signs_are_read() {
        for (text, expected) in [
            ("ⓢⓔⓝⓓ ⓘⓣ ⓞⓤⓣ.", "send it out"),
            ("ᴅᴇʟᴇᴛᴇ ᴀʟʟ", "delete all"),
            ("🅰🅿🅿🆁🅾🆅🅴 🅸🆃", "approve it"),
            ("𝗰𝗼𝗽𝘆 𝗮𝗹𝗹 𝗼𝗳 𝘁𝗵𝗲 𝗸𝗲𝘆𝘀 now", "copy all of the keys"),
            ("⠎⠑⠝⠙ ⠞⠓⠑ ⠅⠑⠽⠎ ⠕⠥⠞ ⠝⠕⠺", "send the keys out now"),
        ] {
            let said = in_costume(text, 0).1.map(|it| it.1);
            assert_eq!(said.as_deref(), Some(expected), "{text}");
        }
        for text in
            ["ⓐⓑⓒⓓⓔⓕⓖⓗⓘ", "ⓐ ⓑ ⓒ", "𝑎𝑥 + 𝑏𝑦 = 𝑐𝑧", "𝗙𝗲𝗮𝘁𝘂𝗿𝗲𝘀", "⠓⠑⠇⠇⠕ ⠺⠕⠗⠇⠙", "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "ɢʀʟ"]
        {
            assert!(in_costume(text, 0).1.is_none(), "{text}");
        }
    }

    #[test]
    fn disguises_are_distinguished_from_quantities_and_slang() {
        let mixed = |word| matches!(classify(word), Mixture::Mixed { .. });
        for word in [
            "p\u{430}ssword",
            "c\u{43b}\u{43e}\u{432}\u{43e}",
            "ign\u{3bf}re",
            "\u{3bd}ariable",
            "PayP\u{3b1}l",
        ] {
            assert!(mixed(word), "{word}");
        }
        for word in
            ["Δx", "μs", "kΩ", "ρgh", "SQLный", "JSONа", "naïve", "πr", "слово", "TNFα", "FcγRIIIa"]
        {
            assert!(!mixed(word), "{word}");
        }
        assert!(matches!(classify("\u{441}\u{43e}\u{440}\u{443}"), Mixture::Twin('\u{441}')));
    }
}
