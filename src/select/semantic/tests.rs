use proptest::prelude::*;

use super::*;
use crate::category::Category;
use crate::layer::LayerKind;
use crate::parse::frontmatter::{self, Kind};
use crate::source::Span;

/// Contexts of these names and texts.
fn contexts(texts: &[(&str, &str)]) -> (SourceMap, Vec<Resolved>) {
    let mut sources = SourceMap::default();
    let mut all = Vec::new();
    for (name, text) in texts {
        let file = sources.add(format!("{name}.md").into(), (*text).to_owned());
        let parsed = frontmatter::read(&sources, file, Kind::Context).value;
        all.push(Resolved {
            id: ContextId { category: Category::Playbook, name: (*name).into() },
            body: Body::Whole(Span::new(file, parsed.body, text.len())),
            front: parsed.front.into(),
            sources: Vec::new(),
            base: LayerKind::Project,
            base_layer: 0,
            top: LayerKind::Project,
            platform: None,
        });
    }
    (sources, all)
}

/// The names of what is ranked, with scores and words.
fn ranked(texts: &[(&str, &str)], request: &str) -> Vec<(String, f64, Vec<String>)> {
    let (sources, all) = contexts(texts);
    let all: Vec<&Resolved> = all.iter().collect();
    let owned = |scored: Scored<'_>| {
        let words = scored.words.iter().map(ToString::to_string).collect();
        (scored.id.name.to_string(), scored.score, words)
    };
    rank(request, &all, &sources, 0.0).into_iter().map(owned).collect()
}

fn names(texts: &[(&str, &str)], request: &str) -> Vec<String> {
    ranked(texts, request).into_iter().map(|(name, ..)| name).collect()
}

const TEXTS: [(&str, &str); 4] = [
    ("rotate", "---\ndescription: How to rotate API keys\n---\n# Key rotation\n\nInvoices.\n"),
    ("release", "# Release\n\n```sh\n# keys\n```\n\nChangelog\n---------\n"),
    ("refunds", "---\ntags: [billing]\nsummary: Pay back an invoice.\n---\n# Refunds\n"),
    ("limits", "# `RateLimitError`\n"),
];

#[test]
fn front_matter_and_headings_count_and_bodies_do_not() {
    assert_eq!(names(&TEXTS, "rotating the keys"), ["rotate"]);
    assert_eq!(names(&TEXTS, "Which changelogs?"), ["release"]);
    assert_eq!(names(&TEXTS, "an invoice"), ["refunds"]);
    assert_eq!(names(&TEXTS, "bills"), ["refunds"]);
    assert_eq!(names(&TEXTS, "rate limit"), ["limits"]);
    assert_eq!(names(&TEXTS, "what is a ratelimiterror"), ["limits"]);
}

#[test]
fn scores_come_with_the_words_of_the_request() {
    let ranked = ranked(&TEXTS, "Rotate a key, then release");
    let plain: Vec<_> = ranked.iter().map(|(name, _, words)| (&**name, words.join(" "))).collect();
    assert_eq!(plain, [("rotate", "Rotate key".to_owned()), ("release", "release".to_owned())]);
    assert!(ranked[0].1 > ranked[1].1, "{ranked:?}");
}

#[test]
fn a_request_without_terms_scores_nothing() {
    for request in ["", " \n", "what can you do for us?", "!?", "do_it"] {
        assert!(ranked(&TEXTS, request).is_empty(), "{request:?}");
    }
    assert!(ranked(&[], "rotate").is_empty());
}

#[test]
fn what_nobody_knows_makes_a_request_less_alike() {
    let score = |request| ranked(&TEXTS, request)[0].1;
    assert!(score("release") > score("release zeppelins"));
    // An identifier in one word is no further term while nobody writes it so.
    assert!((score("rotate key") - score("rotate_key")).abs() < 1e-9);
}

#[test]
fn equals_stand_by_id_and_the_threshold_is_left_out() {
    let texts = [("b", "# Deploy\n"), ("a", "# Deploy\n"), ("c", "# Other\n")];
    assert_eq!(names(&texts, "deploy"), ["a", "b"]);
    let (sources, all) = contexts(&texts);
    let all: Vec<&Resolved> = all.iter().collect();
    let score = rank("deploy", &all, &sources, 0.0)[0].score;
    assert!(rank("deploy", &all, &sources, score).is_empty());
}

/// Words that often share letters and stems.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "deploy",
        "deploys",
        "Deploying",
        "rateLimit",
        "rate_limit",
        "limits",
        "the",
        "v2",
        "é",
        "dying",
        "die",
        "安全",
    ])
    .prop_map(str::to_owned)
}

fn sentence() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..6).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn scores_lie_between_0_and_1_and_forget_the_order(
        texts in prop::collection::vec((sentence(), sentence()), 0..8),
        request in sentence(),
    ) {
        let texts: Vec<(String, String)> = texts
            .into_iter()
            .enumerate()
            .map(|(at, (tags, heading))| (at.to_string(), format!("---\ntags: [{tags}]\n---\n# {heading}\n")))
            .collect();
        let mut texts: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (&**a, &**b)).collect();
        let there = ranked(&texts, &request);
        for (_, score, words) in &there {
            prop_assert!(*score > 0.0 && *score <= 1.0 && !words.is_empty());
            prop_assert!((score * 1000.0 - (score * 1000.0).round()).abs() < 1e-6);
        }
        texts.reverse();
        prop_assert_eq!(ranked(&texts, &request), there);
    }

    /// What lets most words go unstemmed.
    #[test]
    fn stems_begin_as_their_words_do(word in "[a-zA-Z]{1,12}|(d|l|t|n|sk)(ying|ies|ews|is|y)") {
        let stem = Normalizer::new().compute(&word);
        prop_assert_eq!(stem.bytes().next(), word.bytes().next().map(|b| b.to_ascii_lowercase()));
    }
}
