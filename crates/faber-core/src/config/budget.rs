//! The token budget.

use schemars::JsonSchema;
use serde::Serialize;

use super::scalar::{Amount, whole, word};
use super::schema::DEFAULTS;
use crate::source::{SourceMap, Spanned};
use crate::yaml::{Node, Scalar, ScalarKind, Value};

const UPFRONT: u64 = 16_000;
/// Minimum of [`UPFRONT`], of the window.
const WINDOW_SHARE: Amount = Amount::Percent(10.0);

const TOTAL: u64 = 10_000;
const CONTEXT: u64 = 4000;
const CONVERSATION: u64 = 4000;
const HISTORY: u64 = 3500;
const RESPONSE: u64 = 2000;
const SECTIONS: SectionLimits =
    SectionLimits { system: 500, profile: 300, location: 1000, related: 500, catalog: 1000 };
const MIN_USEFUL: u64 = 100;
const ALWAYS: Amount = Amount::Percent(50.0);
const MAX_CATALOG: u64 = 1000;
const STABLE: Amount = Amount::Percent(60.0);

#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    pub total: Option<Amount>,
    pub window_share: Amount,
    pub context: Option<Amount>,
    pub conversation: Option<Amount>,
    pub history: Option<Amount>,
    pub message: Option<Amount>,
    pub response: Option<Amount>,
    pub sections: Sections,
    /// Up to this, always-loaded contexts are in full.
    pub always: Amount,
    pub min_useful: u64,
    pub packing: Packing,
    pub stable: Amount,
    pub summarizer: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SectionLimits")]
pub struct SectionsOf<T> {
    pub system: T,
    pub profile: T,
    pub location: T,
    pub related: T,
    pub catalog: T,
}

pub type Sections = SectionsOf<Option<Amount>>;
pub type SectionLimits = SectionsOf<u64>;

