use serde_json::Value;

use super::confidence::wilson;
use super::phrases::SHARE;
use super::proposal::{Proposal, ProposalKind, ProposedEdit};
use super::usage::Usage;
use faber_core::config::Limits;
use faber_core::packs::CONFIG;
use faber_session::audit::entry::TokenSplit;

const MIN_REQUESTS: usize = 20;
const ENOUGH: usize = 80;
const STEP: u64 = 500;
const TOOLS: u64 = 4;

struct BudgetPart {
    keys: &'static [&'static str],
    now: u64,
    reason: &'static str,
    needs: Vec<(bool, u64)>,
}

pub(super) fn find(usage: &Usage, limits: &Limits) -> Vec<Proposal> {
    let bundles = usage.requests().filter_map(|(episode, bundle)| {
        let has_own = bundle.argument("budget").is_some_and(|budget| *budget != Value::Null);
        Some((episode, bundle, bundle.split.filter(|_| !has_own)?))
    });
    let bundles: Vec<_> = bundles.collect();
    let with_history = bundles.iter().filter(|(_, _, split)| split.history_full > 0);
    let history = |split: &TokenSplit| (split.history < split.history_full, split.history_full);
    let parts = [
        BudgetPart {
            keys: &["budget", "conversation", "history"],
            now: limits.history,
            reason: "long conversations: earlier messages are shortened or left out",
            needs: with_history.map(|(_, _, split)| history(split)).collect(),
        },
        BudgetPart {
            keys: &["budget", "context"],
            now: limits.context,
            reason: "contexts are shortened or left out",
            needs: bundles
                .iter()
                .map(|(_, bundle, split)| (bundle.saved > 0, split.context + bundle.saved))
                .collect(),
        },
        BudgetPart {
            keys: &["budget", "response"],
            now: limits.response,
            reason: "heavy tool use: answers of tools need more than a quarter of what is reserved",
            needs: bundles
                .iter()
                .map(|(episode, _, _)| {
                    let tools = episode.step_tokens;
                    (tools > limits.response / TOOLS, tools.saturating_mul(TOOLS))
                })
                .collect(),
        },
    ];
    parts.into_iter().filter_map(BudgetPart::proposal).collect()
}

impl BudgetPart {
    fn proposal(mut self) -> Option<Proposal> {
        let of = self.needs.len();
        let count = self.needs.iter().filter(|(is_short, _)| *is_short).count();
        let low = wilson(count, of).low;
        self.needs.sort_by_key(|(_, need)| *need);
        let rank = (of * ENOUGH).div_ceil(100).saturating_sub(1);
        let (_, need) = *self.needs.get(rank)?;
        let wanted = need.div_ceil(STEP).saturating_mul(STEP).min(self.now.saturating_mul(2));
        let reason = format!("{}; now {} tokens", self.reason, self.now);
        (of >= MIN_REQUESTS && low >= SHARE && wanted > self.now).then(|| Proposal {
            value: format!("{}: {wanted}", self.keys.join(".")),
            path: Some(CONFIG.into()),
            edit: Some(ProposedEdit::Setting(self.keys, wanted)),
            ..Proposal::new(ProposalKind::Budget, reason, count, of)
        })
    }
}
