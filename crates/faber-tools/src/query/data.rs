//! The data format of context queries. Field names are stable.

use schemars::JsonSchema;
use serde::Serialize;

use super::choose::{Chosen, ChunkCandidate, ChunkChoice, Omission};
use super::reasoning;
use super::utility::Components;
use crate::search::found;
use crate::search::item::SearchItem;
use crate::search::view::SearchView;
use faber_core::budget::level::Level;
use faber_core::config::Purpose;
use faber_core::escape::Visible;
use faber_core::{markdown, numbers};

/// `faber query --format json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct QueryData {
    /// `faber.query/1`.
    pub schema: &'static str,
    /// The query.
    pub query: String,
    /// Its purpose.
    pub purpose: Purpose,
    /// The passages, in the order of choice.
    pub beliefs: Vec<BeliefData>,
    /// The tokens of the answer as Markdown.
    pub total_tokens: usize,
    /// Whether something new was left out or shortened.
    pub truncated: bool,
    /// The lowest confidence of the passages; none without any.
    pub confidence_floor: Option<f64>,
    /// The share of the utility of all relevant passages that is in the answer, times the strength
    /// of the best match. None if nothing relevant is known.
    pub coverage_estimate: Option<f64>,
    /// Whether even the best passage is hardly related.
    pub weak: bool,
    /// Its words that no text has.
    pub unknown: Vec<String>,
    /// The best match, if it does not fit; for texts.
    #[serde(skip)]
    pub unfit: Option<UnfitPassage>,
    /// The least `max_tokens` for an answer with a passage, if no passage fits.
    #[serde(skip)]
    pub needed: Option<usize>,
    /// The number of relevant passages that were left out, without repetitions; for texts.
    #[serde(skip)]
    pub left_out: usize,
    /// The encoder that reranked the best passages, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoder: Option<String>,
    /// Why the answer is from the workspace instead of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_away: Option<String>,
    /// Passages with more text.
    pub expandable_ids: Vec<String>,
    /// Whether a passage has a contradiction.
    pub contradictions_available: bool,
    /// Pairs of its passages that contradict each other, for texts.
    #[serde(skip)]
    pub conflicts: Vec<[String; 2]>,
    /// Why these passages were chosen, one sentence per line.
    pub selection_reasoning: String,
}

/// One passage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BeliefData {
    /// Its id, which `faber expand` takes.
    pub id: String,
    /// Its text at this level.
    pub content: String,
    /// Its title and origin.
    #[serde(flatten)]
    pub label: PassageLabel,
    /// Its reliability, 0 to 1.
    pub confidence: f64,
    /// How far its source is trusted, 0 to 1.
    pub source_trust: f64,
    /// Its relevance to the query, 0 to 1.
    pub relevance_score: f64,
    /// Its usefulness for the purpose given the passages before it, 0 to 1.
    pub utility: f64,
    /// Its tokens at this level.
    pub token_count: usize,
    /// Its level of detail.
    pub level: Level,
    /// The components of its utility.
    pub components: Components,
    /// Whether it names its sources.
    pub has_derivation: bool,
    /// Whether there is more text.
    pub has_more_detail: bool,
    /// The number of its contradictions.
    pub contradiction_count: usize,
    /// Its sources, with `--derivations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derivation: Option<Vec<DerivationData>>,
    /// Its contradictions, with `--contradictions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradictions: Option<Vec<ContradictionData>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct UnfitPassage {
    pub id: String,
    pub tokens: usize,
}

/// A source of a passage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DerivationData {
    /// Its id, or its description if it has none.
    pub source: String,
    /// Its title; none if it is only named.
    pub title: Option<String>,
    /// Its reliability, 0 to 1; none if unknown.
    pub confidence: Option<f64>,
}

/// A contradiction of a passage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ContradictionData {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its text, in a sentence.
    pub essence: String,
    /// Its reliability, 0 to 1.
    pub confidence: f64,
}

/// The title and origin of a passage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PassageLabel {
    /// Its id, which is also that of the passage.
    #[serde(skip)]
    pub id: String,
    /// The title of its text.
    pub title: String,
    /// Its scope, with its name if it has one.
    pub scope: String,
    /// The file, from the workspace root.
    pub path: String,
    /// All files of its text, for its label.
    #[serde(skip)]
    pub files: String,
    /// The line in the file, from 1.
    pub line: usize,
    /// Its owner.
    pub contributed_by: Option<String>,
    /// The date of its last change or validity, if known: `YYYY-MM-DD`.
    pub created_at: Option<String>,
    /// All of this in a line, for texts.
    #[serde(skip)]
    pub facts: String,
    /// Its sources and contradictions, as a continuation of the line.
    #[serde(skip)]
    pub notes: String,
}