crate::named_enum! {
    #[derive(Default)]
    pub enum Packing {
        /// Maximizes total utility.
        #[default]
        Optimal = "optimal",
        /// By value, without lookahead.
        Greedy = "greedy",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub context: u64,
    pub conversation: u64,
    pub history: u64,
    pub message: u64,
    pub response: u64,
    pub limit: u64,
    pub total: u64,
    pub stable: u64,
    pub sections: SectionLimits,
}

impl Limits {
    pub fn show_in(&self, config: &mut Node, sources: &SourceMap) {
        let SectionLimits { system, profile, location, related, catalog } = self.sections;
        let figures: [(&[&str], u64); 9] = [
            (&["total"], self.total),
            (&["context"], self.context),
            (&["conversation"], self.conversation),
            (&["response"], self.response),
            (&["sections", "system"], system),
            (&["sections", "profile"], profile),
            (&["sections", "location"], location),
            (&["sections", "related"], related),
            (&["sections", "catalog"], catalog),
        ];
        for (path, tokens) in figures {
            let node = ["budget"].iter().chain(path).try_fold(&mut *config, |node, key| {
                let Value::Map(entries) = &mut node.value else { return None };
                entries.iter_mut().find(|entry| entry.key == *key).map(|entry| &mut entry.value)
            });
            let node = node.filter(|node| sources.path(node.span.file) == DEFAULTS);
            if let Some(Value::Scalar(scalar)) = node.map(|node| &mut node.value) {
                let kind = ScalarKind::Int(i64::try_from(tokens).unwrap_or(i64::MAX));
                *scalar = Scalar { text: tokens.to_string(), kind };
            }
        }
    }
}

impl Budget {
    /// `flag` replaces the sum of context and conversation. Percentages are of the window, else of
    /// the total.
    pub fn limits(&self, window: Option<u64>, flag: Option<u64>) -> Limits {
        let default = self.default_total(window);
        let total = self.total.map_or(default, |amount| amount.of(window.unwrap_or(default)));
        let whole = window.unwrap_or(total);
        let part = |set: Option<Amount>, default| match set {
            Some(amount) => amount.of(whole),
            None => scale(default, total, TOTAL),
        };
        let (history, message) = self.conversation_parts(&part);
        let split = BudgetSplit { context: part(self.context, CONTEXT), history, message };
        let response = part(self.response, RESPONSE);
        let before = split.sum();
        let (split, share, of) = match flag {
            Some(flag) => (split.resized(flag), flag, CONTEXT + CONVERSATION),
            None => (split, total, TOTAL),
        };
        let section = |set: Option<Amount>, default| match set {
            Some(amount) => amount.of(whole),
            None => scale(default, share, of),
        };
        let conversation = split.history.saturating_add(split.message);
        Limits {
            context: split.context,
            conversation,
            history: split.history,
            message: split.message,
            response,
            limit: split.sum(),
            total: match before {
                0 => split.sum().saturating_add(response),
                before => scale(before.saturating_add(response), split.sum(), before),
            },
            stable: self.stable.of(split.context),
            sections: SectionLimits {
                system: section(self.sections.system, SECTIONS.system),
                profile: section(self.sections.profile, SECTIONS.profile),
                location: section(self.sections.location, SECTIONS.location),
                related: section(self.sections.related, SECTIONS.related),
                catalog: match self.sections.catalog {
                    Some(amount) => amount.of(whole),
                    None => section(None, SECTIONS.catalog).min(MAX_CATALOG),
                },
            },
        }
    }

    fn default_total(&self, window: Option<u64>) -> u64 {
        let share = window.map_or(0, |window| self.window_share.of(window));
        let total = scale(TOTAL, UPFRONT.max(share), CONTEXT + CONVERSATION);
        total.min(window.unwrap_or(u64::MAX))
    }

    fn conversation_parts(&self, part: &impl Fn(Option<Amount>, u64) -> u64) -> (u64, u64) {
        if self.history.is_some() || self.message.is_some() {
            return (part(self.history, HISTORY), part(self.message, CONVERSATION - HISTORY));
        }
        let both = part(self.conversation, CONVERSATION);
        let history = scale(both, HISTORY, CONVERSATION);
        (history, both - history)
    }

    pub(super) fn read(node: Option<&Node>, sources: &SourceMap) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let own = |node: Option<&Node>| {
            node.filter(|node| sources.path(node.span.file) != DEFAULTS).and_then(Amount::read)
        };
        let conversation = get("conversation");
        let message = |key| own(conversation.and_then(|node| node.get(key)));
        let section = |key| own(get("sections").and_then(|node| node.get(key)));
        Self {
            total: own(get("total")),
            window_share: get("window_share").and_then(Amount::read).unwrap_or(WINDOW_SHARE),
            context: own(get("context")),
            conversation: own(conversation),
            history: message("history"),
            message: message("message"),
            response: own(get("response")),
            sections: Sections {
                system: section("system"),
                profile: section("profile"),
                location: section("location"),
                related: section("related"),
                catalog: section("catalog"),
            },
            always: get("always").and_then(Amount::read).unwrap_or(ALWAYS),
            min_useful: get("min_useful").and_then(whole).unwrap_or(MIN_USEFUL),
            packing: word(get("packing"), &Packing::ALL),
            stable: get("stable").and_then(Amount::read).unwrap_or(STABLE),
            summarizer: get("summarizer").and_then(super::scalar::text),
        }
    }
}

struct BudgetSplit {
    context: u64,
    history: u64,
    message: u64,
}

impl BudgetSplit {
    fn sum(&self) -> u64 {
        self.context.saturating_add(self.history).saturating_add(self.message)
    }

    fn resized(&self, sum: u64) -> Self {
        let conversation = self.history.saturating_add(self.message);
        let before = self.sum();
        let context = if before == 0 { sum } else { scale(self.context, sum, before) };
        let history = scale(self.history, sum - context, conversation);
        Self { context, history, message: sum - context - history }
    }
}

