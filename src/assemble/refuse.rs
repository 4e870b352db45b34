//! Saying that what is required does not fit, and what would do.

use crate::assemble::compose::{Compose, Fixed, Item, tokens};
use crate::error::Error;
use crate::render::block::BlockKind;
use crate::select::selection::Selection;

/// How many budgets above the sum of the parts are tried: blocks may count more together than one
/// by one, but never by much.
const TRIES: usize = 32;

/// The failure, with the largest pieces and the budget that would do.
pub(super) fn too_small(
    compose: &Compose<'_>,
    fixed: &Fixed,
    items: &[Item<'_>],
    selection: &Selection,
) -> Error {
    let limit = tokens(compose.limits.limit);
    let parts = fixed.tokens() + items.iter().map(|item| item.candidate.least()).sum::<usize>();
    let would_do = |budget: &usize| {
        let draft = compose.pack(items, fixed, selection, *budget);
        draft.is_ok_and(|draft| compose.counter.count(&draft.text()) <= *budget)
    };
    let least = parts.max(limit + 1);
    let needed = (least..least + TRIES).find(would_do).unwrap_or(least + TRIES);
    let pieces = format!("the largest required pieces are {}", largest(fixed, items));
    let help = match (compose.window, &compose.model) {
        (Some(window), Some(model)) => format!(
            "{pieces}; the window of `{model}` has {window} tokens, of which {} are reserved for \
             the answer: lower `budget.response` or take another model",
            compose.limits.response
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
            BlockKind::Request => "the request",
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