impl PassageLabel {
    pub fn new(id: &str, item: &SearchItem, view: &SearchView, confidence: f64) -> Self {
        let scope = item.scope(view.role.is_some());
        let own = || scope.listed().and_then(|listed| view.names.get(&listed)).cloned();
        let name = item.layer_name.clone().or_else(own);
        let named = |scope: &str| match &name {
            Some(name) => format!("{scope} {}", markdown::collapse(name)),
            None => scope.to_owned(),
        };
        let created_at = item.dated.map(|date| date.to_string());
        let facts = [
            Some(format!("confidence: {confidence:.2}")),
            Some(named(scope.word(item.layers.last().copied()))),
        ];
        let owner = item.owner.as_deref().map(markdown::collapse);
        let facts = facts.into_iter().chain([owner, created_at.clone()]).flatten();
        let facts: Vec<String> = facts.map(|fact| Visible(&fact).to_string()).collect();
        Self {
            id: id.to_owned(),
            title: item.title.clone(),
            scope: named(scope.name()),
            path: item.cited(&item.path),
            files: String::new(),
            line: 1,
            contributed_by: item.owner.clone(),
            created_at,
            facts: facts.join(", "),
            notes: String::new(),
        }
    }
}

impl DerivationData {
    pub fn described(&self) -> String {
        described(&self.source, self.title.as_deref(), self.confidence)
    }
}

impl ContradictionData {
    pub fn described(&self) -> String {
        described(&self.id, Some(&self.title), Some(self.confidence))
    }
}

fn described(id: &str, title: Option<&str>, confidence: Option<f64>) -> String {
    let title = title.filter(|title| *title != id).map(|title| format!(" \"{title}\""));
    let confidence = confidence.map(|confidence| format!(" (confidence {confidence:.2})"));
    format!("{id}{}{}", title.unwrap_or_default(), confidence.unwrap_or_default())
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    pub label: PassageLabel,
    pub has_derivation: bool,
    pub contradicts: Vec<String>,
    pub derivation: Option<Vec<DerivationData>>,
    pub contradictions: Option<Vec<ContradictionData>>,
}

#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    pub query: &'a str,
    pub purpose: Purpose,
    /// How well the best match answers, 0 to 1.
    pub strength: f64,
    pub is_weak: bool,
    pub unknown: &'a [String],
    pub encoder: Option<&'a str>,
}

impl QueryData {
    pub fn lacks_passages(&self) -> bool {
        self.beliefs.is_empty() && self.truncated
    }

    pub fn new(
        about: &About<'_>,
        candidates: &[ChunkCandidate],
        choice: &ChunkChoice,
        facts: impl Fn(&Chosen) -> Facts,
    ) -> Self {
        let facts: Vec<Facts> = choice.chosen.iter().map(facts).collect();
        let conflicts = conflicts(&facts);
        let belief = |(chosen, facts): (&Chosen, Facts)| {
            BeliefData::new(&candidates[chosen.candidate].id, chosen, facts)
        };
        let beliefs: Vec<BeliefData> = choice.chosen.iter().zip(facts).map(belief).collect();
        let more = beliefs.iter().filter(|belief| belief.has_more_detail);
        let coverage = rounded(choice.completeness * about.strength);
        let mut reasons = reasoning::sentences(candidates, choice, about.purpose);
        reasons.extend(about.encoder.map(found::ranked_with));
        Self {
            schema: "faber.query/1",
            query: about.query.to_owned(),
            purpose: about.purpose,
            total_tokens: choice.total_tokens,
            truncated: choice.truncated,
            confidence_floor: beliefs.iter().map(|belief| belief.confidence).reduce(f64::min),
            coverage_estimate: (!candidates.is_empty()).then_some(coverage),
            unknown: about.unknown.to_vec(),
            unfit: None,
            needed: None,
            left_out: choice.left_out.iter().filter(|one| one.why != Omission::Redundant).count(),
            weak: !candidates.is_empty() && about.is_weak,
            encoder: about.encoder.map(str::to_owned),
            store_away: None,
            expandable_ids: more.map(|belief| belief.id.clone()).collect(),
            contradictions_available: beliefs.iter().any(|belief| belief.contradiction_count > 0),
            conflicts,
            selection_reasoning: reasons.join("\n"),
            beliefs,
        }
    }
}

impl BeliefData {
    fn new(id: &str, chosen: &Chosen, facts: Facts) -> Self {
        let components = chosen.components.map(rounded);
        Self {
            id: id.to_owned(),
            content: chosen.form.content.clone(),
            label: facts.label,
            confidence: components.confidence,
            source_trust: components.trust,
            relevance_score: components.relevance,
            utility: rounded(chosen.utility),
            token_count: chosen.form.tokens,
            level: chosen.form.level,
            components,
            has_derivation: facts.has_derivation,
            has_more_detail: chosen.form.level != Level::Detailed,
            contradiction_count: facts.contradicts.len(),
            derivation: facts.derivation,
            contradictions: facts.contradictions,
        }
    }
}

fn conflicts(facts: &[Facts]) -> Vec<[String; 2]> {
    let is_of = |id: &str, item: &str| {
        id.strip_prefix(item).is_some_and(|rest| rest.is_empty() || rest.starts_with(['#', '~']))
    };
    let of = |(at, one): (usize, &'_ Facts)| -> Vec<[String; 2]> {
        let others = &facts[at + 1..];
        let named = one.contradicts.iter().filter_map(|item| {
            others.iter().map(|other| &other.label.id).find(|id| is_of(id, item))
        });
        named.map(|id| [one.label.id.clone(), id.clone()]).collect()
    };
    facts.iter().enumerate().flat_map(of).collect()
}