fn scale(part: u64, to: u64, from: u64) -> u64 {
    let scaled = (u128::from(part) * u128::from(to)).checked_div(u128::from(from));
    u64::try_from(scaled.unwrap_or(0)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{config, over_defaults};
    use super::*;

    fn budget(text: &str) -> Budget {
        config(text).budget
    }

    fn limits(text: &str, window: Option<u64>, flag: Option<u64>) -> Limits {
        budget(text).limits(window, flag)
    }

    #[test]
    fn the_defaults_agree_with_the_file_that_prints_them() {
        let (_, node) = over_defaults("");
        let printed = node.get("budget").unwrap();
        let tokens = |key: &str| whole(printed.get(key).unwrap()).unwrap();
        let limits = limits("", None, None);
        assert_eq!(
            (tokens("context"), tokens("conversation"), tokens("response"), tokens("total")),
            (limits.context, limits.conversation, limits.response, 20_000),
        );
        assert_eq!((limits.context, limits.conversation, limits.response), (8000, 8000, 4000));
        assert_eq!((limits.history, limits.message, limits.limit), (7000, 1000, 16_000));
        assert_eq!((limits.stable, limits.sections.catalog), (4800, 1000));
        let SectionLimits { system, profile, location, related, catalog } = limits.sections;
        let sections = printed.get("sections").unwrap();
        let section = |key: &str| whole(sections.get(key).unwrap()).unwrap();
        let printed = ["system", "profile", "location", "related", "catalog"].map(section);
        assert_eq!(printed, [system, profile, location, related, catalog]);
        assert_eq!(tokens("min_useful"), budget("").min_useful);
    }

    #[test]
    fn a_total_scales_what_is_not_set() {
        let limits = limits(
            "budget: { total: 20000, context: 5000, sections: { system: 50 } }\n",
            None,
            None,
        );
        assert_eq!((limits.context, limits.conversation, limits.response), (5000, 8000, 4000));
        assert_eq!((limits.limit, limits.history, limits.message), (13_000, 7000, 1000));
        assert_eq!((limits.sections.system, limits.sections.location), (50, 2000));
    }

    #[test]
    fn a_known_window_decides_the_default_when_its_share_is_more() {
        let of = |text, window| limits(text, Some(window), None);
        assert_eq!((of("", 128_000).limit, of("", 400_000).limit), (16_000, 40_000));
        assert_eq!(of("", 400_000).sections.location, 5000);
        assert_eq!(of("budget: { window_share: 50% }\n", 128_000).limit, 64_000);
        assert_eq!(of("budget: { total: 10k }\n", 400_000).limit, 8000);
        let small = of("", 8192);
        assert_eq!((small.limit, small.response, small.total), (6552, 1638, 8190));
    }

    #[test]
    fn the_catalog_has_an_upper_limit_unless_it_is_set() {
        let catalog = |text, flag| limits(text, None, Some(flag)).sections.catalog;
        assert_eq!((catalog("", 4000), catalog("", 8000), catalog("", 80_000)), (500, 1000, 1000));
        assert_eq!(catalog("budget: { sections: { catalog: 3k } }\n", 8000), 3000);
    }

    #[test]
    fn percentages_are_of_the_window_else_of_the_total() {
        let text = "budget: { total: 50%, context: 10%, sections: { catalog: 1% } }\n";
        let with = limits(text, Some(200_000), None);
        assert_eq!((with.context, with.conversation, with.response), (20_000, 40_000, 20_000));
        assert_eq!((with.sections.catalog, with.sections.system), (2000, 5000));
        let without = limits(text, None, None);
        assert_eq!((without.context, without.conversation), (1000, 4000));
    }

    #[test]
    fn the_flag_is_the_limit() {
        let some = limits("budget: { sections: { system: 50 } }\n", None, Some(16_001));
        assert_eq!((some.limit, some.context, some.conversation), (16_001, 8000, 8001));
        assert_eq!((some.history, some.message), (7000, 1001));
        assert_eq!((some.sections.system, some.sections.location), (50, 2000));
        let none = limits("budget: { context: 0, conversation: 0 }\n", None, Some(100));
        assert_eq!((none.limit, none.context, none.conversation), (100, 100, 0));
        assert_eq!(
            (limits("", None, Some(4000)).total, limits("", None, None).total),
            (5000, 20_000)
        );
        assert_eq!(limits("", None, Some(0)).limit, 0);
        assert_eq!(limits("", None, Some(u64::MAX)).limit, u64::MAX);
    }

    #[test]
    fn a_conversation_may_be_given_by_its_parts() {
        let parts = limits("budget: { conversation: { history: 1000 } }\n", None, None);
        assert_eq!((parts.history, parts.message, parts.conversation), (1000, 1000, 2000));
        assert_eq!(parts.limit, 10_000);
        let most = "budget: { context: 9223372036854775807, conversation: \
                    { history: 9223372036854775807, message: 9223372036854775807 } }\n";
        assert_eq!(limits(most, None, None).limit, u64::MAX);
        assert_eq!(limits(most, None, Some(100)).limit, 100);
    }
}
