//! How things are searched and what answers to queries are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::amount::{number, whole};
use crate::config::Abstraction;
use crate::config::Purpose;
use crate::diagnostic::Diagnostic;
use crate::rules::invalid_config;
use crate::yaml::Node;

/// How things are searched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchConfig {
    /// What a search goes by.
    pub mode: SearchMode,
    /// How much words and meaning count in a hybrid search.
    pub weights: Weights,
    /// How many results there are at most, 1 to 10.
    pub limit: usize,
    /// Whether files are looked at before the index is believed.
    pub freshness: Freshness,
}

/// What a search goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchMode {
    /// Words and meaning
    #[default]
    Hybrid,
    /// Words
    Keyword,
    /// Meaning
    Semantic,
}

/// Whether files are looked at before the index is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Freshness {
    /// Look at the stamps of files, and read those that have changed
    #[default]
    Auto,
    /// Do not look
    Trust,
    /// Read all files
    Verify,
}

/// Shares of a hybrid score; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Of what is close in meaning.
    pub semantic: f64,
    /// Of what has the words.
    pub keyword: f64,
}

/// How answers to queries are made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryConfig {
    /// The novelty, 0 to 1, below which something is not told.
    pub novelty_threshold: f64,
    /// The days after which something is half as fresh.
    pub half_life_days: u32,
    /// The most tokens of an answer.
    pub max_tokens: usize,
    /// The level of detail.
    pub abstraction: Abstraction,
    /// What it is for.
    pub purpose: Purpose,
}

impl SearchMode {
    /// Every value with the word that names it.
    pub const ALL: [(&'static str, Self); 3] =
        [("hybrid", Self::Hybrid), ("keyword", Self::Keyword), ("semantic", Self::Semantic)];
}

impl Freshness {
    /// Every value with the word that names it.
    pub const ALL: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("trust", Self::Trust), ("verify", Self::Verify)];
}

impl Weights {
    /// What `seed` stands for: meaning before words.
    const SEED: Self = Self { semantic: 0.6, keyword: 0.4 };
    const DEFAULT: Self = Self { semantic: 0.35, keyword: 0.65 };

    /// The weights as they are written, before they are scaled.
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

    /// The same proportion with the sum 1; the default when both are zero.
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
    /// Reads `search` of a merged configuration.
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let limit = get("limit").and_then(whole).and_then(|limit| usize::try_from(limit).ok());
        Self {
            mode: word(get("mode"), &SearchMode::ALL),
            weights: Weights::read(get("weights")).scaled(),
            limit: limit.unwrap_or(5),
            freshness: word(get("freshness"), &Freshness::ALL),
        }
    }
}

impl QueryConfig {
    /// Reads `query` of a merged configuration.
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let days = get("half_life_days").and_then(whole).and_then(|days| u32::try_from(days).ok());
        let tokens = get("max_tokens").and_then(whole);
        Self {
            novelty_threshold: get("novelty_threshold").and_then(number).unwrap_or(0.1),
            half_life_days: days.unwrap_or(180),
            max_tokens: tokens.map_or(2000, |most| usize::try_from(most).unwrap_or(usize::MAX)),
            abstraction: word(get("abstraction"), &Abstraction::ALL),
            purpose: word(get("purpose"), &Purpose::ALL),
        }
    }
}

/// What a word stands for; the default when it stands for nothing.
fn word<T: Copy + Default>(node: Option<&Node>, known: &[(&str, T)]) -> T {
    let text = node.and_then(Node::as_str).unwrap_or_default();
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).unwrap_or_default()
}

/// Finds weights that leave nothing to search by, in a merged configuration.
pub fn check_search(config: &Node) -> Option<Diagnostic> {
    let weights = config.get("search")?.get("weights")?;
    let Weights { semantic, keyword } = Weights::read(Some(weights));
    if semantic + keyword > 0.0 {
        return None;
    }
    // The map may be that of a lower place; its values know who set them.
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
    use super::super::testing::{over_defaults, rules, workspace};
    use super::super::typed;
    use super::*;

    fn search(text: &str) -> SearchConfig {
        let (sources, node) = over_defaults(text);
        typed(&node, &sources).search
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
    fn what_is_set_has_types() {
        let set =
            search("search: { mode: keyword, weights: seed, limit: 10, freshness: verify }\n");
        assert_eq!((set.mode, set.freshness), (SearchMode::Keyword, Freshness::Verify));
        assert_eq!((set.weights, set.limit), (Weights { semantic: 0.6, keyword: 0.4 }, 10));
        let (sources, node) = over_defaults(
            "query: { novelty_threshold: 0, half_life_days: 30, max_tokens: 500, \
             abstraction: essence, purpose: decide }\n",
        );
        let expected = QueryConfig {
            novelty_threshold: 0.0,
            half_life_days: 30,
            max_tokens: 500,
            abstraction: Abstraction::Essence,
            purpose: Purpose::Decide,
        };
        assert_eq!(typed(&node, &sources).query, expected);
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
            "search: { mod: hybrid, limit: 11, weights: { keywords: 1 }, freshness: very }\n\
             query: { novelty: 1, purpose: anser, half_life_days: 0 }\n",
        );
        let (unknown, invalid) = ("unknown-config-key", "invalid-config");
        let expected = [
            (unknown, "mod"),
            (invalid, "11"),
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
