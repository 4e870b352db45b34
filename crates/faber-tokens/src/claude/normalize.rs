//! NFC, folding of spaces and quotes, removal of control characters.

use std::borrow::Cow;

use super::classes::is_unassigned;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// In Thai, NIKHAHIT and SARA AA become SARA AM.
const NIKHAHIT: char = '\u{e4d}';
const SARA_AA: char = '\u{e32}';
const SARA_AM: char = '\u{e33}';

pub(super) fn normalize(text: &str, fold_quotes: bool) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        fold(text.chars(), fold_quotes, &mut out);
    } else {
        fold(nfc(text), fold_quotes, &mut out);
    }
    Cow::Owned(out)
}

/// Keeps characters unassigned in the Unicode version of `classes`.
fn nfc(text: &str) -> impl Iterator<Item = char> {
    text.split_inclusive(is_unassigned).flat_map(|part| {
        let known = part.trim_end_matches(is_unassigned);
        known.nfc().chain(part[known.len()..].chars())
    })
}

fn fold(text: impl Iterator<Item = char>, fold_quotes: bool, out: &mut String) {
    // Private-use characters are dropped after composing SARA AM, controls before.
    let mut after_nikhahit = false;
    for c in text {
        let is_nikhahit = c == NIKHAHIT;
        let folded = match c {
            '\t' | '\n' => c,
            '\0' => ' ',
            c if c.is_control() => continue,
            SARA_AA if after_nikhahit => {
                out.pop();
                SARA_AM
            }
            '\u{e000}'..='\u{f8ff}' => {
                after_nikhahit = false;
                continue;
            }
            '\u{2018}' | '\u{2019}' if fold_quotes => '\'',
            '\u{201c}' | '\u{201d}' if fold_quotes => '"',
            '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}' => ' ',
            c => c,
        };
        out.push(folded);
        after_nikhahit = is_nikhahit;
    }
}
