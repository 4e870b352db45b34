//! `selection.upfront: auto` loads all eligible contexts while they are small.

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

pub(super) fn extended(
    builder: &BundleBuilder<'_>,
    read: &Read,
    listing: &Listing<'_>,
) -> Option<Selection> {
    if builder.config.selection.upfront != Upfront::Auto {
        return None;
    }
    let everything = with_everything(builder, listing.selection);
    let limit = builder.config.selection.hybrid_threshold.min(builder.limits.limit);
    if !is_within(builder, &everything, tokens(limit)) {
        return None;
    }
    let items = builder.items(&everything);
    let kept = builder.kept(read, &items, &everything);
    let fixed = builder
        .fixed(read, &items, &kept)
        .with_history(builder.history_block(HistoryFit::All, &[]));
    let fits = builder.fits_whole(&items, &fixed, &builder.listing(&everything));
    fits.then_some(everything)
}

fn is_eligible(context: &Context) -> bool {
    let by_load =
        matches!(load_of(context), Load::OnDemand | Load::Keyword | Load::Error | Load::Files);
    by_load && context.id.category != Category::Platform
}

fn with_everything(builder: &BundleBuilder<'_>, selection: &Selection) -> Selection {
    let (more, catalogued): (Vec<ContextId>, Vec<ContextId>) =
        selection.catalogued.iter().cloned().partition(|id| is_eligible(builder.context(id)));
    // Not stable: whether all fit depends on the request.
    let reason = Reason::new(ReasonKind::Always, "selection.upfront: auto");
    let reasons = vec![Reason { stable: false, ..reason }];
    let mut selected = selection.selected.clone();
    selected.extend(more.into_iter().map(|id| {
        let group = group(builder.context(&id), &reasons);
        Selected { id, reasons: reasons.clone(), group }
    }));
    selected.sort_by_cached_key(|one| emission_key(one, builder.context(&one.id)));
    Selection { selected, catalogued, suggested: Vec::new(), ..selection.clone() }
}

fn is_within(builder: &BundleBuilder<'_>, selection: &Selection, limit: usize) -> bool {
    let mut total: usize = 0;
    selection.selected.chunks(AT_ONCE).all(|chunk| {
        let whole = offers::whole(chunk, builder.contexts, |context| builder.renderer(context));
        total += whole.iter().map(|offered| offered.full().tokens).sum::<usize>();
        total <= limit
    })
}
