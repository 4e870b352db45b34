//! Combines the bodies of an overlay and its base.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Reported};
use crate::line::Line;
use crate::markdown::BlockKind;
use crate::resolve::body::{Outline, Patch, apply, is_blank, to_margin};
use crate::resolve::labels;
use crate::resolve::own::{OwnPart, combine_own};
use crate::resolve::rules::{self, Ruling, SectionPlan};
use crate::resolve::tree::{SectionNode, Tree, fold};
use crate::rules::{overlay_clash, section_without_base};
use crate::source::{SourceMap, Span};
use crate::strategy::{SectionAction, SectionRule, Strategy};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Combine<'a> {
    pub strategy: Strategy,
    pub sections: &'a [SectionRule],
    pub sealed: bool,
}

pub(crate) fn combine(
    sources: &SourceMap,
    base: &[Line],
    overlay: &[Line],
    how: &Combine<'_>,
) -> Reported<Vec<Line>> {
    let mut diagnostics = Vec::new();
    let shared = labels::shared(sources, base, overlay);
    if how.strategy == Strategy::Append {
        diagnostics.extend(shared.iter().filter_map(|shared| shared.finding(base, overlay)));
    }
    let merges = how.strategy == Strategy::Merge && !shared.is_empty();
    let with_labels = merges.then(|| labels::replaced(&shared, base, overlay));
    let base = Outline::new(sources, with_labels.as_deref().unwrap_or(base));
    let mut overlay = Outline::new(sources, overlay);
    // A replaced or removed section would take the definition with it.
    if merges && how.sections.is_empty() {
        overlay.known = shared.into_iter().flat_map(|shared| shared.overlay).collect();
    }
    if how.strategy != Strategy::Override && overlay.is_silent() {
        overlay = Outline::new(sources, &[]);
    }
    let titled = base.may_have_title() && overlay.may_have_title();
    let mut value = combine_bodies(&base, &overlay, titled, how, &mut diagnostics);
    if !how.sections.is_empty() {
        let mut bodies = [base.lines, overlay.lines];
        if how.strategy == Strategy::Override {
            bodies.reverse();
        }
        for body in bodies {
            value = labels::with_definitions(sources, value, body);
        }
    }
    Reported { value, diagnostics }
}

fn combine_bodies(
    base: &Outline<'_>,
    overlay: &Outline<'_>,
    titled: bool,
    how: &Combine<'_>,
    found: &mut Vec<Diagnostic>,
) -> Vec<Line> {
    let plan = SectionPlan::new(Tree::new(base, titled), Tree::new(overlay, titled), how, found);
    report(&plan, (base, overlay), titled, how.strategy, found);
    let weaving = BodyMerge { base, overlay, plan: &plan };
    match how.strategy {
        Strategy::Override => apply(overlay, weaving.keep_of_base()),
        strategy => apply(base, weaving.weave(strategy)),
    }
}

fn report(
    plan: &SectionPlan,
    (base, overlay): (&Outline<'_>, &Outline<'_>),
    titled: bool,
    strategy: Strategy,
    found: &mut Vec<Diagnostic>,
) {
    if strategy == Strategy::Override {
        return;
    }
    let origin = |line: usize| overlay.lines[line].origin;
    let span = |at: usize| origin(plan.overlay.sections[at].lines.start);
    if strategy == Strategy::Merge {
        found.extend(plan.renamed().into_iter().map(|(at, heading)| {
            let message =
                format!("the base has no section `{}`", plan.overlay.sections[at].heading);
            section_without_base::RULE
                .at(span(at), message)
                .help(format!("it is added; did you mean `{heading}`?"))
        }));
        let paired =
            plan.partner.iter().enumerate().filter(|(at, _)| plan.of_overlay[*at].is_none());
        for (at, partner) in paired.filter_map(|(at, partner)| Some((at, (*partner)?))) {
            let own = OwnPart { body: overlay, section: &plan.overlay.sections[at] };
            let of_base = OwnPart { body: base, section: &plan.base.sections[partner] };
            found.extend(own.rows_elsewhere(of_base).into_iter().map(|(line, key)| {
                section_without_base::RULE
                    .at(
                        origin(line),
                        format!("the base has `{key}` in a table with another header"),
                    )
                    .help("it is added; to replace the row, write the header of the base")
            }));
            found.extend(own.entries_elsewhere(of_base).into_iter().map(|(line, lead)| {
                section_without_base::RULE
                    .at(origin(line), "the base has this key only below an introducing line")
                    .related(base.lines[lead].origin, "this line")
                    .help("it is added; to replace the entry of the base, write that line above it")
            }));
        }
    }
    let moved = plan.moved().into_iter().map(|(at, section)| (span(at), section));
    let title = titled.then(|| title_of_section(plan, base, overlay)).flatten();
    let title = title.map(|(line, section)| (origin(line), section));
    found.extend(
        title
            .into_iter()
            .chain(moved)
            .map(|(span, section)| rules::at_other_level(span, section, &plan.base)),
    );
    found.extend(plan.removed().into_iter().map(|at| {
        let heading = &plan.overlay.sections[at].heading;
        overlay_clash::RULE
            .at(span(at), format!("`sections` removes `{heading}`, also from this file"))
            .label("has no effect")
            .help("write `override` instead of `remove` to replace the section")
    }));
}

