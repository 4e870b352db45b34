//! Compares with tiktoken-rs.

use faber_tokens::{Encoding, count, parts};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const BOTH: [Encoding; 2] = [Encoding::O200kBase, Encoding::Cl100kBase];

fn reference(encoding: Encoding, text: &str) -> usize {
    let reference = if encoding == Encoding::O200kBase {
        tiktoken_rs::o200k_base_singleton()
    } else {
        tiktoken_rs::cl100k_base_singleton()
    };
    reference.encode_ordinary(text).len()
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ \t\r\n\u{a0}\u{85}\u{2028}\u{3000}\u{b}\u{c}]{1,6}",
        2 => "[0-9\u{0661}\u{b2}\u{2163}]{1,7}",
        2 => "[ ]?(I|we|DON|ſ)'(s|S|t|re|VE|m|ll|d|ſ|x)",
        3 => "[a-zA-Zéßǅʰ漢字ひ\u{301}\u{93f}]{1,8}",
        3 => "[A-ZǅʰИ\u{301}]{1,5}",
        3 => "[-/#*_`|<>.,!?\"'\\\\(){}\\[\\]]{1,4}[\r\n/]{0,3}",
        1 => "[👍🏽👩\u{200d}💻\u{fe0f}🇩🇪]{1,4}",
        1 => "[\u{0}-\u{1f}\u{7f}\u{feff}\u{fffd}]{1,3}",
        1 => Just("<|endoftext|><|im_start|>".to_owned()),
        1 => (any::<char>(), 1..300_usize).prop_map(|(c, n)| c.to_string().repeat(n)),
        1 => ("[ \n\tax0.=]", 1..300_usize).prop_map(|(c, n)| c.repeat(n)),
        1 => "[a-zA-Z0-9+/]{60,140}",
        3 => any::<char>().prop_map(String::from),
        3 => "\\PC{1,4}",
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

fn compare(text: &str) -> Result<(), TestCaseError> {
    for encoding in BOTH {
        prop_assert_eq!(count(encoding, text), reference(encoding, text), "{:?}", encoding);
    }
    Ok(())
}

fn run(cases: u32) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    TestRunner::new(config).run(&soup(), |text| compare(&text)).unwrap();
}

#[test]
fn counts_are_those_of_the_reference() {
    run(2048);
}

#[test]
#[ignore = "takes minutes: a million texts"]
fn a_million_counts_are_those_of_the_reference() {
    run(1_000_000);
}

proptest! {
    #[test]
    fn white_space_at_the_end_counts_as_in_the_reference(
        text in "[a!.0'/ ]{0,4}[ \t\r\n\u{a0}\u{85}\u{3000}\u{1c}\u{200b}]{0,8}[x./]?"
    ) {
        compare(&text)?;
    }

    #[test]
    fn counts_add_up_where_a_line_begins(before in soup(), after in soup()) {
        let before = before + "\n";
        let after = after.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        let whole = before.clone() + after;
        for encoding in BOTH {
            let sum = count(encoding, &before) + count(encoding, after);
            prop_assert_eq!(sum, count(encoding, &whole));
            let sum: usize = parts(encoding, &whole).map(|part| count(encoding, part)).sum();
            prop_assert_eq!(sum, count(encoding, &whole));
            prop_assert_eq!(parts(encoding, &whole).collect::<String>(), whole.clone());
        }
    }
}

#[test]
fn the_seams_that_do_not_add_up_are_known() {
    let sum = |encoding, a, b| count(encoding, a) + count(encoding, b);
    let (a, b) = ("\"\n", "//");
    let apart = sum(Encoding::O200kBase, a, b);
    assert_ne!(apart, count(Encoding::O200kBase, "\"\n//"));
    assert_eq!(sum(Encoding::Cl100kBase, a, b), count(Encoding::Cl100kBase, "\"\n//"));
}

#[test]
fn every_character_alone_and_in_a_word_counts_as_in_the_reference() {
    for c in (' '..=char::MAX).step_by(7) {
        compare(&format!("{c}")).unwrap();
        compare(&format!("a{c}B {c}c1{c}")).unwrap();
    }
}

#[test]
fn runs_without_an_end_count_as_in_the_reference() {
    let random = {
        let mut state = 1_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(
                b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
                    [(state >> 26) as usize],
            )
        };
        (0..200_000).map(|_| next()).collect::<String>()
    };
    let runs = ["a", "A", " ", "\n", "漢", "\u{301}", "=", "aB", "\u{3000}"];
    for text in runs.iter().map(|it| it.repeat(200_000)).chain([random]) {
        compare(&text).unwrap();
    }
}
