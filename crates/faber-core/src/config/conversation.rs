//! Thresholds of large conversations.

use super::amount::Amount;
use crate::conversation::trigger::Trigger;
use crate::yaml::Node;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConversationConfig(pub [Amount; Trigger::NAMES.len()]);

impl Default for ConversationConfig {
    fn default() -> Self {
        Self([80.0, 90.0, 95.0].map(Amount::Percent))
    }
}

impl ConversationConfig {
    pub fn fired(&self, total: u64, tokens: usize) -> Vec<Trigger> {
        let all = Trigger::ALL.iter().zip(self.0);
        let reached = all.filter(|(_, size)| tokens as u64 >= size.of(total));
        reached.map(|((_, trigger), _)| *trigger).collect()
    }

    pub(super) fn read(node: Option<&Node>) -> Self {
        let triggers = node.and_then(|node| node.get("triggers"));
        let mut read = Self::default();
        for (name, amount) in Trigger::NAMES.iter().zip(&mut read.0) {
            let set = triggers.and_then(|node| node.get(name)).and_then(Amount::read);
            *amount = set.unwrap_or(*amount);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::config;
    use super::*;

    #[test]
    fn sizes_are_shares_of_the_whole_or_tokens() {
        assert_eq!(config("").conversation, ConversationConfig::default());
        let text = "conversation: { triggers: { archive: 7000 } }\n";
        let conversation = config(text).conversation;
        let names = |tokens| -> Vec<_> {
            conversation.fired(10_000, tokens).into_iter().map(Trigger::name).collect()
        };
        assert_eq!(names(6999), [""; 0]);
        assert_eq!(names(7000), ["archive"]);
        assert_eq!(names(8000), ["summarize", "archive"]);
        assert_eq!(names(9499), ["summarize", "archive"]);
        assert_eq!(names(100_000), ["summarize", "archive", "truncate"]);
    }
}
