//! Thresholds of large conversations.

use super::amount::Amount;
use crate::conversation::trigger::Triggers;
use crate::yaml::Node;

/// Absolute, or shares of the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConversationConfig {
    pub summarize: Amount,
    /// Of shortened and omitted messages.
    pub archive: Amount,
    pub truncate: Amount,
}

impl Default for ConversationConfig {
    fn default() -> Self {
        let percent = Amount::Percent;
        Self { summarize: percent(80.0), archive: percent(90.0), truncate: percent(95.0) }
    }
}

impl ConversationConfig {
    pub fn triggers(&self, total: u64) -> Triggers {
        Triggers {
            summarize: self.summarize.of(total),
            archive: self.archive.of(total),
            truncate: self.truncate.of(total),
        }
    }

    pub(super) fn read(node: Option<&Node>) -> Self {
        let triggers = node.and_then(|node| node.get("triggers"));
        let get = |key: &str, unsaid| {
            triggers.and_then(|node| node.get(key)).and_then(Amount::read).unwrap_or(unsaid)
        };
        let unsaid = Self::default();
        Self {
            summarize: get("summarize", unsaid.summarize),
            archive: get("archive", unsaid.archive),
            truncate: get("truncate", unsaid.truncate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::over_defaults;
    use super::super::typed;
    use super::*;

    #[test]
    fn sizes_are_shares_of_the_whole_or_tokens() {
        let (sources, node) = over_defaults("");
        assert_eq!(typed(&node, &sources).conversation, ConversationConfig::default());
        let (sources, node) = over_defaults("conversation: { triggers: { archive: 7000 } }\n");
        let triggers = typed(&node, &sources).conversation.triggers(10_000);
        assert_eq!(triggers, Triggers { summarize: 8000, archive: 7000, truncate: 9500 });
    }
}
