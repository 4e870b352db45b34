//! Scalars as YAML text on one line.

use std::fmt::Write;

use crate::yaml::{Scalar, ScalarKind};

const WORDS: [&str; 12] =
    ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan", "infinity"];

pub(super) fn scalar(scalar: &Scalar) -> String {
    match scalar.kind {
        ScalarKind::Null => "null".to_owned(),
        ScalarKind::Str => text(&scalar.text),
        ScalarKind::Bool(_) | ScalarKind::Int(_) | ScalarKind::Float(_) => scalar.text.clone(),
    }
}

pub fn text(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    let relative = text.strip_prefix('.').filter(|rest| rest.contains('/'));
    let begins =
        relative.unwrap_or(text).starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let part = |c: char| c.is_ascii_alphanumeric() || "_./-@+%^~ ".contains(c);
    begins
        && text.chars().all(part)
        && !text.ends_with(' ')
        && !WORDS.contains(&&*text.to_ascii_lowercase())
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' | '\n' | '\r' | '\t' => out.extend(char.escape_default()),
            _ if char.is_control() || is_unseen(char) => {
                let _ = match u32::from(char) {
                    code @ 0..=0xff => write!(out, "\\x{code:02x}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

fn is_unseen(char: char) -> bool {
    matches!(char,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}'
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_obvious_text_goes_without_quotes() {
        for plain in ["acme", "roles/a-b.md", ".faber/overlays", "/x/y", "two words", "a@b"] {
            assert_eq!(text(plain), plain);
        }
        for quoted in
            ["", "a ", " a", "a: b", "a #b", "No", "1.10", "60%", "~", ".inf", "- a", "<<"]
        {
            assert_eq!(text(quoted), format!("\"{quoted}\""));
        }
        assert_eq!(
            text("ü\n\u{85}\u{202e}\"\\\u{e0041}"),
            "\"ü\\n\\x85\\u202e\\\"\\\\\\U000e0041\""
        );
    }
}
