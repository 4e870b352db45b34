//! The data format of context queries. Field names are a promise to programs.

use schemars::JsonSchema;
use serde::Serialize;

use super::choose::{Candidate, Choice, Chosen};
use super::reasoning;
use super::utility::Components;
use faber_core::budget::level::Level;
use faber_core::config::Purpose;

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
    /// The tokens of all passages.
    pub total_tokens: usize,
    /// Whether something new was left out or shortened.
    pub truncated: bool,
    /// The lowest confidence of the passages; none without any.
    pub confidence_floor: Option<f64>,
    /// The share of the relevant text in the answer, 0 to 1.
    pub coverage_estimate: f64,
    /// Passages with more text.
    pub expandable_ids: Vec<String>,
    /// Whether a passage has a contradiction.
    pub contradictions_available: bool,
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

/// A source of a passage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DerivationData {
    /// Its id, or its description if it has none.
    pub source: String,
    /// Its reliability, 0 to 1; none if unknown.
    pub confidence: Option<f64>,
}

/// A contradiction of a passage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ContradictionData {
    /// Its id.
    pub id: String,
    /// Its text, in a sentence.
    pub essence: String,
    /// Its reliability, 0 to 1.
    pub confidence: f64,
}

/// Facts about a passage that the choice does not know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Its text in the chosen form.
    pub content: String,
    pub has_derivation: bool,
    pub contradiction_count: usize,
    /// Its sources, if requested.
    pub derivation: Option<Vec<DerivationData>>,
    /// Its contradictions, if requested.
    pub contradictions: Option<Vec<ContradictionData>>,
}

impl QueryData {
    /// The answer to `query`. `choice` was made from `candidates`; `facts` are about the chosen
    /// ones.
    pub fn new(
        (query, purpose): (&str, Purpose),
        candidates: &[Candidate],
        choice: &Choice,
        facts: impl Fn(&Chosen) -> Facts,
    ) -> Self {
        let belief = |chosen: &Chosen| {
            BeliefData::new(&candidates[chosen.candidate].id, chosen, facts(chosen))
        };
        let beliefs: Vec<BeliefData> = choice.chosen.iter().map(belief).collect();
        let more = beliefs.iter().filter(|belief| belief.has_more_detail);
        Self {
            schema: "faber.query/1",
            query: query.to_owned(),
            purpose,
            total_tokens: choice.total_tokens,
            truncated: choice.truncated,
            confidence_floor: beliefs.iter().map(|belief| belief.confidence).reduce(f64::min),
            coverage_estimate: rounded(choice.coverage_estimate),
            expandable_ids: more.map(|belief| belief.id.clone()).collect(),
            contradictions_available: beliefs.iter().any(|belief| belief.contradiction_count > 0),
            selection_reasoning: reasoning::sentences(candidates, choice, purpose).join("\n"),
            beliefs,
        }
    }
}

impl BeliefData {
    fn new(id: &str, chosen: &Chosen, facts: Facts) -> Self {
        let components = Components {
            relevance: rounded(chosen.components.relevance),
            confidence: rounded(chosen.components.confidence),
            trust: rounded(chosen.components.trust),
            recency: rounded(chosen.components.recency),
            density: rounded(chosen.components.density),
            novelty: rounded(chosen.components.novelty),
        };
        Self {
            id: id.to_owned(),
            content: facts.content,
            confidence: components.confidence,
            source_trust: components.trust,
            relevance_score: components.relevance,
            utility: rounded(chosen.utility),
            token_count: chosen.form.tokens,
            level: chosen.form.level,
            components,
            has_derivation: facts.has_derivation,
            has_more_detail: chosen.form.level != Level::Detailed,
            contradiction_count: facts.contradiction_count,
            derivation: facts.derivation,
            contradictions: facts.contradictions,
        }
    }
}

/// Rounded to thousandths.
fn rounded(figure: f64) -> f64 {
    (figure * 1000.0).round() / 1000.0
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::choose::{Form, Limits, choose};
    use super::*;

    /// Three candidates: one is chosen in full, one shortened, and one repeats the first.
    pub(in crate::query) fn sample() -> (Vec<Candidate>, Choice) {
        let components = |relevance| Components {
            relevance,
            confidence: 0.8,
            trust: 0.5,
            recency: 0.5,
            density: 1.0 / 3.0,
            novelty: 0.0,
        };
        let form = |level, tokens| Form { level, tokens };
        let candidate = |id: &str, relevance, tokens| Candidate {
            id: id.to_owned(),
            components: components(relevance),
            forms: vec![form(Level::Detailed, tokens), form(Level::Essence, 10)],
        };
        let candidates = vec![
            candidate("standard/tokens#expiry", 0.9, 40),
            candidate("standard/tokens#lifetime", 0.8, 40),
            candidate("pattern/outbox", 0.4, 400),
        ];
        let alike = |a: usize, b: usize| if (a, b) == (0, 1) { 0.97 } else { 0.2 };
        let limits = Limits {
            max_tokens: 100,
            target_tokens: 100,
            novelty_threshold: 0.1,
            purpose: Purpose::Answer,
        };
        let choice = choose(&candidates, &alike, &limits);
        (candidates, choice)
    }

    /// The answer for [`sample`].
    pub(in crate::query) fn sample_data() -> QueryData {
        let (candidates, choice) = sample();
        QueryData::new(("how long", Purpose::Answer), &candidates, &choice, |chosen| Facts {
            content: format!("Text {}.", chosen.candidate),
            contradiction_count: chosen.candidate,
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
    fn nothing_known_is_an_answer_too() {
        let choice = choose(
            &[],
            &|_, _| 0.0,
            &Limits {
                max_tokens: 0,
                target_tokens: 0,
                novelty_threshold: 0.1,
                purpose: Purpose::Answer,
            },
        );
        let data = QueryData::new(("x", Purpose::Answer), &[], &choice, |_| Facts::default());
        assert!(data.beliefs.is_empty() && !data.truncated && data.confidence_floor.is_none());
    }
}