pub(super) fn rounded(figure: f64) -> f64 {
    numbers::rounded(figure, 1000.0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::choose::{ChunkForm, QueryLimits, choose};
    use super::*;

    pub(in crate::query) fn sample() -> (Vec<ChunkCandidate>, ChunkChoice) {
        let components = |relevance| Components {
            relevance,
            confidence: 0.8,
            trust: 0.5,
            recency: 0.5,
            density: 1.0 / 3.0,
            novelty: 0.0,
        };
        let candidate = |id: &str, relevance| ChunkCandidate {
            id: id.to_owned(),
            components: components(relevance),
            relative: relevance / 0.9,
            weight: 1.0,
            dated: None,
        };
        let candidates = vec![
            candidate("standard/tokens#expiry", 0.9),
            candidate("standard/tokens#lifetime", 0.8),
            candidate("pattern/outbox", 0.4),
        ];
        let alike = |a: usize, b: usize| if (a, b) == (0, 1) { 0.97 } else { 0.2 };
        let limits = QueryLimits {
            max_tokens: 100,
            target_tokens: 100,
            novelty_threshold: 0.1,
            purpose: Purpose::Answer,
        };
        let mut fit = |at: usize, _, _| {
            let (level, tokens, share) =
                if at == 2 { (Level::Essence, 10, 0.3) } else { (Level::Detailed, 40, 1.0) };
            Some(ChunkForm { level, content: format!("Text {at}."), tokens, share })
        };
        let choice = choose(&candidates, &alike, &limits, &mut fit);
        (candidates, choice)
    }

    const ABOUT: About<'static> = About {
        query: "how long",
        purpose: Purpose::Answer,
        strength: 1.0,
        is_weak: false,
        unknown: &[],
        encoder: None,
    };

    pub(in crate::query) fn sample_data() -> QueryData {
        let (candidates, choice) = sample();
        QueryData::new(&ABOUT, &candidates, &choice, |chosen| Facts {
            label: PassageLabel {
                id: candidates[chosen.candidate].id.clone(),
                facts: "confidence: 0.80, space".to_owned(),
                ..PassageLabel::default()
            },
            contradicts: vec!["pattern/saga".to_owned(); chosen.candidate],
            ..Facts::default()
        })
    }

    #[test]
    fn the_answer_has_every_figure() {
        let data = serde_json::to_value(sample_data()).unwrap();
        let first = &data["beliefs"][0];
        assert_eq!(
            (first["id"].as_str(), &first["level"]),
            (Some("standard/tokens#expiry"), &"detailed".into())
        );
        assert_eq!(first["content"], "Text 0.");
        assert_eq!((&first["utility"], &first["token_count"]), (&0.727.into(), &40.into()));
        assert_eq!(
            (&first["components"]["density"], &first["components"]["novelty"]),
            (&0.333.into(), &1.0.into())
        );
        assert!(first.get("derivation").is_none());
        let second = &data["beliefs"][1];
        assert_eq!(
            (&second["id"], &second["level"]),
            (&"pattern/outbox".into(), &"essence".into())
        );
        assert_eq!(second["components"]["novelty"], 0.8);
        assert_eq!(data["beliefs"].as_array().unwrap().len(), 2);
        assert_eq!((&data["total_tokens"], &data["truncated"]), (&50.into(), &true.into()));
        assert_eq!(data["expandable_ids"], serde_json::json!(["pattern/outbox"]));
        assert_eq!(
            (&data["confidence_floor"], &data["contradictions_available"]),
            (&0.8.into(), &true.into())
        );
    }

    #[test]
    fn passages_that_contradict_each_other_are_named() {
        let facts = |id: &str, contradicts: &[&str]| Facts {
            label: PassageLabel { id: id.to_owned(), ..PassageLabel::default() },
            contradicts: contradicts.iter().map(|id| (*id).to_owned()).collect(),
            ..Facts::default()
        };
        let facts = [
            facts("history/a", &["reference/home", "a talk"]),
            facts("reference/home/b.md", &[]),
            facts("reference/home#days", &["history/a"]),
        ];
        assert_eq!(conflicts(&facts), [["history/a", "reference/home#days"]]);
        let mut data = sample_data();
        data.conflicts = conflicts(&facts);
        let line = "`history/a` and `reference/home#days` contradict each other.";
        assert!(super::super::markdown::section(&data).contains(line));
    }

    #[test]
    fn nothing_known_is_an_answer_too() {
        let about = About { strength: 0.0, is_weak: true, ..ABOUT };
        let data = QueryData::new(&about, &[], &ChunkChoice::default(), |_| Facts::default());
        assert!(data.beliefs.is_empty() && !data.truncated && data.confidence_floor.is_none());
        assert!(data.coverage_estimate.is_none() && !data.weak);
    }
}
