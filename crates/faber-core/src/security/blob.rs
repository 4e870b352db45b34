//! Text that is encoded so that people do not read it.
//!
//! Words are short. So it is enough to ask of blocks of sixteen bytes whether they consist of letters
//! and digits: a run of twice that length covers one.

use super::window;

/// How many bytes are looked at together.
const BLOCK: usize = 16;
/// The shortest run that is certain to cover a block.
const SHORTEST: usize = 2 * BLOCK - 1;
/// The shortest run that is reported although it says nothing: longer than a digest of 512 bits.
const LONG: usize = 200;
/// The shortest line of a run that goes on in the next line.
const LINE: usize = 48;
/// So many characters in a row that are written as numbers are no accident.
pub(super) const MANY_ESCAPES: usize = 12;

/// A long run of letters and digits; it may go on over lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Byte offset of its first byte.
    pub(super) start: usize,
    /// Byte offset behind its last byte.
    pub(super) end: usize,
    /// Its characters, line breaks aside.
    length: usize,
}

/// A run that is encoded text.
#[derive(Debug)]
pub(super) struct Blob {
    /// Byte offset of its first byte.
    pub(super) start: usize,
    /// Byte offset behind its last byte.
    pub(super) end: usize,
    /// Its characters, line breaks aside.
    pub(super) length: usize,
    pub(super) encoding: &'static str,
    /// What it says, when that is text.
    pub(super) decoded: Option<String>,
}

/// Whether a byte can be one of base64 or of hexadecimal digits.
///
/// Without branches, so that the compiler asks it of many bytes at once.
const fn is_digit(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let number = byte.wrapping_sub(b'0') < 10;
    letter as u8 + number as u8 + (byte == b'+') as u8 + (byte == b'/') as u8 != 0
}

/// Finds the long runs of letters and digits of `text`, in order.
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
        if length >= SHORTEST {
            found.push(Run { start, end, length });
        }
    }
    found
}

/// Where the run that begins at `start` ends, and how many characters it has without breaks.
fn extent(bytes: &[u8], start: usize) -> (usize, usize) {
    let (mut at, mut length) = (start, 0);
    loop {
        let line = bytes[at..].iter().take_while(|&&byte| is_digit(byte)).count();
        at += line;
        length += line;
        let blank =
            bytes[at..].iter().take(24).take_while(|byte| byte.is_ascii_whitespace()).count();
        let next =
            bytes[at + blank..].iter().take(LINE).take_while(|&&byte| is_digit(byte)).count();
        let breaks = memchr::memchr_iter(b'\n', &bytes[at..at + blank]).count();
        // The last line may be short, and words that follow have no such lines before them.
        let goes_on =
            line >= LINE && breaks == 1 && (next == LINE || (next > 0 && ends(bytes, at + blank)));
        if !goes_on {
            let padding = bytes[at..].iter().take(2).take_while(|&&byte| byte == b'=').count();
            return (at + padding, length);
        }
        at += blank;
    }
}

/// Whether the run that begins at `at` is all that its line has.
fn ends(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    let run = rest.iter().take(LINE).take_while(|&&byte| is_digit(byte) || byte == b'=').count();
    rest.get(run).is_none_or(|&byte| matches!(byte, b'\n' | b'\r'))
}

/// What a run says, if it is encoded text and nothing that is known to be harmless.
pub(super) fn judge(text: &str, run: &Run) -> Option<Blob> {
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
    let base32 = lower == 0 && run.bytes().all(|byte| !matches!(byte, b'0' | b'1' | b'8' | b'9'));
    if !hexadecimal && !base32 && (upper == 0 || lower == 0) {
        return None;
    }
    let bytes = if hexadecimal {
        from_hexadecimal(run)
    } else if base32 {
        from_base32(run)
    } else {
        from_base64(run)
    };
    let decoded = readable(&bytes);
    let long = length >= LONG
        && if hexadecimal {
            digits >= 10 && upper + lower >= 5
        } else {
            upper >= 8 && lower >= 8 && digits >= 2
        };
    let encoding = match (hexadecimal, base32) {
        (true, _) => "hexadecimal digits",
        (false, true) => "base32",
        (false, false) => "base64",
    };
    if (decoded.is_none() && !long) || is_known(text, start) {
        return None;
    }
    Some(Blob { start, end, length, encoding, decoded })
}

