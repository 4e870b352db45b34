//! The forms of a selected context, with exact token counts.

use rayon::prelude::*;

use crate::assemble::renderings::{Renderer, Rendering};
use crate::budget::level::{Level, Section};
use crate::budget::pack::{Candidate, Offer};
use crate::config::Config;
use crate::layer::LayerKind;
use crate::resolve::catalog::{Context, ContextSet};
use crate::select::reason::{Reason, ReasonKind};
use crate::select::relevance::Passages;
use crate::select::selection::{BundleGroup, Selected};

/// In bytes. Shorter texts have no focused form.
const LONG: usize = 8_000;

const FOCUSED: [usize; 6] = [800, 1_600, 3_200, 6_400, 12_800, 25_600];

pub struct Rendition<'a> {
    pub renderer: Renderer<'a>,
    /// With values in thousandths, the full text first.
    pub forms: Vec<(Rendering, u32)>,
    pub(super) cap: Option<usize>,
}

impl Rendition<'_> {
    pub fn full(&self) -> &Rendering {
        &self.forms[0].0
    }

    fn is_over_its_cap(&self) -> bool {
        self.cap.is_some_and(|cap| self.full().tokens > cap)
    }

    /// Most valuable first. Ignores `max_tokens`.
    pub fn all(&self) -> Vec<Offer> {
        let forms = self.forms.iter().enumerate().map(|(form, (rendering, value))| {
            let Rendering { level, tokens, .. } = *rendering;
            Offer { form, level, tokens, value: *value }
        });
        let mut all: Vec<Offer> = forms.collect();
        all.sort_by(|a, b| (b.value, a.tokens, a.form).cmp(&(a.value, b.tokens, b.form)));
        let mut least = usize::MAX;
        all.retain(|offer| {
            let is_shorter = offer.tokens < least;
            least = least.min(offer.tokens);
            is_shorter
        });
        all
    }

    fn offers(&self) -> Vec<Offer> {
        let all = self.all();
        let mut offers = all.clone();
        offers.retain(|offer| self.cap.is_none_or(|cap| offer.tokens <= cap));
        if offers.is_empty() {
            let least = all.iter().map(|offer| offer.tokens).min().unwrap_or(0);
            offers.extend(all.into_iter().find(|offer| offer.tokens <= least + least / 10));
        }
        offers
    }
}

pub fn whole<'a>(
    selected: &[Selected],
    contexts: &'a ContextSet,
    renderer: impl Fn(&'a Context) -> Renderer<'a> + Sync,
) -> Vec<Rendition<'a>> {
    let offered = |selected: &Selected| {
        let context = &contexts.contexts[&selected.id];
        let fields = &context.front.fields;
        let cap = fields.max_tokens.as_ref().filter(|_| !fields.fixed);
        let renderer = renderer(context);
        let forms = vec![(renderer.detailed(), Level::Detailed.value())];
        let cap = cap.map(|cap| usize::try_from(cap.value).unwrap_or(usize::MAX));
        Rendition { renderer, forms, cap }
    };
    selected.par_iter().map(offered).collect()
}

/// Focused forms have at least `least` tokens.
pub fn shorten(
    offered: &mut [(&mut Rendition<'_>, Option<usize>)],
    all: bool,
    passages: &Passages,
    least: usize,
) {
    let wanted = |o: &Rendition<'_>| o.forms.len() == 1 && (all || o.is_over_its_cap());
    offered.par_iter_mut().filter(|(offered, _)| wanted(offered)).for_each(|(offered, most)| {
        let capped = offered.cap.filter(|_| offered.is_over_its_cap());
        let truncated = capped.and_then(|cap| offered.renderer.truncated(cap));
        let (summary, essence) = (offered.renderer.summary(), offered.renderer.essence());
        let is_bare = offered.renderer.is_bare(&summary, &essence);
        let summary = (!is_bare).then_some(summary);
        let plain = truncated.into_iter().chain(summary).chain([essence]);
        let mut forms: Vec<_> = plain.map(|form| (form.level.value(), form)).collect();
        if let Some(most) = most.filter(|most| *most >= least && !passages.is_empty()) {
            let focused = offered.renderer.focused(LONG, &FOCUSED, passages, most);
            let useful = least..=most;
            let focused = focused.into_iter().filter(|(form, _)| useful.contains(&form.tokens));
            forms.extend(focused.map(|(form, share)| (focused_value(share), form)));
        }
        offered.forms.extend(forms.into_iter().map(|(value, form)| (form, value)));
    });
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 300 to 999")]
pub(super) fn focused_value(share: f64) -> u32 {
    let [least, most] = [Level::Focused, Level::Detailed].map(|level| f64::from(level.value()));
    (least + (most - 1.0 - least) * share.clamp(0.0, 1.0)).floor() as u32
}

pub fn candidate(
    selected: &Selected,
    offered: &Rendition<'_>,
    relevance: f64,
    config: &Config,
) -> Candidate {
    let context = offered.renderer.context;
    let fields = &context.front.fields;
    let weights = &config.selection.weights;
    let kinds = || selected.reasons.iter().map(|reason| reason.kind);
    let weight = |kind: ReasonKind| weights.get(kind.name()).copied().unwrap_or(1.0);
    Candidate {
        priority: priority(context),
        weight: kinds().map(weight).fold(0.0, f64::max),
        relevance: selected.reasons.iter().map(least_relevance).fold(relevance, f64::max),
        must: fields.required || selected.has(ReasonKind::Pinned),
        truncatable: !fields.fixed,
        section: section(context, selected.group),
        offers: offered.offers(),
    }
}

fn least_relevance(reason: &Reason) -> f64 {
    match reason.kind {
        ReasonKind::Pinned
        | ReasonKind::Task
        | ReasonKind::Prompt
        | ReasonKind::Platform
        | ReasonKind::Error => 0.8,
        ReasonKind::Keyword => 0.4,
        ReasonKind::Files if reason.named_parts > 0 => 0.4,
        ReasonKind::Files => 0.1,
        _ => 0.0,
    }
}

pub fn priority(context: &Context) -> i64 {
    let own = context.front.fields.priority.as_ref().map(|priority| priority.value);
    own.unwrap_or(context.id.category.row().priority)
}

pub(super) fn unasked_relevance(context: &Context) -> f64 {
    const STEP: f64 = 0.05;
    match priority(context) {
        ..=1 => 2.0 * STEP,
        2 => STEP,
        _ => 0.0,
    }
}

pub fn section(context: &Context, group: BundleGroup) -> Section {
    match (context.base, group) {
        (_, BundleGroup::Related) => Section::Related,
        (LayerKind::User, _) => Section::Profile,
        _ => Section::Location,
    }
}
