//! Configuration of searches and queries.

use serde::{Deserialize, Serialize};

use super::scalar::{number, size, small, word};
use crate::diagnostic::Diagnostic;
use crate::meaning;
use crate::rules::invalid_config;
use crate::yaml::Node;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchConfig {
    pub mode: SearchMode,
    pub weights: Weights,
    pub limit: usize,
    pub freshness: Freshness,
}

crate::named_enum! {
    /// How searches find results.
    #[derive(Default)]
    pub enum SearchMode {
        /// Words and meaning
        #[default]
        Hybrid = "hybrid",
        /// Words
        Keyword = "keyword",
        /// Meaning
        Semantic = "semantic",
    }
}

crate::named_enum! {
    /// Whether files are checked before the index is used.
    #[derive(Default)]
    pub enum Freshness {
        /// By size and modification time
        #[default]
        Auto = "auto",
        /// Not at all
        Trust = "trust",
        /// By reading all files
        Verify = "verify",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    pub semantic: f64,
    pub keyword: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryConfig {
    pub relative: f64,
    pub novelty_threshold: f64,
    pub half_life_days: u32,
    pub max_tokens: usize,
    pub abstraction: Abstraction,
    pub purpose: Purpose,
}

crate::named_enum! {
    /// The level of detail of an answer.
    #[derive(Default)]
    pub enum Abstraction {
        /// Everything in full.
        Detailed = "detailed",
        /// Summaries.
        Summary = "summary",
        /// One sentence per passage.
        Essence = "essence",
        /// As detailed as the budget allows, by usefulness.
        #[default]
        Adaptive = "adaptive",
    }
}

crate::named_enum! {
    /// The purpose of the answer.
    #[derive(Default)]
    pub enum Purpose {
        /// Answer a question.
        #[default]
        Answer = "answer",
        /// Check whether something is true.
        Verify = "verify",
        /// Get an overview.
        Explore = "explore",
        /// Choose between options.
        Decide = "decide",
        /// Make something new.
        Create = "create",
    }
}

/// Below, embeddings mislead.
const MOSTLY_UNKNOWN: f64 = 0.5;

impl Weights {
    const SEED: Self = Self { semantic: 0.6, keyword: 0.4 };
    const DEFAULT: Self = Self { semantic: 0.35, keyword: 0.65 };

    fn read(node: Option<&Node>) -> Self {
        if node.and_then(Node::as_str) == Some("seed") {
            return Self::SEED;
        }
        let get = |key: &str| node.and_then(|node| node.get(key)).and_then(number);
        Self {
            semantic: get("semantic").unwrap_or(Self::DEFAULT.semantic),
            keyword: get("keyword").unwrap_or(Self::DEFAULT.keyword),
        }
    }

    #[must_use]
    pub fn of_text(self, text: &str) -> Self {
        if self.keyword <= 0.0 || self.semantic <= 0.0 {
            return self;
        }
        let known = meaning::known_share(text);
        let semantic = if known < MOSTLY_UNKNOWN { 0.0 } else { self.semantic * known };
        Self { semantic, keyword: self.keyword + self.semantic - semantic }
    }

    fn scaled(self) -> Self {
        let sum = self.semantic + self.keyword;
        if sum > 0.0 {
            Self { semantic: self.semantic / sum, keyword: self.keyword / sum }
        } else {
            Self::DEFAULT
        }
    }
}

impl SearchConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        Self {
            mode: word(get("mode"), &SearchMode::ALL),
            weights: Weights::read(get("weights")).scaled(),
            limit: get("limit").and_then(size).unwrap_or(5),
            freshness: word(get("freshness"), &Freshness::ALL),
        }
    }
}

impl QueryConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        Self {
            relative: get("relative").and_then(number).unwrap_or(0.5),
            novelty_threshold: get("novelty_threshold").and_then(number).unwrap_or(0.1),
            half_life_days: get("half_life_days").and_then(small).unwrap_or(180),
            max_tokens: get("max_tokens").and_then(size).unwrap_or(2000),
            abstraction: word(get("abstraction"), &Abstraction::ALL),
            purpose: word(get("purpose"), &Purpose::ALL),
        }
    }
}

