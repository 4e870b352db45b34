use proptest::prelude::*;

use super::*;
use crate::digest_map::tests::MemoryStore;
use crate::resolve::catalog::Body;
use crate::word_list::words;

fn contexts(texts: &[(&str, &str)]) -> (SourceMap, Vec<Context>) {
    let mut sources = SourceMap::default();
    let mut all = Vec::new();
    for (name, text) in texts {
        let file = sources.add(format!("{name}.md").into(), (*text).to_owned());
        all.push(Context::of_file(name, file, &sources));
    }
    (sources, all)
}

const WORDS: Weights = Weights { semantic: 0.0, keyword: 1.0 };
const MEANING: Weights = Weights { semantic: 1.0, keyword: 0.0 };
const BOTH: Weights = Weights { semantic: 0.3, keyword: 0.7 };

fn ranked_by(
    texts: &[(&str, &str)],
    (request, error): (&str, &str),
    weights: Weights,
) -> Vec<(String, f64, Vec<String>)> {
    let (sources, all) = contexts(texts);
    let all: Vec<&Context> = all.iter().collect();
    let question = Question { request, error, material: "", before: "" };
    let scores = Arc::new(Ranker::default()).score(question, &all, &sources, weights).contexts;
    let named = all.iter().zip(scores);
    let mut ranked: Vec<_> = named
        .map(|(context, it)| (context.id.name.to_string(), it.score, it.words))
        .filter(|(_, score, _)| *score > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranked
}

fn ranked(texts: &[(&str, &str)], request: &str) -> Vec<(String, f64, Vec<String>)> {
    ranked_by(texts, (request, ""), WORDS)
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
fn material_counts_less_than_the_request() {
    let (sources, all) = contexts(&TEXTS);
    let all: Vec<&Context> = all.iter().collect();
    let score = |request, material| {
        let question = Question { request, error: "", material, before: "" };
        let scores = Arc::new(Ranker::default()).score(question, &all, &sources, WORDS);
        scores.contexts.iter().map(|context| context.score).collect::<Vec<_>>()
    };
    let asked = score("rotate", "");
    let shown = score("look at this", "rotate();");
    assert!(asked[0] > shown[0] && shown[0] > 0.5 * asked[0], "{asked:?} {shown:?}");
    assert_eq!(shown[1..], [0.0; 3]);
    assert_eq!(score("", "nothing known"), [0.0; 4]);
}

#[test]
fn bare_numbers_and_letters_of_a_trace_are_no_evidence() {
    let texts = [("port", "# Port\n\nC 8 0 1\n"), ("socket", "# Socket\n\nRefused.\n")];
    let ranked = ranked_by(&texts, ("", "c:8:0: 1 refused"), WORDS);
    assert_eq!(ranked.iter().map(|it| &*it.0).collect::<Vec<_>>(), ["socket"]);
}

#[test]
fn numbers_of_a_request_are_no_evidence_alone() {
    let texts = [
        ("auth", "# Tokens\n\nA 401 means that the token is over.\n"),
        ("rates", "# Rates\n\nPorts shut at 18:00 for version 16.3 and 24 hours.\n"),
    ];
    let named = |request: &str| names(&texts, request);
    for request in [
        "issue #401",
        "PR 401",
        "Close the issues 24 and 401",
        "the meeting of 18:00",
        "Upgrade node to 16.3",
        "#401 of the token",
    ] {
        let expected = if request.contains("token") { vec!["auth"] } else { Vec::new() };
        assert_eq!(named(request), expected, "{request}");
    }
    for (request, name) in
        [("why is it answering 401?", "auth"), ("within 24 hours", "rates"), ("401", "auth")]
    {
        assert_eq!(named(request), [name], "{request}");
    }
    let called =
        [("postgres", "# Database on 5432\n\nPools.\n"), ("iso-27001", "# Audit\n\nYearly.\n")];
    for (request, expected) in [
        ("5432 is blocked", &["postgres"][..]),
        ("27001", &["iso-27001"]),
        ("issue 5432", &[]),
        ("#27001", &[]),
    ] {
        assert_eq!(names(&called, request), expected, "{request}");
    }
    let score = |request: &str| ranked(&texts, request)[0].1;
    assert!((score("rename the token") - score("rename the token #401")).abs() < 1e-9);
}

#[test]
fn long_logs_in_requests_take_linear_time() {
    let lines = |line: fn(usize) -> String| (0..10_000).map(line).collect::<String>();
    for (request, words) in [
        (lines(|n| format!("line {n} of the log, see #{n}\n")), 0),
        (lines(|n| format!("{n}\n")) + "rows", 1),
    ] {
        let question = Question { request: &request, error: "", material: "", before: "" };
        let numbers = Query::new(question, WORDS).numbers;
        assert!(numbers.len() >= 9_980 && numbers.iter().all(|one| one.next.len() == words));
    }
}

#[test]
fn an_error_text_counts_at_both_ends_and_by_its_status_code() {
    let found = |error: &str| {
        let ranked = ranked_by(&TEXTS, ("", error), WORDS).into_iter();
        ranked.map(|(name, ..)| name).collect::<Vec<_>>()
    };
    let frames = "at frame\n".repeat(10_000);
    assert_eq!(found(&format!("invoices are gone\n{frames}")), ["rotate", "refunds"]);
    assert_eq!(found(&format!("{frames}invoices are gone")), ["rotate", "refunds"]);
    assert!(found(&format!("{frames}invoices are gone\n{frames}")).is_empty());
    assert_eq!(found("HTTP 429"), ["limits"]);
    assert!(found("line 429").is_empty());
}

#[test]
fn front_matter_headings_and_bodies_count() {
    assert_eq!(names(&TEXTS, "rotating the keys"), ["rotate", "release"]);
    assert_eq!(names(&TEXTS, "Which changelogs?"), ["release"]);
    assert_eq!(names(&TEXTS, "an invoice"), ["rotate", "refunds"]);
    assert_eq!(names(&TEXTS, "bills"), ["refunds"]);
    assert_eq!(names(&TEXTS, "rate limit"), ["limits"]);
    assert_eq!(names(&TEXTS, "what is a ratelimiterror"), ["limits"]);
}

#[test]
fn an_abbreviation_also_finds_what_it_stands_for() {
    let texts = [
        ("cluster", "# Cluster\n\nHow we use Kubernetes.\n"),
        ("k8s", "# k8s\n"),
        ("merges", "# Merges\n\nOpen a pull request.\n"),
        ("requests", "# Requests\n\nRequests of users.\n"),
        ("prs", "# PR\n"),
    ];
    assert_eq!(names(&texts, "k8s"), ["k8s", "cluster"]);
    assert_eq!(names(&texts, "kubernetes"), ["cluster"]);
    assert_eq!(names(&texts, "PR"), ["prs", "merges"]);
    assert_eq!(names(&texts, "pull request"), ["merges", "requests"]);
    let tagged = ("tagged", "---\ntags: [kubernetes]\n---\n# Rollouts\n");
    assert_eq!(names(&[tagged, texts[2]], "k8s"), ["tagged"]);
}

#[test]
fn one_chunk_that_has_all_words_is_worth_more_than_many_that_have_one() {
    let filler = "Nothing of interest stands in this line.\n".repeat(60);
    let near = format!("{filler}\nRotate the signing keys weekly.\n\n{filler}");
    let far = format!("Rotate.\n\n{filler}\nThe signing.\n\n{filler}\nKeys, weekly.\n");
    let texts = [("near", &*near), ("far", &*far)];
    let ranked = ranked(&texts, "rotate signing keys weekly");
    assert_eq!(ranked[0].0, "near");
    assert!(ranked[0].1 > ranked[1].1, "{ranked:?}");
}

#[test]
fn an_error_text_counts_beside_the_request_and_its_noise_does_not() {
    let texts = [
        ("limits", "# Rate limits\n\nWait when the rate limit is exceeded.\n"),
        ("greet", "# Greeting\n\nSay hello to new colleagues.\n"),
    ];
    let by = |request, error| ranked_by(&texts, (request, error), BOTH);
    assert_eq!(by("greet colleagues", "rate limit exceeded").len(), 2);
    let trace = format!("rate limit exceeded\n{}", "  at zzyx.frob (qwv.js:1)\n".repeat(500));
    assert_eq!(by("", &trace)[0].0, "limits");
    let (plain, noisy) = (by("", "rate limit exceeded")[0].1, by("", &trace)[0].1);
    assert!(noisy > 0.5 * plain, "{noisy} of {plain}");
}

#[test]
fn scores_come_with_the_words_of_the_request() {
    let ranked = ranked(&TEXTS, "Rotate a key, then release");
    let plain: Vec<_> = ranked.iter().map(|(name, _, words)| (&**name, words.join(" "))).collect();
    assert_eq!(plain, [("rotate", "Rotate key".to_owned()), ("release", "key release".to_owned())]);
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
fn unknown_words_make_a_request_less_similar() {
    let score = |request| ranked(&TEXTS, request)[0].1;
    assert!(score("release") > score("release zeppelins"));
}

#[test]
fn letters_of_a_request_count_with_the_word_next_to_them() {
    let texts = [
        ("postgres", "# Postgres\n\nA user of a B-tree.\n"),
        ("fallback", "# Fallback\n\nPlan B for the gateway.\n"),
        ("c", "# Headers\n\nOrder them.\n"),
    ];
    let words = |request: &str| {
        let ranked = ranked(&texts, request).into_iter();
        ranked.map(|(name, _, words)| format!("{name}: {}", words.join(" "))).collect::<Vec<_>>()
    };
    assert_eq!(words("can user A read the invoice of user B?"), ["postgres: user"]);
    assert_eq!(words("what is plan B?"), ["fallback: plan B"]);
    assert_eq!(words("call it from C"), ["c: C"]);
}

#[test]
fn evidence_is_a_name_a_rare_word_or_two_ordinary_ones() {
    let described = "---\ndescription: Use it when an upload fails after a rename.\n---\n";
    let text = format!("{described}# Buckets\n\nMake the path shorter.\n");
    let (sources, all) =
        contexts(&[("storage", &text), ("slack", "# Slack\n"), ("tax", "# Tax\n\nYearly.\n")]);
    let all: Vec<&Context> = all.iter().collect();
    let is_evident = |request| {
        let question = Question { request, error: "", material: "", before: "" };
        Arc::new(Ranker::default()).score(question, &all, &sources, WORDS).contexts[0].is_evident
    };
    for request in ["it still fails", "make it shorter"] {
        assert!(!is_evident(request), "{request}");
    }
    for request in ["storage", "the bucket", "the upload fails", "a shorter path", "rename"] {
        assert!(is_evident(request), "{request}");
    }
}

#[test]
fn parts_of_an_identifier_count_together() {
    let texts = [
        ("together", "# Guide\n\nRotate a key.\n"),
        ("apart", "# Notes\n\nRotate yearly. The key stays.\n"),
        ("whole", "# Names\n\nSee ROTATE_KEY.\n"),
        ("other", "# Mail\n\nSend it.\n"),
    ];
    let names = |request| {
        let ranked = ranked_by(&texts, (request, ""), WORDS).into_iter();
        ranked.map(|it| it.0).collect::<Vec<_>>()
    };
    for request in ["RotateKey", "rotate_key", "rotatingKeys"] {
        let mut found = names(request);
        found.sort();
        assert_eq!(found, ["together", "whole"], "{request}");
    }
    assert_eq!(names("rotate a key").len(), 3);
}

#[test]
fn a_word_that_most_contexts_have_is_a_weak_match() {
    let texts = ["a", "b", "c", "d", "e"].map(|name| (name, "# Sort\n\nSort this.\n"));
    let rare = [("z", "# Rotate\n\nRotate keys.\n")];
    let all: Vec<_> = texts.into_iter().chain(rare).collect();
    let score = |request| ranked(&all, request)[0].1;
    assert!(score("Sort this") < 0.4, "{}", score("Sort this"));
    assert!(score("Rotate it") > 0.8, "{}", score("Rotate it"));
}

#[test]
fn equals_stand_by_id() {
    let texts = [("b", "# Deploy\n"), ("a", "# Deploy\n"), ("c", "# Other\n")];
    assert_eq!(names(&texts, "deploy"), ["a", "b"]);
}

#[test]
fn what_is_meant_is_found_without_a_word_in_common() {
    let texts = [
        ("pets", "---\ndescription: Feeding dogs and cats\n---\n# Animals\n"),
        ("tax", "---\ndescription: Filing an income tax return\n---\n# Taxes\n"),
    ];
    let request = "my puppy is hungry";
    assert!(ranked(&texts, request).is_empty());
    let found = ranked_by(&texts, (request, ""), MEANING);
    assert_eq!((found[0].0.as_str(), &found[0].2), ("pets", &Vec::new()));
    assert!(found.iter().skip(1).all(|(_, score, _)| score + 0.2 < found[0].1), "{found:?}");
}

#[test]
fn a_score_is_the_weighted_sum_of_meaning_and_words() {
    let called = [
        ("rotate", "rotate How to rotate API keys Key rotation"),
        ("release", "release Release Changelog"),
        ("refunds", "refunds billing Refunds"),
        ("limits", "limits `RateLimitError`"),
    ];
    for request in ["rotating the keys", "an invoice", "when do we ship a release?"] {
        let words = ranked(&TEXTS, request);
        let both = ranked_by(&TEXTS, (request, ""), BOTH);
        for (name, text) in called {
            let score = |ranked: &[(String, f64, Vec<String>)]| {
                ranked.iter().find(|(own, ..)| own == name).map_or(0.0, |(_, score, _)| *score)
            };
            let other = meaning::embed(text).values.map(i8::cast_unsigned);
            let cosine = f64::from(meaning::cosine(&meaning::embed(request).values, &other));
            let naive = 0.3 * cosine.max(0.0) + 0.7 * score(&words);
            assert!((score(&both) - naive).abs() < 0.001, "{request} {name} {naive}");
        }
    }
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(words!(
        "deploy, deploys, Deploying, rateLimit, rate_limit, limits, the, v2, é, dying, die, 安全",
    ))
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
        let there = [WORDS, MEANING, BOTH].map(|weights| ranked_by(&texts, (&request, ""), weights));
        prop_assert!(there[0].iter().all(|(_, _, words)| !words.is_empty()));
        for (_, score, _) in there.iter().flatten() {
            prop_assert!(*score > 0.0 && *score <= 1.0);
            prop_assert!((score * 1000.0 - (score * 1000.0).round()).abs() < 1e-6);
        }
        texts.reverse();
        let again = [WORDS, MEANING, BOTH].map(|weights| ranked_by(&texts, (&request, ""), weights));
        prop_assert_eq!(again, there);
    }

    #[test]
    fn stored_terms_score_as_those_of_the_text(
        texts in prop::collection::vec((sentence(), sentence(), sentence()), 0..8),
        request in sentence(),
    ) {
        let texts: Vec<(String, String)> = texts
            .into_iter()
            .enumerate()
            .map(|(at, (tags, heading, body))| {
                let body = format!("{body}\n\n").repeat(at * 40);
                (at.to_string(), format!("---\ntags: [{tags}]\n---\n# {heading}\n\n{body}"))
            })
            .collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (&**a, &**b)).collect();
        let (sources, all) = contexts(&texts);
        let all: Vec<&Context> = all.iter().collect();
        let score = |ranker: &Arc<Ranker>, all: &[&Context]| {
            let question = Question { request: &request, error: "", material: "", before: "" };
            ranker.score(question, all, &sources, BOTH).contexts
        };
        let store = MemoryStore::default();
        let open = |name: &str| Arc::new(Ranker::new(DigestMap::open(&store, name)));
        let first = open("all");
        let expected = score(&first, &all);
        prop_assert_eq!(&score(&first, &all), &expected, "in memory");
        first.map().save(&store, "all", 1 << 20);
        let stored = store.texts();
        let second = open("all");
        prop_assert_eq!(&score(&second, &all), &expected, "stored");
        second.map().save(&store, "all", 1 << 20);
        prop_assert_eq!(&store.texts(), &stored, "nothing was added");
        let part = open("parts");
        score(&part, &all[..all.len() / 2]);
        part.map().save(&store, "parts", 1 << 20);
        let part = open("parts");
        score(&part, &all);
        part.map().save(&store, "parts", 1 << 20);
        let scores = score(&open("parts"), &all);
        prop_assert_eq!(&scores, &expected);
    }
}

#[test]
fn the_same_text_in_another_field_has_its_own_terms() {
    let texts = ["summary", "description"]
        .map(|field| format!("---\n{field}: Rotating certificates\n---\n# Alpha\n\nX.\n"));
    let (sources, mut all) = contexts(&[("a", &texts[0]), ("a", &texts[1])]);
    let ranker = Arc::new(Ranker::default());
    let scores = all.iter_mut().map(|context| {
        context.body = Body::Lines(context.body.lines(&sources));
        let question =
            Question { request: "rotate certificates", error: "", material: "", before: "" };
        let score = |ranker: &Arc<Ranker>| {
            ranker.score(question, &[context], &sources, BOTH).contexts[0].score
        };
        let score = (score(&ranker), score(&Arc::default()));
        assert_eq!(score.0.to_bits(), score.1.to_bits());
        score.0
    });
    let scores: Vec<f64> = scores.collect();
    assert!(scores[1] > scores[0], "{scores:?}");
}

#[test]
fn parts_with_figures_answer_a_question_for_one() {
    let (sources, all) = contexts(&[("logs", "# Logs\n\nLogs are kept.\n")]);
    let all: Vec<&Context> = all.iter().collect();
    let scores = |request: &str| {
        let question = Question { request, error: "", material: "", before: "" };
        let found = Arc::new(Ranker::default()).score(question, &all, &sources, WORDS);
        let parts = ["Logs are kept for a while.", "Logs are kept 30 or 90 days.", "7 8 9"];
        let section = SectionText { headings: "", parts: parts.into(), gaps: Vec::new() };
        let read = found.passages.read(std::iter::once(section));
        found.passages.scores(&read).next().unwrap().parts
    };
    let [before, with, other] = scores("how long are logs kept")[..] else { panic!() };
    assert!(with > before && before > 0.0, "{with} {before}");
    assert!(other.abs() < 1e-12, "a figure alone does not match");
    let [before, with, _] = scores("where are logs kept")[..] else { panic!() };
    assert!(with <= before, "{with} {before}");
}

#[test]
fn the_only_text_in_a_script_is_not_about_everything_in_it() {
    let own = ("csharp", "# 非同期\n\n非同期メソッド名の末尾に Async を付けます。作成します。\n");
    let texts: Vec<_> = TEXTS.into_iter().chain([own]).collect();
    let score = |request: &str| ranked(&texts, request).first().map_or(0.0, |(_, score, _)| *score);
    // How to write an asynchronous method; an agenda for tomorrow's meeting.
    assert!(score("非同期メソッドの書き方を教えて") > 0.4);
    assert!(score("明日の会議のアジェンダを作成してください") < 0.3);
}
