//! `sections` rules of an overlay.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::diagnostic::Diagnostic;
use crate::resolve::combine::Combine;
use crate::resolve::tree::{SectionNode, Tree, fold};
use crate::rules::{overlay_clash, sealed_overridden, section_without_base};
use crate::source::Span;
use crate::strategy::{SectionAction, SectionRule, Strategy};
use crate::suggest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ruling {
    Act(SectionAction),
    Refused,
}

#[derive(Debug)]
pub(super) struct SectionPlan {
    pub(super) base: Tree,
    pub(super) overlay: Tree,
    pub(super) of_base: Vec<Option<Ruling>>,
    pub(super) of_overlay: Vec<Option<Ruling>>,
    pub(super) partner: Vec<Option<usize>>,
    pub(super) forced: BTreeMap<usize, usize>,
}

impl SectionPlan {
    pub(super) fn new(
        base: Tree,
        overlay: Tree,
        how: &Combine<'_>,
        found: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut of_base = vec![None; base.sections.len()];
        let mut of_overlay = vec![None; overlay.sections.len()];
        let partner = pair(&base, &overlay, &BTreeMap::new());
        let mut forced = BTreeMap::new();
        let (in_base, in_overlay) = (SectionIndex::new(&base), SectionIndex::new(&overlay));
        let mut matches: Vec<_> = how
            .sections
            .iter()
            .map(|rule| {
                let heading = &rule.heading.value;
                let (depth, bases) = in_base.find(heading);
                let (overlay_depth, overlays) = in_overlay.find(heading);
                report(rule, &base, how, (bases.is_empty(), overlays.is_empty()), found);
                if !how.sealed && how.strategy != Strategy::Override {
                    found.extend(several(rule, &base, bases));
                }
                (depth.max(overlay_depth), rule, bases, overlays)
            })
            .collect();
        matches.sort_by_key(|found| found.0);
        for (_, rule, bases, overlays) in matches {
            let refused = how.sealed && rule.action != SectionAction::Apply(Strategy::Append);
            let ruling = if refused { Ruling::Refused } else { Ruling::Act(rule.action) };
            for &at in bases {
                of_base[at] = Some(ruling);
            }
            for &at in overlays {
                of_overlay[at] = Some(ruling);
            }
            if matches!(ruling, Ruling::Act(SectionAction::Apply(_))) {
                force(&partner, bases, overlays, &mut forced);
            }
        }
        let partner = pair(&base, &overlay, &forced);
        Self { base, overlay, of_base, of_overlay, partner, forced }
    }

    pub(super) fn removed(&self) -> Vec<usize> {
        let (tree, remove) = (&self.overlay, Some(Ruling::Act(SectionAction::Remove)));
        let has_text = |at: &usize| {
            tree.sections[*at..tree.subtree_end(*at)].iter().any(|it| !it.blocks.is_empty())
        };
        let removed = (1..tree.sections.len())
            .filter(|&at| self.of_overlay[at] == remove && self.partner[at].is_some());
        removed.filter(has_text).collect()
    }

    pub(super) fn renamed(&self) -> Vec<(usize, &str)> {
        let taken = self.taken();
        let similar = |at: usize| {
            let section = &self.overlay.sections[at];
            let parent = self.partner[section.parent]?;
            let siblings = self.base.sections[parent].children.iter();
            let siblings =
                siblings.filter(|at| !taken.contains(at)).map(|&at| &self.base.sections[at]);
            let siblings = siblings.filter(|base| base.level == section.level);
            most_similar(siblings, &section.key, STRICT).map(|heading| (at, heading))
        };
        self.added().filter_map(similar).collect()
    }

    pub(super) fn moved(&self) -> Vec<(usize, &SectionNode)> {
        let taken = self.taken();
        let only = |at: usize| {
            let section = &self.overlay.sections[at];
            let parent = self.partner[section.parent]?;
            let mut same = (parent + 1..self.base.subtree_end(parent))
                .filter(|&at| self.base.sections[at].key == section.key);
            let only = same.next().filter(|at| same.next().is_none() && !taken.contains(at))?;
            Some((at, &self.base.sections[only]))
        };
        self.added().filter_map(only).collect()
    }

    fn taken(&self) -> BTreeSet<usize> {
        self.partner.iter().flatten().copied().collect()
    }

    fn added(&self) -> impl Iterator<Item = usize> {
        let added = (1..self.partner.len()).filter(|&at| self.partner[at].is_none());
        added.filter(|&at| self.of_overlay[at].is_none()).take(SIMILAR_LIMITS.1)
    }
}

fn several(rule: &SectionRule, base: &Tree, bases: &[usize]) -> Option<Diagnostic> {
    let parents: BTreeSet<usize> = bases.iter().map(|&at| base.sections[at].parent).collect();
    let parent = parents.last().filter(|_| parents.len() > 1)?;
    let (heading, parent) = (&rule.heading.value, &base.sections[*parent].heading);
    let message = format!("removes {} sections with the heading `{heading}`", bases.len());
    let finding = overlay_clash::RULE.at(rule.heading.span, message).exceptional();
    let finding = finding.help(format!("to remove only one, write `{parent}/{heading}`"));
    (rule.action == SectionAction::Remove).then_some(finding)
}

