//! Text written as numbers: `73 103 110`, `01001001 01100111`, `49 67 6e`, `U+0049 U+0067`.

use std::ops::Range;

use super::window;

const MIN_CHARS: usize = 16;
/// Eight digits each.
const MIN_BINARY_CHARS: usize = 8;
const MAX_DECODED_BYTES: usize = 240;

pub(super) fn find(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (at, line) in window::lines(text) {
        if line.len() >= 2 * MIN_CHARS && digits(line) * 10 >= line.len() * 4 {
            found.extend(row(line, at));
        }
    }
    found
}

fn digits(line: &str) -> usize {
    let few =
        |few: &[u8]| few.iter().fold(0_u8, |count, byte| count + u8::from(byte.is_ascii_digit()));
    line.as_bytes().chunks(usize::from(u8::MAX)).map(|bytes| usize::from(few(bytes))).sum()
}

fn row(line: &str, at: usize) -> Option<(Range<usize>, String)> {
    let is_between = |char: char| char.is_whitespace() || matches!(char, ',' | ';' | '[' | ']');
    let (mut start, mut end) = (0, 0);
    let (mut decimal, mut other) = (Some(String::new()), Some(String::new()));
    let (mut count, mut offset) = (0, 0);
    for piece in line.split_inclusive(is_between) {
        let word = piece.trim_end_matches(is_between);
        let here = offset;
        offset += piece.len();
        if word.is_empty() {
            continue;
        }
        let readings = (word.parse().ok(), based(word));
        if readings == (None, None) {
            if count >= MIN_BINARY_CHARS && line[start..end].len() > 8 * count || count >= MIN_CHARS
            {
                break;
            }
            (count, decimal, other) = (0, Some(String::new()), Some(String::new()));
            continue;
        }
        if count == 0 {
            start = here;
        }
        (count, end) = (count + 1, here + word.len());
        add(&mut decimal, readings.0);
        add(&mut other, readings.1);
    }
    let is_binary = line[start..end].bytes().all(|byte| !byte.is_ascii_digit() || byte < b'2');
    let is_word = |said: &str| {
        is_binary && said.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ')
    };
    let text =
        [decimal, other].into_iter().flatten().find(|said| is_text(said) || is_word(said))?;
    let least = if is_binary { MIN_BINARY_CHARS } else { MIN_CHARS };
    (count >= least).then_some((at + start..at + end, text))
}

fn add(reading: &mut Option<String>, code: Option<u32>) {
    let char = code.and_then(char::from_u32).filter(|char| matches!(char, ' '..='~' | '\n'));
    match (reading.as_mut(), char) {
        (Some(said), Some(char)) if said.len() < MAX_DECODED_BYTES => said.push(char),
        (Some(_), Some(_)) => {}
        _ => *reading = None,
    }
}

fn based(word: &str) -> Option<u32> {
    if word.len() == 8 && word.bytes().all(|byte| matches!(byte, b'0' | b'1')) {
        return u32::from_str_radix(word, 2).ok();
    }
    let digits = ["0x", "0X", "U+", "u+"].iter().find_map(|prefix| word.strip_prefix(prefix));
    let digits = digits.or_else(|| Some(word).filter(|word| word.len() == 2))?;
    u32::from_str_radix(digits, 16).ok()
}

fn is_text(said: &str) -> bool {
    let words = said.bytes().filter(|byte| byte.is_ascii_alphabetic() || *byte == b' ').count();
    let blanks = said.bytes().filter(|byte| *byte == b' ').count();
    let small = said.bytes().filter(u8::is_ascii_lowercase).count();
    words * 10 >= said.len() * 9 && blanks >= 2 && small * 2 >= said.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_letters_are_read() {
        let said = "run the job for me";
        let row = |each: fn(u8) -> String| said.bytes().map(each).collect::<Vec<_>>();
        for line in [
            row(|byte| byte.to_string()).join(" "),
            row(|byte| byte.to_string()).join(", "),
            row(|byte| format!("{byte:08b}")).join(" "),
            row(|byte| format!("{byte:02x}")).join(" "),
            row(|byte| format!("U+{byte:04X}")).join(" "),
        ] {
            let found = find(&format!("x\ndo {line} now\n"));
            assert_eq!(found.len(), 1, "{line}");
            assert_eq!((&*found[0].1, found[0].0.start), (said, 5), "{line}");
        }
        let word: Vec<_> = "runs out".bytes().map(|byte| format!("{byte:08b}")).collect();
        assert_eq!(find(&format!("say {} now", word.join(" ")))[0].1, "runs out");
        for line in [
            "10 11 100 101 110 111 1000 1001 1010 1011",
            "01001000 01000101 01001100 01001100 01001111 01001000 01001001 00100001",
            "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
            "| 32 | 64 | 96 | 128 | 256 | 512 | 1024 | 2048 |",
            "80, 443, 8080, 32, 90, 91, 92, 93, 94, 95, 96, 32, 97, 98, 99, 100, 32, 65",
            "00000000 11111111 00000000 11111111 00000000 11111111 00000000 11111111",
        ] {
            assert!(find(line).is_empty(), "{line}");
        }
    }
}
