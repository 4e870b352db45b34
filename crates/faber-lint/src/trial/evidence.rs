use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use faber_core::document::Document;
use faber_core::packs;
use faber_core::source::SourceMap;

pub const FILE: &str = ".faber/evidence.json";
const SCHEMA: &str = "faber.evidence/1";

/// `.faber/evidence.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// `faber.evidence/1`.
    pub schema: String,
    /// The results of trials by context id; `(pack)` for two versions of the workspace.
    pub contexts: BTreeMap<String, ContextEvidence>,
}

/// The results of trials for one context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextEvidence {
    /// The date on which the verdicts were read.
    pub date: String,
    /// The hash of the text that was tried; none of `(pack)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How many cases were compared.
    pub cases: usize,
    /// How many runs were judged, with and without it.
    pub runs: usize,
    /// The mean score of the answers with it, from 0 to 1.
    pub with: f64,
    /// The mean score of the answers without it.
    pub without: f64,
    /// `with` less `without`.
    pub difference: f64,
    /// The lower bound of the 95 % interval of the difference; none for one case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Its cost in tokens: the mean difference of the bundles.
    pub tokens: f64,
    /// The difference per 1 000 tokens; none if it costs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
}

pub type TextHashes = BTreeMap<String, String>;

pub fn text_hashes<'a>(
    documents: impl IntoIterator<Item = &'a Document>,
    sources: &SourceMap,
) -> TextHashes {
    let mut hashers: BTreeMap<String, blake3::Hasher> = BTreeMap::new();
    for document in documents {
        if !sources.path(document.file).starts_with(packs::FOLDER) {
            let hasher = hashers.entry(document.id.to_string()).or_default();
            hasher.update(sources.text(document.body).as_bytes()).update(&[0]);
        }
    }
    let short = |hasher: &blake3::Hasher| hasher.finalize().to_hex()[..16].to_owned();
    hashers.iter().map(|(id, hasher)| (id.clone(), short(hasher))).collect()
}

impl Evidence {
    /// # Errors
    ///
    /// A message with the line.
    pub fn read(text: &str) -> Result<Self, String> {
        let evidence: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if evidence.schema != SCHEMA {
            return Err(format!("`schema` is `{}`, not `{SCHEMA}`", evidence.schema));
        }
        Ok(evidence)
    }

    pub fn with(mut self, results: BTreeMap<String, ContextEvidence>) -> String {
        SCHEMA.clone_into(&mut self.schema);
        self.contexts.extend(results);
        serde_json::to_string_pretty(&self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_replace_those_of_the_same_context_only() {
        let of = |with: f64| ContextEvidence {
            date: "2026-01-15".to_owned(),
            text: None,
            cases: 2,
            runs: 4,
            with,
            without: 0.5,
            difference: with - 0.5,
            low: None,
            high: None,
            tokens: 10.0,
            gain: None,
        };
        let first = Evidence::default()
            .with(BTreeMap::from([("a/b".to_owned(), of(0.5)), ("a/c".to_owned(), of(0.5))]));
        let second =
            Evidence::read(&first).unwrap().with(BTreeMap::from([("a/c".to_owned(), of(1.0))]));
        let read = Evidence::read(&second).unwrap();
        assert_eq!((read.contexts["a/b"].with, read.contexts["a/c"].with), (0.5, 1.0));
        assert!(
            Evidence::read("{}").is_err() && Evidence::read(&first.replace("/1", "/2")).is_err()
        );
    }
}
