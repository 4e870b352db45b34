use std::collections::BTreeMap;

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::search::chunk::chunks;
use crate::search::part::{self, locate};
use crate::search::prepare::{Preparer, Text};
use faber_core::terms::pieces::{is_stop, pieces, stem_of};
use faber_core::terms::words::Normalizer;

type Named = (String, String);

fn index(texts: &[Named], each: usize) -> (Vec<OpenPart>, Vec<DocAddress>) {
    let mut keys = Vec::new();
    let parts: Vec<OpenPart> = texts
        .chunks(each)
        .map(|texts| {
            let mut preparer = Preparer::default();
            let done = texts.iter().map(|(name, body)| {
                let text = Text { name, meta: &[], body };
                keys.push(text.key());
                preparer.prepare(&text)
            });
            let done = done.collect();
            OpenPart::open(Bytes::from(part::build(done))).unwrap()
        })
        .collect();
    let located: Vec<DocAddress> =
        keys.iter().map(|key| locate(&parts, std::iter::once(*key)).unwrap()[0]).collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_unstable_by_key(|at| keys[*at]);
    let in_order = order.iter().map(|at| keys[*at]);
    assert_eq!(
        locate(&parts, in_order),
        Some(order.iter().map(|at| located[*at]).collect()),
        "one after the other as each by itself"
    );
    assert_eq!(locate(&parts, std::iter::once([7; 16])), None);
    (parts, located)
}

fn terms(text: &str) -> Vec<String> {
    let normalizer = Normalizer::default();
    let words = pieces(text).into_iter().map(|piece| &text[piece.bytes]);
    words.filter(|word| !is_stop(word)).map(|word| stem_of(word, &normalizer)).collect()
}

struct Naive {
    texts: Vec<Vec<[Vec<String>; 2]>>,
    names: Vec<Vec<String>>,
}

impl Naive {
    fn new(texts: &[Named]) -> Self {
        let of_text = |(_, body): &Named| {
            let chunks = chunks(body).into_iter();
            let both = chunks.map(|chunk| {
                let body: Vec<&str> = chunk.body.iter().map(|b| &body[b.clone()]).collect();
                [terms(&chunk.headings), terms(&body.join("\n\n"))]
            });
            let both: Vec<_> = both.collect();
            if both.is_empty() { vec![[Vec::new(), Vec::new()]] } else { both }
        };
        let names = texts.iter().map(|(name, _)| terms(name)).collect();
        Self { texts: texts.iter().map(of_text).collect(), names }
    }

    fn units(&self, whole: bool) -> Vec<(usize, [Vec<String>; 2])> {
        let mut units = Vec::new();
        for (at, chunks) in self.texts.iter().enumerate() {
            if whole {
                let heads = chunks.iter().flat_map(|[head, _]| head.clone());
                let bodies = chunks.iter().flat_map(|[_, body]| body.clone()).collect();
                units.push((at, [self.names[at].iter().cloned().chain(heads).collect(), bodies]));
            } else {
                units.extend(chunks.iter().map(|[head, body]| {
                    (at, [[self.names[at].clone(), head.clone()].concat(), body.clone()])
                }));
            }
        }
        units
    }

    fn scores(&self, question: &str, whole: bool) -> Vec<f64> {
        let units = self.units(whole);
        let texts = self.units(true);
        let wanted = terms(question);
        let count = |count: usize| f64::from(u32::try_from(count).unwrap());
        let idf: BTreeMap<&String, f64> = wanted
            .iter()
            .map(|term| {
                let having =
                    texts.iter().filter(|(_, [h, b])| h.contains(term) || b.contains(term));
                let (having, all) = (count(having.count()), count(texts.len()));
                (term, (1.0 + (all - having + 0.5) / (having + 0.5)).ln())
            })
            .collect();
        let average = |field: usize| {
            let lengths = units.iter().map(|(_, fields)| fields[field].len()).filter(|n| *n > 0);
            let lengths: Vec<usize> = lengths.collect();
            count(lengths.iter().sum::<usize>().max(1)) / count(lengths.len().max(1))
        };
        let averages = [average(0), average(1)];
        let bound = wanted.iter().map(|term| idf[term]).sum::<f64>() * 2.2;
        let score = |fields: &[Vec<String>; 2]| {
            let of_term = |term: &String| {
                let frequency = |field: usize| {
                    let often = count(fields[field].iter().filter(|one| *one == term).count());
                    let length = count(fields[field].len()) / averages[field];
                    [3.0, 1.0][field] * often / (1.0 - 0.75 + 0.75 * length)
                };
                let both = frequency(0) + frequency(1);
                idf[term] * both * 2.2 / (both + 1.2)
            };
            let sum: f64 = wanted.iter().map(of_term).sum();
            (sum / bound.max(f64::MIN_POSITIVE)).sqrt()
        };
        units.iter().map(|(_, fields)| score(fields)).collect()
    }