fn force(
    partner: &[Option<usize>],
    bases: &[usize],
    overlays: &[usize],
    forced: &mut BTreeMap<usize, usize>,
) {
    let taken: BTreeSet<_> = overlays.iter().filter_map(|&at| partner[at]).collect();
    let free = bases.iter().copied().filter(|at| !taken.contains(at));
    let lone = overlays.iter().copied().filter(|&at| partner[at].is_none());
    forced.extend(lone.zip(free));
}

fn pair(base: &Tree, overlay: &Tree, forced: &BTreeMap<usize, usize>) -> Vec<Option<usize>> {
    let name = |section: &SectionNode| (section.level, section.key.clone(), section.occurrence);
    let sections = base.sections.iter().enumerate().skip(1);
    let by_name: HashMap<_, _> =
        sections.map(|(at, section)| ((section.parent, name(section)), at)).collect();
    let mut partner: Vec<Option<usize>> = vec![Some(0)];
    for (at, section) in overlay.sections.iter().enumerate().skip(1) {
        let found = forced
            .get(&at)
            .copied()
            .or_else(|| by_name.get(&(partner[section.parent]?, name(section))).copied());
        partner.push(found);
    }
    partner
}

struct SectionIndex<'a> {
    ids: HashMap<&'a str, usize>,
    sections: HashMap<Vec<usize>, Vec<usize>>,
}

impl<'a> SectionIndex<'a> {
    fn new(tree: &'a Tree) -> Self {
        let mut ids = HashMap::new();
        let mut sections: HashMap<_, Vec<_>> = HashMap::new();
        for at in 1..tree.sections.len() {
            let next = ids.len();
            ids.entry(&*tree.sections[at].key).or_insert(next);
            let mut path = Vec::new();
            for section in tree.path_up(at) {
                path.push(ids[&*section.key]);
                sections.entry(path.clone()).or_default().push(at);
            }
        }
        Self { ids, sections }
    }

    /// With the length of the path.
    fn find(&self, heading: &str) -> (usize, &[usize]) {
        let whole = self.path(std::iter::once(heading));
        let path = || self.path(heading.rsplit('/'));
        whole.or_else(path).map_or((0, &[]), |(path, sections)| (path.len(), sections))
    }

    fn path<'b>(&self, up: impl Iterator<Item = &'b str>) -> Option<(Vec<usize>, &[usize])> {
        let ids = up.map(|heading| self.ids.get(&*fold(heading)).copied());
        let path: Vec<_> = ids.collect::<Option<_>>()?;
        let sections = self.sections.get(&path)?;
        Some((path, sections))
    }
}

pub(super) fn at_other_level(span: Span, section: &SectionNode, base: &Tree) -> Diagnostic {
    let (marks, heading) = ("#".repeat(section.level.into()), &section.heading);
    let below = match section.parent {
        0 => String::new(),
        parent => format!(", below `{}`", base.sections[parent].heading),
    };
    section_without_base::RULE
        .at(span, format!("the base has the section `{heading}` at another level"))
        .help(format!("it is not merged; write it as `{marks} {heading}`{below}"))
}

fn report(
    rule: &SectionRule,
    base: &Tree,
    how: &Combine<'_>,
    (not_in_base, not_in_overlay): (bool, bool),
    found: &mut Vec<Diagnostic>,
) {
    let heading = &rule.heading.value;
    if how.sealed && rule.action != SectionAction::Apply(Strategy::Append) {
        let message = format!("`{heading}` can only be appended to: its base is sealed");
        found.push(
            sealed_overridden::RULE
                .at(rule.heading.span, message)
                .label("has no effect")
                .help("use `append`, or change the sealed context itself"),
        );
        return;
    }
    let overlay_counts = match rule.action {
        SectionAction::Remove => how.strategy == Strategy::Override,
        SectionAction::Apply(Strategy::Override) => true,
        SectionAction::Apply(_) => how.strategy != Strategy::Override,
    };
    let removes_own = rule.action == SectionAction::Remove && overlay_counts;
    let (missing, help) = if not_in_base && !removes_own {
        let help = suggest::help(
            similar_heading(base, heading),
            "name a heading of the base, or remove the entry",
        );
        ("the base", help)
    } else if not_in_overlay && overlay_counts {
        ("this overlay", "add the section, or remove the entry".to_owned())
    } else {
        return;
    };
    let message = format!("{missing} has no section `{heading}`");
    let warning = section_without_base::RULE.at(rule.heading.span, message);
    found.push(warning.label("not a section of the base").help(help));
}

const SIMILAR_LIMITS: (usize, usize) = (100, 200);

/// Characters per edit.
const STRICT: usize = 5;

fn similar_heading<'a>(base: &'a Tree, heading: &str) -> Option<&'a str> {
    let wanted = fold(heading.rsplit('/').next().unwrap_or(heading));
    most_similar(base.sections.iter().skip(1), &wanted, 3)
}

fn most_similar<'a>(
    sections: impl Iterator<Item = &'a SectionNode>,
    wanted: &str,
    chars_per_edit: usize,
) -> Option<&'a str> {
    let (longest, max_candidates) = SIMILAR_LIMITS;
    let is_short = |text: &str| text.len() <= longest;
    let allowed = wanted.chars().count() / chars_per_edit;
    sections
        .take(max_candidates)
        .filter(|section| is_short(&section.key) && is_short(wanted))
        .map(|section| (strsim::damerau_levenshtein(&section.key, wanted), section))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, section)| &*section.heading)
}
