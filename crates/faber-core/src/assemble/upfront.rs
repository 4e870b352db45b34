//! `selection.upfront: auto`: loads all eligible contexts while they are small.

use crate::assemble::builder::{BundleBuilder, tokens};
use crate::assemble::history_block::HistoryFit;
use crate::assemble::listing::Listing;
use crate::assemble::offers;
use crate::assemble::resolved::Read;
use crate::category::{Category, Load};
use crate::config::Upfront;
use crate::context_id::ContextId;
use crate::resolve::catalog::Context;
use crate::select::choose::load_of;
use crate::select::reason::{Reason, ReasonKind};
use crate::select::selection::{Selected, Selection, emission_key, group};

const AT_ONCE: usize = 64;

/// `None` unless all eligible contexts fit into `selection.hybrid_threshold` and the budget.
pub(super) fn extended(
    compose: &BundleBuilder<'_>,
    read: &Read,
    listing: &Listing<'_>,
) -> Option<Selection> {
    if compose.config.selection.upfront != Upfront::Auto {
        return None;
    }
    let everything = with_everything(compose, listing.selection);
    let limit = compose.config.selection.hybrid_threshold.min(compose.limits.limit);
    if !is_within(compose, &everything, tokens(limit)) {
        return None;
    }
    let items = compose.items(&everything);
    let kept = compose.kept(read, &items, &everything);
    let fixed = compose
        .fixed(read, &items, &kept)
        .with_history(compose.history_block(HistoryFit::All, &[]));
    let fits = compose.fits_whole(&items, &fixed, &compose.listing(&everything));
    fits.then_some(everything)
}

/// A platform context that is only catalogued belongs to another platform.
fn is_eligible(context: &Context) -> bool {
    let by_load =
        matches!(load_of(context), Load::OnDemand | Load::Keyword | Load::Error | Load::Files);
    by_load && context.id.category != Category::Platform
}

fn with_everything(compose: &BundleBuilder<'_>, selection: &Selection) -> Selection {
    let (more, catalogued): (Vec<ContextId>, Vec<ContextId>) =
        selection.catalogued.iter().cloned().partition(|id| is_eligible(compose.context(id)));
    // Not stable: whether all fit depends on the request.
    let reason = Reason::new(ReasonKind::Always, "selection.upfront: auto");
    let reasons = vec![Reason { stable: false, ..reason }];
    let mut selected = selection.selected.clone();
    selected.extend(more.into_iter().map(|id| {
        let group = group(compose.context(&id), &reasons);
        Selected { id, reasons: reasons.clone(), group }
    }));
    selected.sort_by_cached_key(|one| emission_key(one, compose.context(&one.id)));
    Selection { selected, catalogued, suggested: Vec::new(), ..selection.clone() }
}

fn is_within(compose: &BundleBuilder<'_>, selection: &Selection, limit: usize) -> bool {
    let mut total: usize = 0;
    selection.selected.chunks(AT_ONCE).all(|chunk| {
        let whole = offers::whole(chunk, compose.contexts, |context| compose.renderer(context));
        total += whole.iter().map(|offered| offered.full().tokens).sum::<usize>();
        total <= limit
    })
}
