//! Plain equivalents of characters and character references.

use unicode_normalization::char::decompose_canonical;

const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("lrm", '\u{200e}'),
    ("rlm", '\u{200f}'),
    ("NoBreak", '\u{2060}'),
    ("ZeroWidthSpace", '\u{200b}'),
    ("NegativeThinSpace", '\u{200b}'),
    ("NegativeMediumSpace", '\u{200b}'),
    ("NegativeThickSpace", '\u{200b}'),
    ("NegativeVeryThinSpace", '\u{200b}'),
    ("af", '\u{2061}'),
    ("ApplyFunction", '\u{2061}'),
    ("it", '\u{2062}'),
    ("InvisibleTimes", '\u{2062}'),
    ("ic", '\u{2063}'),
    ("InvisibleComma", '\u{2063}'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("ast", '*'),
    ("lowbar", '_'),
    ("grave", '`'),
    ("num", '#'),
    ("excl", '!'),
    ("sol", '/'),
    ("lsqb", '['),
    ("rsqb", ']'),
];

pub(super) fn entity(text: &str) -> Option<(usize, char)> {
    let (name, _) = text.strip_prefix('&')?.split_once(';')?;
    let char = match name.strip_prefix('#') {
        Some(number) => numbered(number)?,
        None => NAMED.iter().find(|row| row.0 == name)?.1,
    };
    Some((name.len() + 2, char))
}

pub(super) fn numbered(number: &str) -> Option<char> {
    let value = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(value)
}

const DRAWN: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢɑɡıᵢⁿⁱℎℯℊℴℐℑℓℒℕℙℚℛℜℝℤℬℭℰℱℳℋℌℍℂ";
/// Equivalents of `DRAWN`.
const PLAIN: &str = "abcdefghijklmnopqrstuvwyzagiinihegoiillnpqrrrzbcefmhhhc";

/// The letters from a to z.
const BRAILLE: &str = "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵";

pub(super) fn latin(char: char) -> Option<char> {
    let code = u32::from(char);
    let letter = |first: char, at: u32| char::from_u32(u32::from(first) + at);
    match char {
        '\u{1d400}'..='\u{1d6a3}' => letter('a', (code - 0x1d400) % 26),
        '\u{1d7ce}'..='\u{1d7ff}' => letter('0', (code - 0x1d7ce) % 10),
        '\u{ff01}'..='\u{ff5e}' => letter('!', code - 0xff01),
        '\u{24b6}'..='\u{24e9}' => letter('a', (code - 0x24b6) % 26),
        '\u{249c}'..='\u{24b5}' => letter('a', code - 0x249c),
        '\u{1f130}'..='\u{1f149}' => letter('a', code - 0x1f130),
        '\u{1f150}'..='\u{1f169}' => letter('a', code - 0x1f150),
        '\u{1f170}'..='\u{1f189}' => letter('a', code - 0x1f170),
        '\u{1f1e6}'..='\u{1f1ff}' => letter('a', code - 0x1f1e6),
        '\u{2801}'..='\u{283f}' => {
            BRAILLE.chars().zip('a'..='z').find(|row| row.0 == char).map(|row| row.1)
        }
        '\u{131}'..='\u{2133}' | '\u{a730}'..='\u{a7ff}' => {
            DRAWN.chars().zip(PLAIN.chars()).find(|row| row.0 == char).map(|row| row.1)
        }
        _ => None,
    }
}

/// In lower case, without the accents of Latin letters.
pub(super) fn plain(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(unaccented).collect()
}

pub(super) fn unaccented(char: char) -> char {
    let is_latin = matches!(char, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    let mut first = None;
    if is_latin {
        decompose_canonical(char, |part| _ = first.get_or_insert(part));
    }
    first.unwrap_or(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguised_letters_are_found() {
        for (disguised, plain) in [
            ('\u{1d5ba}', 'a'),
            ('\u{ff49}', 'i'),
            ('\u{24d8}', 'i'),
            ('ɪ', 'i'),
            ('ℎ', 'h'),
            ('⠗', 'r'),
        ] {
            assert_eq!(latin(disguised), Some(plain), "{disguised}");
        }
        assert_eq!(DRAWN.chars().count(), PLAIN.len());
        for plain in ['ï', 'ж', '語', 'λ'] {
            assert_eq!(latin(plain), None, "{plain}");
        }
    }

    #[test]
    fn accents_are_dropped_from_latin_letters_only() {
        assert_eq!(plain("Usuário, RÉVÈLE, Łódź, người"), "usuario, revele, łodz, nguoi");
        assert_eq!(plain("Чтобы ё 사용자 का"), "чтобы ё 사용자 का");
    }

    #[test]
    fn references_are_read_by_name_and_by_number() {
        assert_eq!(entity("&#x49;x"), Some((6, 'I')));
        assert_eq!(entity("&#8203;"), Some((7, '\u{200b}')));
        assert_eq!(entity("&zwj;"), Some((5, '\u{200d}')));
        assert_eq!(entity("& b;"), None);
        assert_eq!(entity("&#x110000;"), None);
    }
}
