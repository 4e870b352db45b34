//! Properties, and agreement with the Python tools.

use proptest::prelude::*;
use serde::Deserialize;

use super::table::cut_chunk;
use super::words::chunks;
use super::*;

#[derive(Deserialize)]
struct Case {
    text: String,
    pieces: Vec<u16>,
    length: f32,
    vector: Vec<i8>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("fixture.json")).unwrap()
}

fn pieces(text: &str) -> Vec<u16> {
    let mut rows = Vec::new();
    chunks(text).for_each(|chunk| cut_chunk(chunk, &mut rows));
    rows
}

#[test]
fn pieces_are_those_of_the_other_side() {
    for case in cases() {
        assert_eq!(pieces(&case.text), case.pieces, "{:?}", case.text);
    }
}

#[test]
fn vectors_are_those_of_the_other_side() {
    for case in cases() {
        let found = embed(&case.text);
        assert!(
            (found.length - case.length).abs() <= 0.001 * case.length.max(0.1),
            "{:?}",
            case.text
        );
        let expected = if case.vector.is_empty() { vec![0; DIMENSIONS] } else { case.vector };
        assert_eq!(found.values.as_slice(), expected, "{:?}", case.text);
    }
}

#[test]
fn vectors_of_sentences_are_equally_long() {
    for case in cases().iter().filter(|case| case.pieces.len() >= 10) {
        let vector = embed(&case.text);
        let itself = cosine(&vector.values, &bytes(&vector));
        assert!((itself - 1.0).abs() < 0.005, "{:?}: {itself}", case.text);
    }
}

#[test]
fn like_texts_point_the_same_way() {
    let probe = QueryVector::new(&embed("How do I restart the server?"));
    let resemblance = |text: &str| probe.cosine(&bytes(&embed(text)));
    let near = resemblance("Steps to reboot a machine");
    let far = resemblance("Bananas are a yellow fruit");
    assert!(near > far + 0.2, "{near} and {far}");
}

#[test]
fn the_table_is_silent_about_punctuation() {
    for sign in (0..128_u8).map(char::from).filter(char::is_ascii_punctuation) {
        assert!(pieces(&sign.to_string()).into_iter().all(table::is_zero_row), "{sign}");
    }
}

#[test]
fn nothing_resembles_nothing() {
    let (empty, text) = (embed(""), embed("text"));
    assert_eq!(empty, Vector::default());
    assert_eq!(embed(" \u{200B}\n"), Vector::default());
    assert!(cosine(&empty.values, &bytes(&text)).abs() < f32::EPSILON);
    assert!(cosine(&text.values, &bytes(&empty)).abs() < f32::EPSILON);
    assert!(cosine(&text.values, &[]).abs() < f32::EPSILON);
    assert!(cosine(&text.values, &[127; DIMENSIONS + 1]).abs() < f32::EPSILON);
}

fn embed_with(embedder: &mut Embedder, text: &str) -> Vector {
    let mut pool = Pool::new();
    embedder.add(&mut pool, text);
    pool.finish()
}

#[test]
fn a_long_hostile_text_is_no_trouble() {
    let mut embedder = Embedder::new();
    for unit in ["é", "\u{301}", "a", "##", "\u{AC00}", "🦀"] {
        embed_with(&mut embedder, &unit.repeat(200_000));
    }
}

fn bytes(vector: &Vector) -> Vec<u8> {
    vector.values.iter().map(|value| value.cast_unsigned()).collect()
}

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z]{1,12}",
        2 => "[ \n.,:_#-]{1,3}",
        1 => "\\PC{0,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn remembering_changes_nothing(texts in prop::collection::vec(text(), 1..6)) {
        let mut embedder = Embedder::new();
        for text in texts.iter().chain(&texts) {
            prop_assert_eq!(embed_with(&mut embedder, text), embed(text));
        }
    }

    #[test]
    fn a_vector_is_127_long_or_empty(text in text()) {
        let vector = embed(&text);
        let squares: f64 = vector.values.iter().map(|&value| f64::from(value).powi(2)).sum();
        if vector.length > 0.0 {
            prop_assert!((squares.sqrt() - 127.0).abs() <= 8.0, "{}", squares.sqrt());
        } else {
            prop_assert!(squares < f64::EPSILON);
        }
    }

    #[test]
    fn cosines_are_those_of_the_bytes(a in text(), b in text()) {
        let (a, b) = (embed(&a), embed(&b));
        let dot: f64 = a.values.iter().zip(&b.values).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
        let length = |of: &Vector| of.values.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        let exact = if dot == 0.0 { 0.0 } else { dot / (length(&a) * length(&b)) };
        let found = cosine(&a.values, &bytes(&b));
        prop_assert!((f64::from(found) - exact).abs() <= 8.0 / 127.0, "{found} and {exact}");
    }

    #[test]
    fn case_and_space_around_a_text_do_not_matter(text in "[a-z ]{0,60}") {
        prop_assert_eq!(embed(&format!("  {}\n", text.to_uppercase())), embed(&text));
    }

    #[test]
    fn pools_add_up(first in text(), second in text()) {
        let (mut whole, mut left, mut right) = (Pool::new(), Pool::new(), Pool::new());
        for (text, part) in [(&first, &mut left), (&second, &mut right)] {
            whole.add(text);
            part.add(text);
        }
        left.add_pool(&right);
        prop_assert_eq!(whole.finish(), left.finish());
    }
}

#[test]
fn words_that_are_not_in_the_table_are_unknown() {
    let share = |text: &str| known_share(text);
    assert!((share("How do we rotate database keys?") - 1.0).abs() < 1e-9);
    assert!(share("Wie werden Schluesselpaare erneuert") < 0.5);
    for text in
        ["\u{691c}\u{8a3c}\u{7528}", "\u{30c7}\u{30d7}\u{30ed}\u{30a4}\u{306e}\u{65b9}\u{6cd5}", ""]
    {
        assert!(share(text) < 0.1, "{text}");
    }
}