/// Whether the run at `start` is an image, a font, a certificate or a public key.
fn is_known(text: &str, start: usize) -> bool {
    let lead = window::before(text, start, 120);
    let media = [
        "data:image/",
        "data:font/",
        "data:audio/",
        "data:video/",
        "data:application/font",
        "data:application/x-font",
    ];
    let image =
        |kind: &&str| lead.rfind(kind).is_some_and(|at| !lead[at..].contains([' ', '"', ')']));
    media.iter().any(image)
        || lead.contains("-----BEGIN")
        || ["AAAAB3", "AAAAC3", "AAAAE2"].iter().any(|key| text[start..].starts_with(key))
}

/// How many bytes of a run are decoded.
const DECODED: usize = 240;

/// What base64 stands for; other characters are passed over.
pub(super) fn from_base64(run: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = run.bytes().filter_map(value).take(DECODED).collect();
    let mut out = Vec::new();
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for at in 0..4 {
            bits = (bits << 6) | u32::from(group.get(at).copied().unwrap_or(0));
        }
        let bytes = bits.to_be_bytes();
        out.extend(&bytes[1..group.len().max(1)]);
    }
    out
}

/// What base32 stands for; other characters are passed over.
fn from_base32(run: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    };
    let digits: Vec<u8> = run.bytes().filter_map(value).take(DECODED).collect();
    let groups = digits.chunks_exact(8).map(|group| {
        group.iter().fold(0u64, |bits, &digit| (bits << 5) | u64::from(digit)).to_be_bytes()
    });
    groups.flat_map(|bytes| bytes[3..].to_vec()).collect()
}

fn from_hexadecimal(run: &str) -> Vec<u8> {
    let value = |char: char| char.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits: Vec<u8> = run.chars().filter_map(value).take(DECODED).collect();
    digits.chunks_exact(2).map(|pair| (pair[0] << 4) | pair[1]).collect()
}

/// The text that `bytes` are, when they are words with spaces between.
fn readable(bytes: &[u8]) -> Option<String> {
    let printable =
        bytes.iter().filter(|&&byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r')).count();
    let spaces = memchr::memchr_iter(b' ', bytes).count();
    let text = printable * 100 >= bytes.len() * 97 && spaces >= 2;
    text.then(|| String::from_utf8_lossy(bytes).into_owned())
}

/// How long the beginning of the `data:` or `javascript:` address at `start..end` is, when it carries a program or a
/// page.
pub(super) fn active_data(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = window::line_after(text, end, 80).to_ascii_lowercase();
    if text[start..end].ends_with("script:") {
        return Some(end - start);
    }
    let kinds = [
        "text/html",
        "text/javascript",
        "application/javascript",
        "application/x-javascript",
        "application/xhtml+xml",
        "application/x-sh",
        "text/vbscript",
        "application/ecmascript",
    ];
    let kind = kinds.iter().find(|kind| rest.starts_with(**kind))?;
    rest[kind.len()..].starts_with([',', ';']).then_some(end - start + kind.len())
}

/// Characters in a row that are written as numbers.
pub(super) struct Escapes {
    /// Byte offset behind the last of them.
    pub(super) end: usize,
    /// How many escapes there are that nothing demands.
    pub(super) count: usize,
    /// The first of them as text.
    pub(super) said: String,
}

/// The run of characters from `start` on that are written as numbers: `\x41`, `\u0041`, `\101`, `&#65;`,
/// `%41`. URLs must write everything but ASCII like this, so of theirs only letters and digits of ASCII count.
pub(super) fn escapes(text: &str, start: usize) -> Escapes {
    let is_address = text[start..].starts_with('%') && in_address(text, start);
    let (mut at, mut count, mut said) = (start, 0, Vec::new());
    while let Some((length, char)) = escape(window::after(text, at, 12)) {
        // What has two digits is a byte of UTF-8.
        let byte = if length <= 4 { u8::try_from(u32::from(char)).ok() } else { None };
        at += length;
        count += usize::from(!is_address || char.is_ascii_alphanumeric());
        if said.len() < DECODED {
            match byte {
                Some(byte) => said.push(byte),
                None => said.extend(char.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
    }
    let said = String::from_utf8_lossy(&said).into_owned();
    // What is no escape is not looked at again either.
    Escapes { end: at.max(start + 1), count, said }
}

/// Whether the byte at `at` is part of a URL or of the target of a link.
fn in_address(text: &str, at: usize) -> bool {
    let line = window::line_before(text, at, 1000);
    let word = line.rsplit([' ', '\t', '"', '\'', '`']).next().unwrap_or_default();
    let is_definition =
        || line.trim_start().starts_with('[') && line[..line.len() - word.len()].ends_with("]: ");
    word.contains("://") || word.contains("](") || is_definition()
}

/// The length of the escape that `text` begins with, and what it stands for.
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
    let value = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some((number.len() + 3, char::from_u32(value)?))
}
