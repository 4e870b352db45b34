//! Properties of characters.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharKind {
    Ordinary,
    Bidi,
    Mark,
    ZeroWidth,
    Tag,
    Selector,
    Invisible,
    Control,
    Private,
}

pub(crate) fn hides(char: char) -> bool {
    !matches!(kind(char), CharKind::Ordinary | CharKind::Selector | CharKind::Private)
}

pub(crate) fn kind(char: char) -> CharKind {
    match char {
        '\t' | '\n' | '\r' | '\x0c' => CharKind::Ordinary,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => CharKind::Control,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => CharKind::Bidi,
        '\u{200e}' | '\u{200f}' | '\u{61c}' => CharKind::Mark,
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => CharKind::ZeroWidth,
        '\u{e0000}'..='\u{e007f}' => CharKind::Tag,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => CharKind::Selector,
        _ if is_invisible(char) => CharKind::Invisible,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10fffd}' => CharKind::Private,
        _ => CharKind::Ordinary,
    }
}

fn is_invisible(char: char) -> bool {
    u32::from(char) & 0xfffe == 0xfffe
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{2028}' | '\u{2029}' | '\u{2061}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

const NAMES: &[(char, &str)] = &[
    ('\0', "NULL"),
    ('\x07', "BELL"),
    ('\x08', "BACKSPACE"),
    ('\x0b', "LINE TABULATION"),
    ('\r', "CARRIAGE RETURN"),
    ('\x1b', "ESCAPE"),
    ('\x7f', "DELETE"),
    ('\u{85}', "NEXT LINE"),
    ('\u{9b}', "CONTROL SEQUENCE INTRODUCER"),
    ('\u{ad}', "SOFT HYPHEN"),
    ('\u{34f}', "COMBINING GRAPHEME JOINER"),
    ('\u{61c}', "ARABIC LETTER MARK"),
    ('\u{115f}', "HANGUL CHOSEONG FILLER"),
    ('\u{1160}', "HANGUL JUNGSEONG FILLER"),
    ('\u{180e}', "MONGOLIAN VOWEL SEPARATOR"),
    ('\u{200b}', "ZERO WIDTH SPACE"),
    ('\u{200c}', "ZERO WIDTH NON-JOINER"),
    ('\u{200d}', "ZERO WIDTH JOINER"),
    ('\u{200e}', "LEFT-TO-RIGHT MARK"),
    ('\u{200f}', "RIGHT-TO-LEFT MARK"),
    ('\u{2028}', "LINE SEPARATOR"),
    ('\u{2029}', "PARAGRAPH SEPARATOR"),
    ('\u{202a}', "LEFT-TO-RIGHT EMBEDDING"),
    ('\u{202b}', "RIGHT-TO-LEFT EMBEDDING"),
    ('\u{202c}', "POP DIRECTIONAL FORMATTING"),
    ('\u{202d}', "LEFT-TO-RIGHT OVERRIDE"),
    ('\u{202e}', "RIGHT-TO-LEFT OVERRIDE"),
    ('\u{2060}', "WORD JOINER"),
    ('\u{2061}', "FUNCTION APPLICATION"),
    ('\u{2062}', "INVISIBLE TIMES"),
    ('\u{2063}', "INVISIBLE SEPARATOR"),
    ('\u{2064}', "INVISIBLE PLUS"),
    ('\u{2066}', "LEFT-TO-RIGHT ISOLATE"),
    ('\u{2067}', "RIGHT-TO-LEFT ISOLATE"),
    ('\u{2068}', "FIRST STRONG ISOLATE"),
    ('\u{2069}', "POP DIRECTIONAL ISOLATE"),
    ('\u{2800}', "BRAILLE PATTERN BLANK"),
    ('\u{3164}', "HANGUL FILLER"),
    ('\u{feff}', "ZERO WIDTH NO-BREAK SPACE"),
    ('\u{ffa0}', "HALFWIDTH HANGUL FILLER"),
    ('\u{fff9}', "INTERLINEAR ANNOTATION ANCHOR"),
    ('\u{fffa}', "INTERLINEAR ANNOTATION SEPARATOR"),
    ('\u{fffb}', "INTERLINEAR ANNOTATION TERMINATOR"),
    ('\u{fffc}', "OBJECT REPLACEMENT CHARACTER"),
    ('\u{e0001}', "LANGUAGE TAG"),
    ('\u{e007f}', "CANCEL TAG"),
];

pub(crate) fn name(char: char) -> String {
    let code = u32::from(char);
    if let Ok(at) = NAMES.binary_search_by_key(&char, |row| row.0) {
        return format!("U+{code:04X} {}", NAMES[at].1);
    }
    match (kind(char), hidden_byte(char)) {
        (CharKind::Selector, Some(byte)) => {
            format!("U+{code:04X} VARIATION SELECTOR-{}", u32::from(byte) + 1)
        }
        (CharKind::Tag, Some(byte)) if byte.is_ascii_alphanumeric() => {
            format!("U+{code:04X} TAG {}", char::from(byte))
        }
        (CharKind::Tag, _) => format!("U+{code:04X} TAG"),
        (CharKind::Control, _) => format!("U+{code:04X} CONTROL"),
        (CharKind::Private, _) => format!("U+{code:04X} PRIVATE USE"),
        _ => format!("U+{code:04X}"),
    }
}

pub(crate) fn hidden_byte(char: char) -> Option<u8> {
    let code = u32::from(char);
    let byte = match char {
        '\u{e0020}'..='\u{e007e}' => code - 0xe0000,
        '\u{fe00}'..='\u{fe0f}' => code - 0xfe00,
        '\u{e0100}'..='\u{e01ef}' => code - 0xe0100 + 16,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

pub(crate) fn is_emoji(char: char) -> bool {
    matches!(char,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Arabic, Indic scripts, Mongolian.
pub(crate) fn joins(char: char) -> bool {
    matches!(char,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}'
        | '\u{1780}'..='\u{18af}' | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{abff}'
        | '\u{fb50}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10a00}'..='\u{10aff}' | '\u{10d00}'..='\u{11fff}' | '\u{1e900}'..='\u{1eeff}')
}

/// Thai, Lao and others.
pub(crate) fn lacks_spaces(char: char) -> bool {
    matches!(char,
        '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{1aaf}'
        | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}')
}

pub(crate) fn is_right_to_left(char: char) -> bool {
    matches!(char,
        '\u{590}'..='\u{61b}' | '\u{61d}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdcf}'
        | '\u{fdf0}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1eeff}')
}

/// Emoji selectors after symbols, registered ones after ideographs.
pub(crate) fn can_vary(char: char, selector: char) -> bool {
    let ideograph = matches!(char,
        '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}');
    match selector {
        '\u{e0100}'..='\u{e011f}' => ideograph,
        '\u{e0120}'..='\u{e01ef}' => false,
        _ if matches!(char, '#' | '*' | '0'..='9') => true,
        _ if char.is_ascii() || kind(char) != CharKind::Ordinary || char.is_whitespace() => false,
        '\u{fe0e}' | '\u{fe0f}' => !char.is_alphabetic() || char > '\u{530}',
        _ => char < '\u{1f000}' && (!char.is_alphabetic() || char > '\u{530}'),
    }
}

pub(crate) fn is_combining(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_say_what_is_hidden() {
        assert!(NAMES.is_sorted_by_key(|row| row.0));
        assert_eq!(name('\u{202e}'), "U+202E RIGHT-TO-LEFT OVERRIDE");
        assert_eq!(name('\u{fe0f}'), "U+FE0F VARIATION SELECTOR-16");
        assert_eq!(name('\u{e0100}'), "U+E0100 VARIATION SELECTOR-17");
        assert_eq!(name('\u{e0061}'), "U+E0061 TAG a");
        assert_eq!(name('\u{1}'), "U+0001 CONTROL");
    }

    #[test]
    fn selectors_carry_every_byte_once() {
        let all = ('\u{fe00}'..='\u{fe0f}').chain('\u{e0100}'..='\u{e01ef}');
        let bytes: Vec<_> = all.map(hidden_byte).collect();
        let expected: Vec<_> = (0..=255).map(Some).collect();
        assert_eq!(bytes, expected);
    }
}
