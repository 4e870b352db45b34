//! A body as a tree of sections.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::letters::folded;
use crate::line::Line;
use crate::markdown::{BlockKind, SiblingSlugs, Slugs, collapse};
use crate::resolve::body::Outline;
use crate::resolve::labels;
use crate::source::SourceMap;

pub(super) fn fold(text: &str) -> String {
    folded(&collapse(text))
}

#[derive(Debug)]
pub(super) struct SectionNode {
    pub(super) level: u8,
    pub(super) heading: String,
    pub(super) key: String,
    pub(super) id: Option<String>,
    /// Earlier siblings with the same level and key.
    pub(super) occurrence: usize,
    pub(super) parent: usize,
    /// Levels never increase.
    pub(super) children: Vec<usize>,
    pub(super) lines: Range<usize>,
    pub(super) body_start: usize,
    pub(super) blocks: Vec<usize>,
    pub(super) own_end: usize,
}

#[derive(Debug)]
pub(super) struct Tree {
    pub(super) sections: Vec<SectionNode>,
}

impl Tree {
    /// With `titled`, a level-1 heading belongs to the root.
    pub(super) fn new(body: &Outline<'_>, titled: bool) -> Self {
        let whole = 0..body.lines.len();
        let mut tree = Self { sections: vec![SectionNode::new(0, "", 0, whole, 0)] };
        let mut counts = HashMap::new();
        let mut at = 0;
        for (index, block) in body.blocks.iter().enumerate() {
            match &block.kind {
                BlockKind::Heading { level, text, id } if !(titled && *level == 1) => {
                    while tree.sections[at].level >= *level {
                        tree.sections[at].lines.end = block.lines.start;
                        at = tree.sections[at].parent;
                    }
                    let lines = block.lines.start..body.lines.len();
                    let mut section = SectionNode::new(*level, text, at, lines, block.lines.end);
                    section.id = id.as_deref().map(fold);
                    let count = counts.entry((at, *level, section.key.clone())).or_insert(0);
                    section.occurrence = *count;
                    *count += 1;
                    let id = tree.sections.len();
                    tree.sections[at].children.push(id);
                    tree.sections.push(section);
                    at = id;
                }
                BlockKind::Heading { .. } => tree.sections[at].own_end = block.lines.end,
                _ => {
                    tree.sections[at].blocks.push(index);
                    tree.sections[at].own_end = block.lines.end;
                }
            }
        }
        tree
    }

    pub(super) fn path_up(&self, at: usize) -> impl Iterator<Item = &SectionNode> {
        let up = move |&at: &usize| Some(self.sections[at].parent);
        let path = std::iter::successors(Some(at), up).take_while(|&at| at != 0);
        path.map(|at| &self.sections[at])
    }

    pub(super) fn subtree_end(&self, at: usize) -> usize {
        let end = self.sections[at].lines.end;
        at + 1 + self.sections[at + 1..].partition_point(|section| section.lines.start < end)
    }
}

impl SectionNode {
    fn new(
        level: u8,
        heading: &str,
        parent: usize,
        lines: Range<usize>,
        body_start: usize,
    ) -> Self {
        Self {
            level,
            heading: heading.to_owned(),
            key: fold(heading),
            id: None,
            occurrence: 0,
            parent,
            children: Vec::new(),
            lines,
            body_start,
            blocks: Vec::new(),
            own_end: body_start,
        }
    }
}

/// By path of slugs, else as [`section`].
pub fn section_of_id<'a>(
    sources: &SourceMap,
    lines: &'a [Line],
    anchor: &str,
) -> Option<&'a [Line]> {
    let body = Outline::new(sources, lines);
    let tree = Tree::new(&body, false);
    match paths(&tree).iter().position(|path| path == anchor && !path.is_empty()) {
        Some(at) => Some(&lines[body.trimmed(tree.sections[at].lines.clone())]),
        None => section(sources, lines, anchor),
    }
}

