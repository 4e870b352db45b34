use std::collections::HashMap;

use crate::source::char_boundary;

/// In bytes.
const LONGEST: usize = 200;

/// Slugs of GitHub, except for headings without letters.
#[derive(Debug, Default)]
pub struct Slugs {
    counts: HashMap<String, usize>,
}

impl Slugs {
    pub fn next(&mut self, heading: &str) -> String {
        let kept = heading.to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let slug: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let slug = if slug.is_empty() { "section".to_owned() } else { slug };
        let mut count = self.counts.get(&slug).copied().unwrap_or_default();
        let mut unique = slug.clone();
        while self.counts.contains_key(&unique) {
            count += 1;
            unique = format!("{slug}-{count}");
        }
        self.counts.insert(slug, count);
        self.counts.entry(unique.clone()).or_default();
        unique
    }
}

/// Slugs that do not depend on other sections.
#[derive(Debug)]
pub struct SiblingSlugs {
    has_title: bool,
    top: Slugs,
    open: Vec<(u8, Slugs)>,
}

impl SiblingSlugs {
    pub fn new(levels: impl Iterator<Item = u8>) -> Self {
        let has_title = levels.filter(|level| *level == 1).count() == 1;
        Self { has_title, top: Slugs::default(), open: Vec::new() }
    }

    /// `None` for the title, which belongs to no path.
    pub fn next(&mut self, level: u8, heading: &str) -> Option<String> {
        self.open.retain(|(above, _)| *above < level);
        if level == 1 && self.has_title {
            return None;
        }
        let siblings = self.open.last_mut().map_or(&mut self.top, |(_, below)| below);
        let slug = siblings.next(&heading[..char_boundary(heading, LONGEST)]);
        self.open.push((level, Slugs::default()));
        Some(slug)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_heading_has_a_slug_of_its_own() {
        let mut slugs = Slugs::default();
        let found = ["Setup", "Setup", "Setup 1", "🚀", "??", "Setup"].map(|it| slugs.next(it));
        assert_eq!(found, ["setup", "setup-1", "setup-1-1", "section", "section-1", "setup-2"]);
    }

    #[test]
    fn sections_elsewhere_change_no_slug() {
        let headings = [(1, "T"), (2, "A"), (3, "Use"), (3, "Use"), (2, "B"), (3, "Use")];
        let mut slugs = SiblingSlugs::new(headings.iter().map(|(level, _)| *level));
        let found = headings.map(|(level, heading)| slugs.next(level, heading));
        let expected = [None, Some("a"), Some("use"), Some("use-1"), Some("b"), Some("use")];
        assert_eq!(found, expected.map(|slug| slug.map(str::to_owned)));
    }
}