fn title_of_section<'p>(
    plan: &'p SectionPlan,
    base: &Outline<'_>,
    overlay: &Outline<'_>,
) -> Option<(usize, &'p SectionNode)> {
    let (line, title) = overlay.title()?;
    let key = fold(title);
    let is_same = base.title().is_some_and(|(_, title)| fold(title) == key);
    let section = plan.base.sections.iter().skip(1).find(|section| section.key == key);
    Some((line, section.filter(|_| !is_same)?))
}

struct BodyMerge<'a> {
    base: &'a Outline<'a>,
    overlay: &'a Outline<'a>,
    plan: &'a SectionPlan,
}

impl BodyMerge<'_> {
    fn weave(&self, strategy: Strategy) -> Vec<Patch> {
        let plan = self.plan;
        let mut patches = Vec::new();
        let mut strategies = vec![Some(strategy)];
        let mut added: Vec<(usize, usize)> = Vec::new();
        for at in 0..plan.overlay.sections.len() {
            let inherited = strategies[plan.overlay.sections[at].parent];
            let strategy = self.strategy_of(at, inherited);
            let partner = plan.partner[at];
            let mut within = None;
            match (strategy, partner) {
                (Some(Strategy::Override), Some(partner)) => {
                    patches.push(self.replacement(partner, at));
                }
                (Some(strategy), Some(partner)) => {
                    let (base, overlay) = (self.of_base(partner), self.of_overlay(at));
                    combine_own(base, overlay, strategy == Strategy::Merge, &mut patches);
                    within = Some(strategy);
                }
                (Some(_), None) => {
                    let parent = plan.partner[plan.overlay.sections[at].parent].unwrap_or(0);
                    added.push((parent, at));
                }
                (None, _) => {}
            }
            if at > 0 {
                strategies.push(within);
            }
        }
        added.sort_by_key(|&(parent, _)| std::cmp::Reverse(parent));
        patches.extend(added.into_iter().map(|(parent, at)| self.addition(parent, at)));
        patches.extend(Self::removals(&plan.base, &plan.of_base, self.base));
        patches
    }

    fn strategy_of(&self, at: usize, inherited: Option<Strategy>) -> Option<Strategy> {
        match self.plan.of_overlay[at] {
            Some(Ruling::Refused | Ruling::Act(SectionAction::Remove)) => None,
            Some(Ruling::Act(SectionAction::Apply(strategy)))
                if inherited.is_some() || self.plan.forced.contains_key(&at) =>
            {
                Some(strategy)
            }
            _ => inherited,
        }
    }

    fn of_base(&self, at: usize) -> OwnPart<'_> {
        OwnPart { body: self.base, section: &self.plan.base.sections[at] }
    }

    fn of_overlay(&self, at: usize) -> OwnPart<'_> {
        OwnPart { body: self.overlay, section: &self.plan.overlay.sections[at] }
    }

    fn replacement(&self, base: usize, overlay: usize) -> Patch {
        let section = &self.plan.base.sections[base];
        let old = self.base.trimmed(section.body_start..section.lines.end);
        let new = &self.plan.overlay.sections[overlay];
        let lines = self.left_in(overlay, new.body_start);
        let heading = self.overlay.lines[new.lines.start].origin;
        Patch { set_off: false, ..self.section(old, lines, heading) }
    }

    fn addition(&self, parent: usize, at: usize) -> Patch {
        let section = &self.plan.overlay.sections[at];
        let siblings = &self.plan.base.sections[parent].children;
        let base = &self.plan.base.sections;
        let next = siblings.partition_point(|&sibling| base[sibling].level >= section.level);
        let place = siblings.get(next).map_or(base[parent].lines.end, |&at| base[at].lines.start);
        let mut lines = to_margin(self.overlay, section.lines.start..section.body_start);
        lines.extend(self.left_in(at, section.body_start));
        self.section(place..place, lines, self.overlay.gap_before(section.lines.start))
    }

    fn left_in(&self, at: usize, start: usize) -> Vec<Line> {
        let plan = self.plan;
        let sections = &plan.overlay.sections;
        let mut lines = Vec::new();
        let mut next = start;
        let inner = sections[..plan.overlay.subtree_end(at)].iter().enumerate().skip(at + 1);
        for (inner, SectionNode { lines: inner_lines, .. }) in inner {
            let left_out = self.strategy_of(inner, Some(Strategy::Append)).is_none()
                || plan.forced.contains_key(&inner);
            if left_out && inner_lines.start >= next {
                lines.extend_from_slice(&self.overlay.lines[next..inner_lines.start]);
                next = inner_lines.end;
            }
        }
        let rest = self.overlay.trimmed(next..sections[at].lines.end.max(next));
        lines.extend_from_slice(&self.overlay.lines[rest]);
        while lines.pop_if(|line| is_blank(line.text(self.overlay.sources))).is_some() {}
        lines
    }

    fn removals(tree: &Tree, rulings: &[Option<Ruling>], body: &Outline<'_>) -> Vec<Patch> {
        let removed = Some(Ruling::Act(SectionAction::Remove));
        let sections = tree.sections.iter().zip(rulings).filter(|(_, ruling)| **ruling == removed);
        let removal = |(section, _): (&SectionNode, _)| {
            let gap = Some(body.lines[section.lines.start].origin);
            Patch { gap, ends_in_list: true, ..Patch::new(section.lines.clone(), Vec::new()) }
        };
        sections.map(removal).collect()
    }

    fn keep_of_base(&self) -> Vec<Patch> {
        let plan = self.plan;
        let mut patches = Self::removals(&plan.overlay, &plan.of_overlay, self.overlay);
        let mut used = vec![false; plan.base.sections.len()];
        for at in 1..plan.overlay.sections.len() {
            let (Some(strategy), Some(partner)) = (kept(plan.of_overlay[at]), plan.partner[at])
            else {
                continue;
            };
            used[partner] = true;
            patches.push(self.blend(partner, at, strategy));
        }
        let end = self.overlay.lines.len();
        let mut covered = 0;
        for (at, section) in plan.base.sections.iter().enumerate().skip(1) {
            if used[at] {
                covered = covered.max(section.lines.end);
            }
            if used[at] || section.lines.start < covered || kept(plan.of_base[at]).is_none() {
                continue;
            }
            covered = section.lines.end;
            let mut lines = to_margin(self.base, section.lines.start..section.body_start);
            let rest = self.base.trimmed(section.body_start..section.lines.end);
            lines.extend_from_slice(&self.base.lines[rest]);
            let gap = self.base.gap_before(section.lines.start);
            patches.push(self.section(end..end, lines, gap));
        }
        patches
    }

    fn blend(&self, base: usize, overlay: usize, strategy: Strategy) -> Patch {
        let ours = &self.plan.base.sections[base];
        let theirs = &self.plan.overlay.sections[overlay];
        let old = self.overlay.trimmed(theirs.lines.clone());
        let base_lines = self.base.trimmed(ours.body_start..ours.lines.end);
        let overlay_lines = self.overlay.trimmed(theirs.body_start..theirs.lines.end);
        let base_body = Outline::new(self.base.sources, &self.base.lines[base_lines]);
        let overlay_body = Outline::new(self.base.sources, &self.overlay.lines[overlay_lines]);
        let how = Combine { strategy, sections: &[], sealed: false };
        let mut lines = to_margin(self.base, ours.lines.start..ours.body_start);
        lines.extend(combine_bodies(&base_body, &overlay_body, false, &how, &mut Vec::new()));
        self.section(old, lines, self.overlay.lines[theirs.lines.start].origin)
    }

    fn section(&self, replaces: Range<usize>, lines: Vec<Line>, gap: Span) -> Patch {
        let body = Outline::new(self.base.sources, &lines);
        let last = body.blocks.last();
        let ends_in_list = last.is_some_and(|block| matches!(block.kind, BlockKind::List { .. }));
        let closer = body.open.map(|open| open.closer);
        Patch { replaces, lines, set_off: true, gap: Some(gap), ends_in_list, closer }
    }
}

fn kept(ruling: Option<Ruling>) -> Option<Strategy> {
    match ruling {
        Some(Ruling::Act(SectionAction::Apply(strategy))) if strategy != Strategy::Override => {
            Some(strategy)
        }
        _ => None,
    }
}
