//! Finds base64, hexadecimal and escaped text in blocks of 16 letters and digits.

use super::{fold, window};
use crate::word_list::words;

const BLOCK: usize = 16;
/// Always covers a block.
const MIN_RUN: usize = 2 * BLOCK - 1;
/// Longer than SHA-512 digests.
const LONG: usize = 200;
const MIN_LINE: usize = 48;
pub(super) const MIN_ESCAPES: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) length: usize,
}

/// Branchless, for vectorization.
const fn is_digit(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let number = byte.wrapping_sub(b'0') < 10;
    letter as u8 + number as u8 + (byte == b'+') as u8 + (byte == b'/') as u8 != 0
}

pub(super) fn find(text: &str) -> Vec<Run> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut done = 0;
    for (number, block) in bytes.as_chunks::<BLOCK>().0.iter().enumerate() {
        if block.iter().fold(0, |count, &byte| count + u8::from(!is_digit(byte))) > 0 {
            continue;
        }
        let at = number * BLOCK;
        if at < done {
            continue;
        }
        let before = bytes[done..at].iter().rev().take_while(|&&byte| is_digit(byte)).count();
        let start = at - before;
        let (end, length) = extent(bytes, start);
        done = end;
        if length >= MIN_RUN {
            found.push(Run { start, end, length });
        }
    }
    found
}

fn extent(bytes: &[u8], start: usize) -> (usize, usize) {
    let (mut at, mut length) = (start, 0);
    loop {
        let line = bytes[at..].iter().take_while(|&&byte| is_digit(byte)).count();
        at += line;
        length += line;
        let blank =
            bytes[at..].iter().take(24).take_while(|byte| byte.is_ascii_whitespace()).count();
        let next =
            bytes[at + blank..].iter().take(MIN_LINE).take_while(|&&byte| is_digit(byte)).count();
        let breaks = memchr::memchr_iter(b'\n', &bytes[at..at + blank]).count();
        let goes_on = line >= MIN_LINE
            && breaks == 1
            && (next == MIN_LINE || (next > 0 && ends(bytes, at + blank)));
        if !goes_on {
            let padding = bytes[at..].iter().take(2).take_while(|&&byte| byte == b'=').count();
            return (at + padding, length);
        }
        at += blank;
    }
}

fn ends(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    let run =
        rest.iter().take(MIN_LINE).take_while(|&&byte| is_digit(byte) || byte == b'=').count();
    rest.get(run).is_none_or(|&byte| matches!(byte, b'\n' | b'\r'))
}

pub(super) fn classify(text: &str, run: &Run) -> Option<(&'static str, Option<String>)> {
    let Run { start, end, length } = *run;
    let run = &text[start..end];
    let share = |test: fn(&u8) -> bool| {
        run.as_bytes().iter().filter(|byte| test(byte)).count() * 100 / length
    };
    let upper = share(u8::is_ascii_uppercase);
    let lower = share(u8::is_ascii_lowercase);
    let digits = share(u8::is_ascii_digit);
    let hexadecimal =
        run.bytes().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace());
    let binary = length % 8 == 0 && run.bytes().all(|byte| matches!(byte, b'0' | b'1'));
    let base32 = lower == 0 && run.bytes().all(|byte| !matches!(byte, b'0' | b'1' | b'8' | b'9'));
    if !hexadecimal && !base32 && (upper == 0 || lower == 0) {
        return None;
    }
    let (encoding, bytes) = match (hexadecimal, base32) {
        _ if binary => ("binary digits", from_binary(run)),
        (true, _) => ("hexadecimal digits", from_hexadecimal(run)),
        (false, true) => ("base32", from_base32(run)),
        (false, false) => ("base64", from_base64(run)),
    };
    let decoded = readable(&bytes);
    let long = length >= LONG
        && if hexadecimal {
            digits >= 10 && upper + lower >= 5
        } else {
            upper >= 8 && lower >= 8 && digits >= 2
        };
    if (decoded.is_none() && !long) || is_known(text, start) {
        return None;
    }
    Some((encoding, decoded))
}

fn is_known(text: &str, start: usize) -> bool {
    const MEDIA: &[&str] = words!(
        "data:image/, data:font/, data:audio/, data:video/",
        "data:application/font, data:application/x-font",
    );
    let lead = window::before(text, start, 120);
    let is_media =
        |kind: &&str| lead.rfind(kind).is_some_and(|at| !lead[at..].contains([' ', '"', ')']));
    MEDIA.iter().any(is_media)
        || lead.contains("-----BEGIN")
        || ["AAAAB3", "AAAAC3", "AAAAE2"].iter().any(|key| text[start..].starts_with(key))
}