/// By precedence: a heading, its id (`{#id}`), its GitHub slug, a path `Parent/Child`.
pub fn section<'a>(sources: &SourceMap, lines: &'a [Line], anchor: &str) -> Option<&'a [Line]> {
    section_range(sources, lines, anchor).map(|range| &lines[range])
}

pub(super) fn defined_section(
    sources: &SourceMap,
    lines: &[Line],
    anchor: &str,
) -> Option<Vec<Line>> {
    let section = section(sources, lines, anchor)?;
    Some(labels::with_definitions(sources, section.to_vec(), lines))
}

fn section_range(sources: &SourceMap, lines: &[Line], anchor: &str) -> Option<Range<usize>> {
    let body = Outline::new(sources, lines);
    let tree = Tree::new(&body, false);
    let slugs = slugs(&tree);
    let wanted = fold(anchor);
    let has_id = |at: usize, name: &str| tree.sections[at].id.as_deref() == Some(name);
    let named = |at: usize, name: &str| {
        tree.sections[at].key == name || has_id(at, name) || slugs[at] == name
    };
    let path: Vec<_> = anchor.rsplit('/').map(fold).collect();
    let ends_path = |at: usize| {
        let mut up = std::iter::successors(Some(at), |&at| Some(tree.sections[at].parent))
            .take_while(|&at| at != 0);
        path.iter().all(|name| up.next().is_some_and(|at| named(at, name)))
    };
    let mut all = 1..tree.sections.len();
    let found = all
        .clone()
        .find(|&at| tree.sections[at].key == wanted)
        .or_else(|| all.clone().find(|&at| has_id(at, &wanted)))
        .or_else(|| all.clone().find(|&at| slugs[at] == wanted))
        .or_else(|| all.find(|&at| ends_path(at)))?;
    Some(body.trimmed(tree.sections[found].lines.clone()))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchors {
    names: BTreeSet<String>,
}

impl Anchors {
    pub fn new(sources: &SourceMap, lines: &[Line]) -> Self {
        let body = Outline::new(sources, lines);
        let tree = Tree::new(&body, false);
        let keys = tree.sections.iter().map(|section| section.key.clone());
        let ids = tree.sections.iter().filter_map(|section| section.id.clone());
        let names = keys.chain(ids).chain(slugs(&tree));
        Self { names: names.map(|name| letters(&name)).collect() }
    }

    pub fn has(&self, anchor: &str) -> bool {
        let wanted = fold(anchor);
        let last = wanted.rsplit('/').next().unwrap_or_default();
        self.names.contains(&letters(&wanted)) || self.names.contains(&letters(last))
    }
}

fn letters(name: &str) -> String {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    if letters.is_empty() { name.to_owned() } else { letters }
}

fn slugs(tree: &Tree) -> Vec<String> {
    let mut slugs = Slugs::default();
    let slug = |section: &SectionNode| fold(&slugs.next(&section.heading));
    std::iter::once(String::new()).chain(tree.sections[1..].iter().map(slug)).collect()
}

fn paths(tree: &Tree) -> Vec<String> {
    let mut slugs = SiblingSlugs::new(tree.sections.iter().map(|section| section.level));
    let mut paths = vec![String::new()];
    for section in &tree.sections[1..] {
        let path = match (&paths[section.parent], slugs.next(section.level, &section.heading)) {
            (_, None) => String::new(),
            (above, Some(slug)) if above.is_empty() => slug,
            (above, Some(slug)) => format!("{above}/{slug}"),
        };
        paths.push(path);
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{join, lines_of};

    fn lines(sources: &mut SourceMap, text: &str) -> Vec<Line> {
        let file = sources.add("a.md".into(), text.to_owned());
        lines_of(sources, file, 0..text.len())
    }

    #[test]
    fn sections_nest_under_the_nearest_heading_of_a_lower_level() {
        let mut sources = SourceMap::default();
        let lines = lines(&mut sources, "x\n# T\n#### D\n## A\n### B\n\ny\n## a\n");
        let body = Outline::new(&sources, &lines);
        let tree = Tree::new(&body, body.may_have_title());
        let shape: Vec<_> = tree
            .sections
            .iter()
            .map(|it| (it.heading.as_str(), it.parent, it.occurrence, it.lines.clone()))
            .collect();
        assert_eq!(
            shape,
            [
                ("", 0, 0, 0..8),
                ("D", 0, 0, 2..3),
                ("A", 0, 0, 3..7),
                ("B", 2, 0, 4..7),
                ("a", 0, 1, 7..8)
            ]
        );
        assert_eq!((tree.sections[0].own_end, tree.subtree_end(2)), (2, 4));
    }

    #[test]
    fn anchors_are_texts_slugs_or_paths() {
        let mut sources = SourceMap::default();
        let text = "# T\n## A b!\n### C\n1\n\n## D/E\n### C\n2\n### C\n3\n\n";
        let lines = lines(&mut sources, text);
        let found = |anchor| section(&sources, &lines, anchor).map(|lines| join(&sources, lines));
        assert_eq!(found("a  B!").unwrap(), "## A b!\n### C\n1\n");
        assert_eq!(found("a-b"), found("A b!"));
        assert_eq!(found("A b!/C").unwrap(), "### C\n1\n");
        assert_eq!(found("D/E").unwrap(), "## D/E\n### C\n2\n### C\n3\n");
        assert_eq!(found("c-2").unwrap(), "### C\n3\n");
        assert_eq!(found("t/a-b/c"), found("C"));
        assert_eq!((found("x"), found(""), found("D/C")), (None, None, None));
    }

    #[test]
    fn ids_are_paths_of_slugs() {
        let mut sources = SourceMap::default();
        let long = "very long ".repeat(30);
        let text = format!(
            "# T\n## 🚀\n1\n## ✅\n2\n## A\n### Use\n3\n### Use\n4\n## Use\n5\n## {long}\n6\n"
        );
        let lines = lines(&mut sources, &text);
        let last = |section: &[Line]| join(&sources, section).trim().chars().next_back();
        let found = |anchor| section_of_id(&sources, &lines, anchor).and_then(last);
        let cut = long[..200].trim().replace(' ', "-") + "-";
        for (at, id) in
            ('1'..).zip(["section", "section-1", "a/use", "a/use-1", "use", cut.as_str()])
        {
            assert_eq!(found(id), Some(at), "{id}");
        }
        let old = ["a/use-1", "use-2", "T"].map(found);
        assert_eq!(old, [Some('4'), Some('5'), Some('6')], "other anchors stay");
        assert_eq!(section(&sources, &lines, "section").and_then(last), Some('1'));
    }

    #[test]
    fn headings_are_compared_in_every_spelling() {
        for (one, other) in [("Straße", "STRASSE"), ("Café", "cafe\u{301}"), ("ΟΔΟΣ", "οδος")]
        {
            assert_eq!(fold(one), fold(other));
        }
    }

    #[test]
    fn a_heading_has_its_own_id_and_the_slug_of_its_title() {
        let mut sources = SourceMap::default();
        let text = "# T\n\n## In short? { #Brief }\n\n1\n\n## C {: .wide #in-short }\n\n2\n";
        let lines = lines(&mut sources, text);
        let found = |anchor| section(&sources, &lines, anchor).map(|lines| join(&sources, lines));
        let first = found("brief").unwrap();
        assert_eq!(first, "## In short? { #Brief }\n\n1\n");
        assert_eq!((found("In short?"), found("T/Brief")), (Some(first.clone()), Some(first)));
        assert_eq!(found("in-short"), found("C"));
        let anchors = Anchors::new(&sources, &lines);
        let names = ["brief", "in-short", "-in--short", "In short?", "C"];
        assert!(names.iter().all(|name| anchors.has(name)));
        assert!(!anchors.has("in-short--brief-"));
    }
}
