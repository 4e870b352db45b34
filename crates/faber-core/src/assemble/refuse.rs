//! Saying that what is required does not fit, and what would do.

use crate::assemble::Read;
use crate::assemble::compose::{Compose, Fixed, Short, tokens};
use crate::assemble::items::Item;
use crate::error::Error;
use crate::render::block::BlockKind;
use crate::select::selection::Selection;

/// How many budgets are tried, each further above the sum of the parts than the last: blocks may
/// count more together than one by one, but never by much.
const TRIES: u32 = 20;

/// The failure, with the largest pieces and a budget that would do.
pub(super) fn too_small(
    compose: &Compose<'_>,
    read: &Read,
    selection: &Selection,
    Short { fixed, items }: &Short<'_>,
) -> Error {
    let limit = tokens(compose.limits.limit);
    let parts = fixed.tokens() + items.iter().map(|item| item.candidate.least()).sum::<usize>();
    // Figures of sections follow the budget and change what is packed, so nothing less than the
    // whole way with that budget tells whether it would do.
    let would_do = |budget: &usize| {
        let other = compose.with_budget(*budget);
        other.attempt(read, selection.clone()).is_ok()
    };
    let least = parts.max(limit + 1);
    let most = least + (1 << TRIES);
    let needed = (0..TRIES).map(|n| least + (1 << n) - 1).find(would_do).unwrap_or(most);
    let pieces = format!("the largest required pieces are {}", largest(fixed, items));
    let response = compose.limits.response;
    let window = compose.window.filter(|window| needed > tokens(window.saturating_sub(response)));
    let help = match (window, &compose.model) {
        (Some(window), Some(model)) => format!(
            "{pieces}; the window of `{model}` has {window} tokens, of which {response} are \
             reserved for the answer: lower `budget.response` or take another model"
        ),
        _ => format!("{pieces}; a budget of {needed} would do"),
    };
    Error::Budget { limit, needed, help }
}

/// The largest pieces that must be there, with the tokens that each takes at the least.
fn largest(fixed: &Fixed, items: &[Item<'_>]) -> String {
    let mut pieces: Vec<(usize, String)> = Vec::new();
    for block in fixed.blocks() {
        let name = match block.kind {
            BlockKind::Prompt => "the role's prompt",
            BlockKind::Instruction => "the task or flow",
            BlockKind::Input => "an input",
            BlockKind::Error => "the error text",
            BlockKind::Request => "the request",
            BlockKind::Message(_) => "a message that must be kept",
            _ => continue,
        };
        pieces.push((block.tokens, name.to_owned()));
    }
    let required = items.iter().filter(|item| item.candidate.must);
    pieces.extend(required.map(|item| (item.candidate.least(), item.selected.id.to_string())));
    pieces.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let names = pieces.iter().take(5).map(|(tokens, name)| format!("{name} ({tokens})"));
    names.collect::<Vec<_>>().join(", ")
}
