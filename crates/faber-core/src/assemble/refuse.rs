//! The error if required parts do not fit, with a sufficient budget.

use crate::assemble::builder::{BundleBuilder, OverBudget, Scaffold, tokens};
use crate::assemble::item::BundleItem;
use crate::error::Error;
use crate::numbers::grouped;
use crate::render::block::BundleBlockKind;

/// Blocks together may take slightly more than alone.
const TRIES: u32 = 20;
/// The budget is too large by at most this part.
const PRECISION: usize = 1000;

pub(super) fn too_small(
    builder: &BundleBuilder<'_>,
    OverBudget { fixed, items }: &OverBudget<'_>,
    would_do: impl Fn(&usize) -> bool,
) -> Error {
    let limit = tokens(builder.limits.limit);
    let parts = fixed.tokens() + items.iter().map(|item| item.candidate.least()).sum::<usize>();
    // Section limits depend on the budget: only a full attempt is reliable.
    let least = parts.max(limit + 1);
    let mut tries = (0..TRIES).map(|n| least + (1 << n) - 1);
    let mut needed = tries.find(&would_do).unwrap_or(least + (1 << TRIES));
    let mut low = limit + 1;
    while needed - low > needed / PRECISION {
        let middle = low.midpoint(needed);
        if would_do(&middle) { needed = middle } else { low = middle + 1 }
    }
    let pieces = format!("largest required parts: {}", largest(fixed, items));
    let response = builder.limits.response;
    let window = builder.window.filter(|window| needed > tokens(window.saturating_sub(response)));
    let help = match (window, &builder.model) {
        (Some(window), Some(model)) => format!(
            "{pieces}; the window of `{model}` has {} tokens, of which {} are reserved for the \
             answer: lower `budget.response` or take another model",
            grouped(tokens(window)),
            grouped(tokens(response))
        ),
        _ => format!("{pieces}; raise the budget to at least {needed}"),
    };
    Error::Budget { limit, needed, help }
}

fn largest(fixed: &Scaffold, items: &[BundleItem<'_>]) -> String {
    let mut pieces: Vec<(usize, String)> = Vec::new();
    for block in fixed.blocks() {
        let name = match block.kind {
            BundleBlockKind::Prompt => "the role's prompt",
            BundleBlockKind::Instruction => "the task or flow",
            BundleBlockKind::Input => "an input",
            BundleBlockKind::Error => "the error text",
            BundleBlockKind::Request => "the request",
            BundleBlockKind::Message(_) => "a message that must be kept",
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