const MAX_DECODED: usize = 240;

pub(super) fn from_base64(run: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    packed(run.bytes().filter_map(value).take(MAX_DECODED), 6)
}

fn from_base32(run: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    };
    let digits: Vec<u8> = run.bytes().filter_map(value).take(MAX_DECODED).collect();
    packed(digits.chunks_exact(8).flatten().copied(), 5)
}

fn from_hexadecimal(run: &str) -> Vec<u8> {
    let value = |char: char| char.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    packed(run.chars().filter_map(value).take(MAX_DECODED), 4)
}

fn from_binary(run: &str) -> Vec<u8> {
    packed(run.bytes().map(|digit| digit & 1).take(8 * MAX_DECODED), 1)
}

fn packed(digits: impl Iterator<Item = u8>, bits: u32) -> Vec<u8> {
    let (mut bytes, mut buffer, mut filled) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        buffer = (buffer << bits) | u32::from(digit);
        filled += bits;
        if filled >= 8 {
            filled -= 8;
            bytes.push((buffer >> filled).to_le_bytes()[0]);
        }
    }
    bytes
}

fn readable(bytes: &[u8]) -> Option<String> {
    let printable =
        bytes.iter().filter(|&&byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r')).count();
    let spaces = memchr::memchr_iter(b' ', bytes).count();
    let text = printable * 100 >= bytes.len() * 97 && spaces >= 2;
    text.then(|| String::from_utf8_lossy(bytes).into_owned())
}

pub(super) fn active_data(text: &str, start: usize, end: usize) -> Option<usize> {
    const KINDS: &[&str] = words!(
        "text/html, text/javascript, text/vbscript",
        "application/javascript, application/x-javascript, application/ecmascript",
        "application/xhtml+xml, application/x-sh",
    );
    let rest = window::line_after(text, end, 80).to_ascii_lowercase();
    if text[start..end].ends_with("script:") {
        return Some(end - start);
    }
    let kind = KINDS.iter().find(|kind| rest.starts_with(**kind))?;
    rest[kind.len()..].starts_with([',', ';']).then_some(end - start + kind.len())
}

pub(super) fn is_readable(text: &str, at: usize) -> bool {
    let rest = window::line_after(text, at, 400);
    let Some((parameters, data)) = rest.split_once(',') else { return false };
    let is_hexadecimal =
        |part: &str| part.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    let is_plain = !parameters.contains("base64") && !data.split('%').skip(1).any(is_hexadecimal);
    is_plain || data.starts_with("${")
}

pub(super) struct Escapes {
    pub(super) end: usize,
    pub(super) count: usize,
    pub(super) text: String,
}

/// In URLs only ASCII letters and digits.
pub(super) fn escapes(text: &str, start: usize) -> Escapes {
    let is_address = text[start..].starts_with('%') && in_address(text, start);
    let (mut at, mut count, mut decoded) = (start, 0, Vec::new());
    while let Some((length, char)) = escape(window::after(text, at, 12)) {
        let byte = if length <= 4 { u8::try_from(u32::from(char)).ok() } else { None };
        at += length;
        count += usize::from(!is_address || char.is_ascii_alphanumeric());
        if decoded.len() < MAX_DECODED {
            match byte {
                Some(byte) => decoded.push(byte),
                None => decoded.extend(char.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
    }
    let text = String::from_utf8_lossy(&decoded).into_owned();
    Escapes { end: at.max(start + 1), count, text }
}

fn in_address(text: &str, at: usize) -> bool {
    let line = window::line_before(text, at, 1000);
    let word = line.rsplit([' ', '\t', '"', '\'', '`']).next().unwrap_or_default();
    let is_definition =
        || line.trim_start().starts_with('[') && line[..line.len() - word.len()].ends_with("]: ");
    word.contains("://") || word.contains("](") || is_definition()
}

fn escape(text: &str) -> Option<(usize, char)> {
    let digits = |from: usize, length: usize| {
        let digits = text.get(from..from + length)?;
        let value = u32::from_str_radix(digits, 16).ok()?;
        Some((from + length, char::from_u32(value)?))
    };
    if text.starts_with("\\x") {
        return digits(2, 2);
    }
    if text.starts_with("\\u") {
        return digits(2, 4);
    }
    if let Some(number) = text.strip_prefix('\\').and_then(|rest| rest.get(..3)) {
        let value = u32::from_str_radix(number, 8).ok()?;
        return Some((4, char::from_u32(value)?));
    }
    if text.starts_with('%') {
        return digits(1, 2);
    }
    let number = text.strip_prefix("&#")?;
    let (number, _) = number.split_once(';')?;
    Some((number.len() + 3, fold::numbered(number)?))
}
