//! The outcome of selecting: every context in exactly one state.

use std::collections::BTreeMap;

use crate::category::Category;
use crate::document::ContextId;
use crate::layer::LayerKind;
use crate::resolve::catalog::{Excluded, Resolved};
use crate::select::reason::{Reason, ReasonKind};
use crate::select::relevance::{Passages, Relevance};

/// Where in a bundle a context stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The context of the platform.
    Platform,
    /// Standards and references of the organization.
    Organization,
    /// What the platform overlay adds on its own.
    PlatformOverlay,
    /// Standards of project and role.
    Standards,
    /// Standards that higher overlays add on their own.
    OverlayStandards,
    /// Specialists, then whatever else was selected.
    Specialists,
    /// Selected as custom contexts only.
    Custom,
    /// Selected as related to another context only.
    Related,
}

impl Group {
    /// The heading above the group in a bundle.
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

/// A selected context.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The context.
    pub id: ContextId,
    /// Why, in the order of [`ReasonKind`]; never empty.
    pub reasons: Vec<Reason>,
    /// Where it stands.
    pub group: Group,
}

impl Selected {
    /// Whether one of the reasons is of this kind.
    pub fn has(&self, kind: ReasonKind) -> bool {
        self.reasons.iter().any(|reason| reason.kind == kind)
    }

    /// The same without what the request adds, when it is there whatever is requested.
    pub fn stable_part(&self, context: &Resolved) -> Option<Self> {
        let stable = self.reasons.iter().filter(|reason| reason.stable).cloned();
        let mut reasons: Vec<Reason> = stable.collect();
        if reasons.is_empty() && context.front.fields.required {
            reasons.push(Reason::new(ReasonKind::Always, "required: true"));
        }
        let group = group(context, &reasons);
        (!reasons.is_empty()).then(|| Self { id: self.id.clone(), reasons, group })
    }

    /// Number of distinct keywords that matched, and of matches.
    pub fn keyword_hits(&self) -> (usize, usize) {
        let hits = self.reasons.iter().filter(|reason| reason.kind == ReasonKind::Keyword);
        let words: Vec<String> =
            hits.filter_map(|hit| hit.matched.as_ref()).map(|m| m.keyword.to_lowercase()).collect();
        let total = words.len();
        let distinct = words.into_iter().collect::<std::collections::BTreeSet<_>>().len();
        (distinct, total)
    }
}

/// Every context of a catalog, in exactly one state.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Selected, in emission order.
    pub selected: Vec<Selected>,
    /// Known to the reader, not loaded; by id.
    pub catalogued: Vec<ContextId>,
    /// How much every context has to do with the request.
    pub relevance: BTreeMap<ContextId, Relevance>,
    /// What parts of texts have to do with it.
    pub passages: Passages,
    /// Catalogued contexts that resemble the request, the most relevant first, each with its reason.
    pub suggested: Vec<(ContextId, Reason)>,
    /// Not used.
    pub excluded: Vec<Excluded>,
    /// What a keyword or error asks for, and the exception that keeps it from loading, with its place.
    pub withheld: BTreeMap<ContextId, String>,
}

impl Selection {
    /// How much a context has to do with the request.
    pub fn relevance(&self, id: &ContextId) -> f64 {
        self.relevance.get(id).map_or(0.0, |relevance| relevance.score)
    }
}

/// Where a context stands, by what it is and why it was selected.
pub fn group(context: &Resolved, reasons: &[Reason]) -> Group {
    let only = |kind| reasons.iter().all(|reason| reason.kind == kind);
    if only(ReasonKind::Related) {
        return Group::Related;
    }
    if only(ReasonKind::Custom) {
        return Group::Custom;
    }
    let category = context.id.category;
    match (context.base, category) {
        (LayerKind::Platform, _) => Group::PlatformOverlay,
        (_, Category::Platform) => Group::Platform,
        (LayerKind::Organization, Category::Standard | Category::Reference) => Group::Organization,
        (LayerKind::Project | LayerKind::Role, Category::Standard) => Group::Standards,
        (
            LayerKind::RoleOverlay | LayerKind::Team | LayerKind::Workflow | LayerKind::User,
            Category::Standard,
        ) => Group::OverlayStandards,
        _ => Group::Specialists,
    }
}

/// The key by which selected contexts are put into emission order.
///
/// Within a group by layer, then by category, then by id; specialists by how many of their keywords
/// matched. In the group of specialists the categories come first, in an order of their own.
pub fn emission_key(selected: &Selected, context: &Resolved) -> impl Ord + use<> {
    let category = context.id.category;
    let rank = match (selected.group, category) {
        (Group::Specialists, Category::Specialist) => 0,
        (Group::Specialists, Category::Troubleshooting) => 1,
        (Group::Specialists, Category::Playbook) => 2,
        (Group::Specialists, Category::Pattern) => 3,
        (Group::Specialists, Category::Reference) => 4,
        (Group::Specialists, _) => 5,
        _ => 0,
    };
    let hits = if category == Category::Specialist { selected.keyword_hits() } else { (0, 0) };
    let hits = std::cmp::Reverse(hits);
    (selected.group, rank, context.base_layer, category, hits, context.id.clone())
}