pub fn check_search(config: &Node) -> Option<Diagnostic> {
    let weights = config.at(&["search", "weights"])?;
    let Weights { semantic, keyword } = Weights::read(Some(weights));
    if semantic + keyword > 0.0 {
        return None;
    }
    let last = weights.entries().last().map_or(weights.span, |entry| entry.value.span);
    let message = "`search.weights` are all zero, so no search would find anything";
    Some(
        invalid_config::RULE
            .at(last, message)
            .help("give `semantic` or `keyword` a weight; only their proportion counts"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::schema::at;
    use super::super::testing::{config, over_defaults, rules, workspace};
    use super::super::typed;
    use super::*;

    fn search(text: &str) -> SearchConfig {
        config(text).search
    }

    #[test]
    fn the_defaults_agree_with_the_file_that_prints_them() {
        let (_, node) = over_defaults("");
        let printed = SearchConfig::read(node.get("search"));
        assert_eq!(printed, SearchConfig::read(None));
        assert_eq!(printed.weights, Weights { semantic: 0.35, keyword: 0.65 });
        assert_eq!((printed.mode, printed.limit), (SearchMode::Hybrid, 5));
        let printed = QueryConfig::read(node.get("query"));
        assert_eq!(printed, QueryConfig::read(None));
        assert_eq!((printed.max_tokens, printed.half_life_days), (2000, 180));
        for section in ["search", "query"] {
            let keys = node.get(section).unwrap().entries().len();
            assert_eq!(keys, at(section).unwrap().fields().len(), "{section}");
        }
    }

    #[test]
    fn values_have_types() {
        let set =
            search("search: { mode: keyword, weights: seed, limit: 10, freshness: verify }\n");
        assert_eq!((set.mode, set.freshness), (SearchMode::Keyword, Freshness::Verify));
        assert_eq!((set.weights, set.limit), (Weights { semantic: 0.6, keyword: 0.4 }, 10));
        let (sources, node) = over_defaults(
            "query: { relative: 0.7, novelty_threshold: 0, half_life_days: 30, max_tokens: 500, \
             abstraction: essence, purpose: decide }\n",
        );
        let expected = QueryConfig {
            relative: 0.7,
            novelty_threshold: 0.0,
            half_life_days: 30,
            max_tokens: 500,
            abstraction: Abstraction::Essence,
            purpose: Purpose::Decide,
        };
        assert_eq!(typed(&node, &sources).query, expected);
    }

    #[test]
    fn meaning_counts_as_far_as_words_are_known() {
        let semantic = |text: &str| Weights::DEFAULT.of_text(text).semantic;
        assert!((semantic("rotate the keys") - Weights::DEFAULT.semantic).abs() < 1e-12);
        assert!(semantic("rotate the qzxvk") > 0.0 && semantic("rotate the qzxvk") < 0.35);
        assert!(semantic("qzxvk wrtpl keys").abs() < 1e-12, "most are unknown");
        let only = Weights { semantic: 1.0, keyword: 0.0 };
        assert_eq!(only.of_text("qzxvk"), only);
    }

    #[test]
    fn weights_are_scaled() {
        let weights = |text: &str| search(&format!("search: {{ weights: {text} }}\n")).weights;
        let half = Weights { semantic: 0.5, keyword: 0.5 };
        assert_eq!(weights("{ semantic: 4, keyword: 4 }"), half);
        assert_eq!(weights("{ semantic: 0.65 }"), half);
        assert_eq!(weights("{ semantic: 0 }"), Weights { semantic: 0.0, keyword: 1.0 });
        assert_eq!(weights("{ semantic: 0, keyword: 0 }"), Weights::DEFAULT);
    }

    #[test]
    fn weights_of_zero_are_found() {
        let find = |text: &str| {
            let (sources, node) = over_defaults(text);
            check_search(&node).map(|one| (one.code(), sources.place(one.primary.span)))
        };
        let place = Some(("invalid-config", ".faber/config.yml:1".into()));
        assert_eq!(find("search: { weights: { semantic: 0, keyword: 0 } }\n"), place);
        for text in ["", "search: { weights: seed }\n", "search: { weights: { keyword: 0 } }\n"] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn slips_are_found() {
        let (sources, _, found) = workspace(
            "search: { mod: hybrid, limit: 51, weights: { keywords: 1 }, freshness: very }\n\
             query: { novelty: 1, purpose: anser, half_life_days: 0 }\n",
        );
        let (unknown, invalid) = ("unknown-config-key", "invalid-config");
        let expected = [
            (unknown, "mod"),
            (invalid, "51"),
            (unknown, "keywords"),
            (invalid, "very"),
            (unknown, "novelty"),
            (invalid, "anser"),
            (invalid, "0"),
        ];
        assert_eq!(rules(&sources, &found), expected);
        let help: Vec<_> = found.iter().filter_map(|one| one.help.as_deref()).collect();
        for word in ["mode", "keyword", "answer"] {
            assert!(help.contains(&&*format!("did you mean `{word}`?")), "{help:?}");
        }
        let (_, _, found) = workspace("search: { weights: sead }\n");
        assert_eq!(found[0].message, "`search.weights` takes `seed` or a map, not `sead`");
        assert_eq!(found[0].help.as_deref(), Some("did you mean `seed`?"));
    }
}
