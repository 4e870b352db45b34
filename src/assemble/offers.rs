//! What each selected context could be in the bundle, with the exact tokens of each.

use rayon::prelude::*;

use crate::assemble::renderings::{Renderer, Rendering};
use crate::budget::level::{Level, Section};
use crate::budget::pack::{Candidate, Decision};
use crate::config::Config;
use crate::document::ContextId;
use crate::layer::LayerKind;
use crate::resolve::catalog::{Catalog, Resolved};
use crate::select::reason::ReasonKind;
use crate::select::selection::{Group, Selected};

/// Everything that a selected context could be.
pub struct Offered<'a> {
    /// Renders it.
    pub renderer: Renderer<'a>,
    /// All of it.
    pub full: Rendering,
    /// The other renderings, once they are wanted.
    pub shorter: Vec<Rendering>,
    /// The tokens of its line in the catalog; 0 before that is wanted, and where there is none.
    pub line: usize,
    /// The tokens that it may take at most, by its own word.
    cap: Option<usize>,
}

impl Offered<'_> {
    /// The rendering of a level, if there is one.
    pub fn rendering(&self, level: Level) -> Option<&Rendering> {
        std::iter::once(&self.full).chain(&self.shorter).find(|rendering| rendering.level == level)
    }

    /// Whether all of it is more than it may take by its own word.
    pub fn is_over_its_cap(&self) -> bool {
        self.cap.is_some_and(|cap| self.full.tokens > cap)
    }

    /// The tokens that it may take at most, by its own word.
    pub fn cap(&self) -> Option<usize> {
        self.cap
    }

    /// All forms that are known by now, the fullest first, with no regard to the cap.
    pub fn forms(&self) -> impl Iterator<Item = Decision> + '_ {
        let all = std::iter::once(&self.full).chain(&self.shorter);
        let all = all.map(|form| Decision { level: form.level, tokens: form.tokens });
        let line = Decision { level: Level::Catalog, tokens: self.line };
        all.chain((self.line > 0).then_some(line))
    }

    fn offers(&self) -> Vec<Decision> {
        let is_line = |form: &Decision| form.level == Level::Catalog;
        let fits = |form: &Decision| self.cap.is_none_or(|cap| form.tokens <= cap);
        let (line, forms): (Vec<Decision>, Vec<Decision>) = self.forms().partition(is_line);
        let mut offers: Vec<Decision> = forms.iter().copied().filter(fits).collect();
        if offers.is_empty() {
            // Nothing keeps so low a cap; what comes closest to it is meant.
            offers.extend(forms.into_iter().min_by_key(|form| form.tokens));
        }
        offers.extend(line);
        offers
    }
}

/// Renders all selected contexts whole.
pub fn whole<'a>(
    selected: &[Selected],
    contexts: &'a Catalog,
    renderer: impl Fn(&'a Resolved) -> Renderer<'a> + Sync,
) -> Vec<Offered<'a>> {
    let offered = |selected: &Selected| {
        let context = &contexts.contexts[&selected.id];
        let fields = &context.front.fields;
        let cap = fields.max_tokens.as_ref().filter(|_| fields.truncatable);
        let renderer = renderer(context);
        let full = renderer.detailed();
        Offered {
            renderer,
            full,
            shorter: Vec::new(),
            line: 0,
            cap: cap.map(|cap| usize::try_from(cap.value).unwrap_or(usize::MAX)),
        }
    };
    selected.par_iter().map(offered).collect()
}

/// Adds the shorter renderings: of all contexts, or of those that are over their own cap. What has
/// them already keeps them. `line` counts the tokens of a context's line in the catalog.
pub fn shorten(
    offered: &mut [&mut Offered<'_>],
    all: bool,
    line: impl Fn(&ContextId) -> usize + Sync,
) {
    let wanted = |o: &Offered<'_>| o.shorter.is_empty() && (all || o.is_over_its_cap());
    offered.par_iter_mut().filter(|offered| wanted(offered)).for_each(|offered| {
        let capped = offered.cap.filter(|_| offered.is_over_its_cap());
        offered.shorter.extend(capped.and_then(|cap| offered.renderer.truncated(cap)));
        offered.shorter.push(offered.renderer.summary());
        offered.shorter.push(offered.renderer.essence());
        offered.line = line(&offered.renderer.context().id);
    });
}

/// What packing decides on.
pub fn candidate(selected: &Selected, offered: &Offered<'_>, config: &Config) -> Candidate {
    let context = offered.renderer.context();
    let fields = &context.front.fields;
    Candidate {
        priority: priority(context),
        weight: weight(selected, config),
        must: fields.required || selected.has(ReasonKind::Pinned),
        truncatable: fields.truncatable,
        section: section(context, selected.group),
        offers: offered.offers(),
    }
}

/// Its own priority, else its category's.
fn priority(context: &Resolved) -> i64 {
    let own = context.front.fields.priority.as_ref().map(|priority| priority.value);
    own.unwrap_or(context.id.category.row().priority)
}

/// The section whose budget a context takes.
pub fn section(context: &Resolved, group: Group) -> Section {
    match (context.base, group) {
        (_, Group::Related) => Section::Related,
        (LayerKind::User, _) => Section::Profile,
        _ => Section::Location,
    }
}

/// The weight of the strongest reason. A keyword counts one more for each further distinct keyword,
/// up to 10; what is pinned or asked for by a task counts as the highest.
fn weight(selected: &Selected, config: &Config) -> f64 {
    let weight = |kind: ReasonKind| config.selection.weights.get(kind.name()).copied();
    let further = selected.keyword_hits().0.saturating_sub(1);
    let further = f64::from(u32::try_from(further).unwrap_or(u32::MAX));
    let of = |kind: ReasonKind| match kind {
        ReasonKind::Keyword => {
            let base = weight(kind).unwrap_or(7.0);
            (base + further).min(10.0_f64.max(base))
        }
        ReasonKind::Pinned | ReasonKind::Task | ReasonKind::Prompt => weight(kind).unwrap_or(10.0),
        _ => weight(kind).unwrap_or(1.0),
    };
    selected.reasons.iter().map(|reason| of(reason.kind)).fold(0.0, f64::max)
}
