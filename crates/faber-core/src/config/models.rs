//! The table of models.

use std::collections::BTreeMap;

use super::scalar::{map, small, whole};
use crate::yaml::Node;

const NEAREST: (&str, u32) = ("o200k_base", 20);
const SMALL_WINDOW: u64 = 8192;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub encoding: String,
    pub window: u64,
    /// 0 if the tokenizer is public or reconstructed.
    pub margin_percent: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Models(pub BTreeMap<String, Model>);

impl Models {
    /// The exact name, else the longest prefix, without case and provider (`openai/`).
    pub fn find(&self, name: &str) -> Option<(&str, &Model)> {
        if let Some((row, model)) = self.0.get_key_value(name) {
            return Some((row, model));
        }
        let lower = name.to_lowercase();
        let bare = lower.rsplit('/').next().unwrap_or(&lower);
        let begins = |row: &str| !row.is_empty() && bare.starts_with(&row.to_lowercase());
        self.0
            .iter()
            .filter(|(row, _)| begins(row))
            .max_by_key(|(row, _)| row.len())
            .map(|(row, model)| (&**row, model))
    }

    pub fn ways(&self) -> Vec<&str> {
        let mut ways: BTreeMap<_, (&str, u64)> = BTreeMap::new();
        for (name, model) in &self.0 {
            let way = (&*model.encoding, model.margin_percent);
            let known = ways.entry(way).or_insert((name, model.window));
            if model.window > known.1 {
                *known = (name, model.window);
            }
        }
        ways.into_values().map(|(name, _)| name).collect()
    }

    pub(super) fn read(node: Option<&Node>) -> Self {
        Self(map(node, |node| Some(row(node))))
    }
}

fn row(node: &Node) -> Model {
    let encoding = node.get("encoding").and_then(Node::as_str);
    let unsaid = if encoding.is_some() { 0 } else { NEAREST.1 };
    Model {
        encoding: encoding.unwrap_or(NEAREST.0).to_owned(),
        window: node.get("window").and_then(whole).unwrap_or(SMALL_WINDOW),
        margin_percent: node.get("margin_percent").and_then(small).unwrap_or(unsaid),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::config;
    use super::*;

    fn models(text: &str) -> Models {
        config(text).models
    }

    #[test]
    fn a_model_is_found_by_name_or_by_its_longest_beginning() {
        let models = models("");
        let row = |name| models.find(name).map(|(row, _)| row);
        assert_eq!(row("gpt-4o"), Some("gpt-4o"));
        assert_eq!(row("gpt-4o-2024-08-06"), Some("gpt-4o"));
        assert_eq!(row("gpt-4-0613"), Some("gpt-4"));
        assert_eq!(row("gpt-4.1-mini"), Some("gpt-4.1"));
        assert_eq!(row("anthropic/Claude-Sonnet-4-5"), Some("claude-sonnet-4-5"));
        assert_eq!(row("claude-opus-4-8-20260528"), Some("claude-opus-4-8"));
        assert_eq!(row("claude-opus-4"), Some("claude-opus-4"));
        assert_eq!(row("claude-opus-6"), Some("claude"), "the newest");
        assert_eq!(row("llama3.1:8b"), Some("llama"));
        assert_eq!((row("gpt"), row(""), row("unknown")), (None, None, None));
    }

    #[test]
    fn encodings_margins_and_windows() {
        let models = models("");
        let model = |name| models.find(name).unwrap().1;
        assert_eq!(model("gpt-4o").encoding, "o200k_base");
        assert_eq!(
            (&*model("gpt-3.5-turbo").encoding, model("gpt-4").window),
            ("cl100k_base", 8192)
        );
        for (name, model) in &models.0 {
            let openai = ["gpt-3", "gpt-4", "gpt-5", "gpt-oss", "chatgpt", "o1", "o3", "o4"];
            let known = ["claude"].iter().chain(&openai).any(|family| name.starts_with(family));
            assert_eq!(model.margin_percent == 0, known, "{name}");
            assert_eq!(model.encoding.starts_with("claude"), name.starts_with("claude"), "{name}");
        }
    }

    #[test]
    fn the_user_adds_and_changes_rows() {
        let models = models(
            "models: { claude: { window: 1000000 }, Mine: { window: 5 }, x: { encoding: cl100k_base } }\n",
        );
        let model = |name| models.find(name).unwrap().1.clone();
        assert_eq!(
            (model("claude-x").window, &*model("claude-x").encoding),
            (1_000_000, "claude_4.8")
        );
        assert_eq!((model("mine").window, model("Mine-2").margin_percent), (5, 20));
        assert_eq!((model("x").window, model("x").margin_percent), (8192, 0));
    }
}