    fn relevance(&self, question: &str) -> Vec<f64> {
        let whole = self.scores(question, true);
        let mut best = vec![0.0_f64; whole.len()];
        for ((at, _), score) in self.units(false).iter().zip(self.scores(question, false)) {
            best[*at] = best[*at].max(score);
        }
        whole.iter().zip(best).map(|(whole, best)| (whole + best) / 2.0).collect()
    }
}

fn texts() -> impl Strategy<Value = Vec<Named>> {
    let word = prop::sample::select(vec!["alpha", "beta", "gamma", "delta", "omega"]);
    let line = prop::collection::vec(word.clone(), 1..8).prop_map(|words| words.join(" "));
    let section = (any::<bool>(), line.clone(), 1_usize..30).prop_map(|(heading, line, often)| {
        let heading = if heading { format!("## {line}\n\n") } else { String::new() };
        format!("{heading}{}\n\n", format!("{line} stands here.\n\n").repeat(often))
    });
    let body = prop::collection::vec(section, 0..4).prop_map(|sections| sections.concat());
    prop::collection::vec(body, 1..8).prop_map(|bodies| {
        let name = |at: usize| format!("name{}", char::from(b'a' + u8::try_from(at).unwrap()));
        bodies.into_iter().enumerate().map(|(at, body)| (name(at), body)).collect()
    })
}

fn ranked(parts: &[OpenPart], texts: &[DocAddress], question: &str) -> Vec<Scored> {
    let weights = Weights { semantic: 0.3, keyword: 0.7 };
    Corpus::of(parts, &CorpusFigures::new(parts, texts)).rank(question, weights)
}

const KEYWORD: Weights = Weights { semantic: 0.0, keyword: 1.0 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn words_are_scored_as_the_formula_says(
        texts in texts(),
        question in "(alpha|beta|gamma|delta|namea|nameb|zeta)( (alpha|beta|omega)){0,3}",
        each in 1_usize..4,
    ) {
        let (parts, located) = index(&texts, each);
        let figures = CorpusFigures::new(&parts, &located);
        let corpus = Corpus::of(&parts, &figures);
        let expected = Naive::new(&texts).relevance(&question);
        let found = corpus.rank(&question, KEYWORD);
        let mut scores = vec![0.0; texts.len()];
        for scored in &found {
            scores[scored.doc] = scored.relevance;
        }
        for (at, (score, expected)) in scores.iter().zip(&expected).enumerate() {
            prop_assert!((score - expected).abs() < 1e-4, "{at}: {score} is not {expected}");
            prop_assert!((0.0..=1.0).contains(score));
        }
        prop_assert_eq!(found.len(), expected.iter().filter(|score| **score > 0.0).count());
    }

    #[test]
    fn how_an_index_is_divided_does_not_show(texts in texts(), question in "(alpha|beta) (gamma|omega)") {
        let (parts, located) = index(&texts, texts.len());
        let (more, scattered) = index(&texts, 1);
        let one = ranked(&parts, &located, &question);
        prop_assert_eq!(one, ranked(&more, &scattered, &question));
    }

    #[test]
    fn texts_outside_the_view_do_not_count(texts in texts(), question in "(alpha|beta) (gamma|omega)") {
        prop_assume!(texts.len() > 1);
        let seen = &texts[..texts.len() / 2];
        let (parts, located) = index(&texts, 3);
        let (own, own_located) = index(seen, seen.len());
        let among = ranked(&parts, &located[..seen.len()], &question);
        prop_assert_eq!(among, ranked(&own, &own_located, &question));
    }
}

#[test]
fn words_and_meaning_are_weighed() {
    let texts: Vec<Named> = [
        ("letters", "The mail carrier brings the letters in the morning.\n"),
        ("tides", "The sea rises and falls twice a day.\n"),
    ]
    .map(|(name, body)| (name.to_owned(), body.to_owned()))
    .into();
    let (parts, located) = index(&texts, 2);
    let figures = CorpusFigures::new(&parts, &located);
    let corpus = Corpus::of(&parts, &figures);
    let question = "post office delivery";
    assert!(corpus.rank(question, KEYWORD).is_empty(), "no word is shared");
    let meaning = corpus.rank(question, Weights { semantic: 1.0, keyword: 0.0 });
    assert_eq!(meaning[0].doc, 0);
    let cosine = f64::from(meaning::cosine(
        &meaning::embed(question).values,
        &corpus.vector(0, 0).map(i8::cast_unsigned),
    ));
    assert!((meaning[0].relevance - cosine).abs() < 0.01, "{} {cosine}", meaning[0].relevance);
    let hybrid = corpus.rank(question, Weights { semantic: 0.3, keyword: 0.7 });
    assert!((hybrid[0].relevance - 0.3 * meaning[0].relevance).abs() < 2e-4);
    let unknown = corpus.unknown("grab letters of a mailCarrier from Kafka, in the morning");
    assert_eq!(unknown, ["mailCarrier", "Kafka"]);
}
