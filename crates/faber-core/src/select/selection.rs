//! Every context in exactly one state.

use std::collections::BTreeMap;

use crate::category::Category;
use crate::context_id::ContextId;
use crate::layer::LayerKind;
use crate::resolve::catalog::{Context, Excluded};
use crate::select::reason::{Reason, ReasonKind};
use crate::select::relevance::{Passages, Relevance};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BundleGroup {
    Platform,
    Organization,
    PlatformOverlay,
    Standards,
    /// Of higher overlays.
    OverlayStandards,
    /// Also everything else.
    Specialists,
    Custom,
    Related,
}

impl BundleGroup {
    pub fn heading(self) -> &'static str {
        match self {
            Self::Platform => "Platform",
            Self::Organization => "Organization",
            Self::PlatformOverlay => "Platform overlay",
            Self::Standards => "Standards",
            Self::OverlayStandards => "Overlay standards",
            Self::Specialists => "Specialists and procedures",
            Self::Custom => "Custom contexts",
            Self::Related => "Related contexts",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Selected {
    pub id: ContextId,
    pub reasons: Vec<Reason>,
    pub group: BundleGroup,
}

impl Selected {
    pub fn has(&self, kind: ReasonKind) -> bool {
        self.reasons.iter().any(|reason| reason.kind == kind)
    }

    /// `None` if all reasons depend on the request.
    pub fn stable_part(&self, context: &Context) -> Option<Self> {
        let stable = self.reasons.iter().filter(|reason| reason.stable).cloned();
        let mut reasons: Vec<Reason> = stable.collect();
        if reasons.is_empty() && context.front.fields.required {
            reasons.push(Reason::new(ReasonKind::Always, "required: true"));
        }
        let group = group(context, &reasons);
        (!reasons.is_empty()).then(|| Self { id: self.id.clone(), reasons, group })
    }

    pub fn keyword_hits(&self) -> (usize, usize) {
        let hits = self.reasons.iter().filter(|reason| reason.kind == ReasonKind::Keyword);
        let words: Vec<String> =
            hits.filter_map(|hit| hit.matched.as_ref()).map(|m| m.keyword.to_lowercase()).collect();
        let total = words.len();
        let distinct = words.into_iter().collect::<std::collections::BTreeSet<_>>().len();
        (distinct, total)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// In bundle order.
    pub selected: Vec<Selected>,
    pub catalogued: Vec<ContextId>,
    pub relevance: BTreeMap<ContextId, Relevance>,
    pub passages: Passages,
    /// Most relevant first.
    pub suggested: Vec<(ContextId, Reason)>,
    pub excluded: Vec<Excluded>,
    pub elsewhere: Vec<ContextId>,
    /// Matching contexts, with the reason.
    pub withheld: BTreeMap<ContextId, String>,
    pub least_relevance: Option<f64>,
    pub unmet: Vec<String>,
}

impl Selection {
    pub fn relevance(&self, id: &ContextId) -> f64 {
        self.relevance.get(id).map_or(0.0, |relevance| relevance.score)
    }

    pub(crate) fn leave_out(&mut self, excluded: Excluded) {
        self.selected.retain(|selected| selected.id != excluded.id);
        self.catalogued.retain(|id| *id != excluded.id);
        self.excluded.push(excluded);
        self.excluded.sort();
    }

    /// For the request alone.
    pub(crate) fn is_asked_for(&self, id: &ContextId) -> bool {
        self.is_evident(id) && self.least_relevance.is_some_and(|least| self.relevance(id) >= least)
    }

    pub fn is_evident(&self, id: &ContextId) -> bool {
        self.relevance.get(id).is_some_and(|relevance| relevance.is_evident)
    }
}

pub fn group(context: &Context, reasons: &[Reason]) -> BundleGroup {
    let only = |kind| reasons.iter().all(|reason| reason.kind == kind);
    if only(ReasonKind::Related) {
        return BundleGroup::Related;
    }
    if only(ReasonKind::Custom) {
        return BundleGroup::Custom;
    }
    let category = context.id.category;
    match (context.base, category) {
        (LayerKind::Platform, _) => BundleGroup::PlatformOverlay,
        (_, Category::Platform) => BundleGroup::Platform,
        (LayerKind::Organization, Category::Standard | Category::Reference) => {
            BundleGroup::Organization
        }
        (LayerKind::Project | LayerKind::Role, Category::Standard) => BundleGroup::Standards,
        (
            LayerKind::RoleOverlay | LayerKind::Team | LayerKind::Workflow | LayerKind::User,
            Category::Standard,
        ) => BundleGroup::OverlayStandards,
        _ => BundleGroup::Specialists,
    }
}

pub fn emission_key(selected: &Selected, context: &Context) -> impl Ord + use<> {
    let category = context.id.category;
    let rank = match (selected.group, category) {
        (BundleGroup::Specialists, Category::Specialist) => 0,
        (BundleGroup::Specialists, Category::Troubleshooting) => 1,
        (BundleGroup::Specialists, Category::Playbook) => 2,
        (BundleGroup::Specialists, Category::Pattern) => 3,
        (BundleGroup::Specialists, Category::Reference) => 4,
        (BundleGroup::Specialists, _) => 5,
        _ => 0,
    };
    let is_specialist = category == Category::Specialist;
    let hits = std::cmp::Reverse(if is_specialist { selected.keyword_hits() } else { (0, 0) });
    let is_by_hits = is_specialist && selected.group == BundleGroup::Specialists;
    let layer = if is_by_hits { 0 } else { context.base_layer };
    (selected.group, rank, layer, category, hits, context.id.clone())
}
