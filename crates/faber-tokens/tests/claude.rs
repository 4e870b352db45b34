//! Compares with ctok, which this crate ports.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use faber_tokens::{Encoding, count, count_message};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const FAMILIES: [Encoding; 3] = [Encoding::Claude3, Encoding::Claude47, Encoding::Claude48];

/// By ctok 1.3, with regex 2026.8.31 and Python 3.13.
#[rustfmt::skip]
const KNOWN: &[(&str, [usize; 3])] = &[
    ("", [8, 12, 6]),
    ("\n", [8, 12, 6]),
    ("\n\n\n", [8, 12, 6]),
    ("a", [8, 12, 7]),
    (" a", [8, 12, 8]),
    ("  a", [9, 13, 8]),
    ("\ta", [10, 14, 8]),
    ("hello, world", [10, 15, 10]),
    ("Hello World", [9, 15, 10]),
    ("HELLO WORLD", [11, 19, 14]),
    ("HELLO, NASA and WiFi", [14, 24, 19]),
    ("getElementsByTagName", [10, 19, 14]),
    ("it's, don't, we'LL, x'S", [21, 25, 20]),
    ("'First' ('b') ''' a 'b", [20, 26, 20]),
    ("say: \u{201c}hello\u{201d} \u{2018}there\u{2019}", [16, 22, 17]),
    ("12 1234567 3.14159", [18, 22, 16]),
    ("٣٤ ٣a ²³ x² ½", [25, 29, 23]),
    ("Ⅷ Ⓐb ⅷ", [24, 28, 23]),
    ("漢字 文？ 1。 ひらがな カタカナー", [29, 33, 27]),
    ("한국어 텍스트", [16, 20, 14]),
    ("👍🏽 👩\u{200d}💻 ⚖\u{fe0f}", [26, 30, 24]),
    ("İstanbul İ STRASSE ẞ straße ΣΑΣ", [29, 37, 32]),
    ("e\u{301} \u{301}x C\u{308}", [14, 18, 13]),
    ("กำ ก\u{e4d}\u{e32} ກຳ", [18, 22, 17]),
    ("हिन्दी में लिखा है।", [20, 24, 19]),
    ("ܐ\u{730}ܒ \u{730}", [19, 23, 18]),
    ("مرحبا بالعالم", [17, 21, 16]),
    ("a\u{a0}b\u{2003}c\u{2028}d", [11, 15, 10]),
    ("\u{1}a\u{7}b\u{7f}", [8, 13, 8]),
    ("a\u{e000}b\u{fdd0}c\u{fdd1}", [15, 20, 15]),
    ("\u{378} \u{ffff} x", [16, 20, 14]),
    ("a! b a!b (a) [b] {c};", [22, 26, 21]),
    ("fn main() {\n    println!(\"{}\", x == y);\n}\n", [23, 30, 25]),
    ("# Title\n\n- one\n- two\n\n| a | b |\n|---|---|\n", [25, 32, 27]),
    ("https://example.com/path?q=1&r=2", [22, 26, 21]),
    ("trailing   \n\n\n", [9, 15, 10]),
    ("a  b   c", [12, 16, 11]),
    ("SHOUTING ABC ABCD", [14, 24, 19]),
    ("naïve café Ünïcödé", [18, 22, 17]),
    ("— » … € √ → № └─", [17, 21, 16]),
];

#[test]
fn counts_are_those_of_ctok() {
    for (text, counts) in KNOWN {
        assert_eq!(FAMILIES.map(|family| count_message(family, text)), *counts, "{text:?}");
    }
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ \t\r\n\u{a0}\u{3000}]{1,3}",
        4 => "[ ]?(I|we|DON|x|1|漢)?'(s|S|t|re|VE|m|ll|d|x)?",
        4 => "[a-zA-Z]{1,8}",
        4 => "[A-Z]?[a-zéßǅʰひİẞΣσ\u{301}\u{93f}]{1,8}",
        3 => "[-/#*_`|<>.,!?\"'(){}]{1,4}",
        2 => "[0-9\u{661}\u{b2}\u{2163}]{1,5}",
        2 => "[漢字。？（）、〒한글]{1,4}",
        1 => "[👍🏽👩\u{200d}💻\u{fe0f}🇩🇪⚖]{1,4}",
        1 => "[\u{0}-\u{1f}\u{7f}\u{e000}\u{fdd0}\u{fdd1}\u{e32}\u{e4d}]{1,3}",
        2 => "[\u{80}-\u{ffff}]{1,3}",
        3 => any::<char>().prop_map(String::from),
        1 => ("[ \n\tax0.=漢]", 1..100_usize).prop_map(|(c, n)| c.repeat(n)),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

#[test]
fn counts_of_any_text_are_those_of_ctok() {
    let Ok(python) = std::env::var("CTOK_PYTHON") else {
        eprintln!("skipped: CTOK_PYTHON is not set");
        return;
    };
    let cases = std::env::var("PROPTEST_CASES").map_or(2000, |cases| cases.parse().unwrap());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ctok_counts.py");
    let mut ctok = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = ctok.stdin.take().unwrap();
    let mut output = BufReader::new(ctok.stdout.take().unwrap()).lines();
    let mut runner = TestRunner::default();
    for _ in 0..cases {
        let text = soup().new_tree(&mut runner).unwrap().current();
        writeln!(input, "{}", serde_json::to_string(&text).unwrap()).unwrap();
        let counts = FAMILIES.map(|family| count_message(family, &text).to_string());
        assert_eq!(output.next().unwrap().unwrap(), counts.join(" "), "{text:?}");
    }
    drop(input);
    assert!(ctok.wait().unwrap().success());
}

proptest! {
    /// Packing relies on this.
    #[test]
    fn counts_of_lines_add_up(before in soup(), after in soup()) {
        let before = format!("a{before}b\n");
        let after = format!("#{after}");
        for family in FAMILIES {
            let sum = count(family, &before) + count(family, &after);
            let whole = count(family, &(before.clone() + &after));
            prop_assert!(whole.abs_diff(sum) <= 1, "{} and {}", whole, sum);
        }
    }
}

#[test]
fn runs_without_an_end_take_linear_time() {
    for run in ["a", "A", " ", "\n", "漢", "\u{301}", "=", "aB ", "\u{3000}"] {
        let text = run.repeat(200_000);
        for family in FAMILIES {
            assert!(count_message(family, &text) <= text.len() + 12);
        }
    }
}
