//! Release notes, which name past things.

use camino::Utf8Path;

use super::claim::has_word;
use faber_core::category::Category;

const NAMES: &str =
    "changelog changelogs releasehistory releasenotes versionhistory whatsnew whatsnewin";

/// These are release notes only if a heading is a version.
const AMBIGUOUS: &str = "changes history news release releases";

#[derive(Debug, Default)]
pub(super) struct ReleaseHeadings {
    levels: [HeadingCount; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct HeadingCount {
    all: usize,
    versions: usize,
}

impl ReleaseHeadings {
    pub(super) fn add(&mut self, line: &str) {
        let text = line.trim_start_matches('#');
        let Some(count) = self.levels.get_mut((line.len() - text.len()).wrapping_sub(1)) else {
            return;
        };
        count.all += 1;
        count.versions += usize::from(is_release(text.trim()));
    }

    pub(super) fn are_release_notes(&self, path: &Utf8Path) -> bool {
        let stem = path.file_stem().unwrap_or_default().to_lowercase();
        let stem = Category::from_prefix(&stem).map_or(&*stem, |(_, name)| name);
        let words: String = stem.chars().filter(|char| char.is_alphabetic()).collect();
        let is_mostly = |it: &HeadingCount| it.versions >= 2 && 2 * it.versions > it.all;
        has_word(NAMES, &words)
            || self.levels.iter().any(is_mostly)
            || (has_word(AMBIGUOUS, &words) && self.levels.iter().any(|it| it.versions > 0))
    }
}

/// `1.2.0`, `[v2.0-rc.1] - 2026-01-15`, `Version 1.4 (March 2026)`; not `1.2 Setup`.
fn is_release(heading: &str) -> bool {
    let text = heading.to_lowercase();
    let text = text.trim_start_matches(['[', '*', '`']);
    let named = ["version ", "release ", "v"].into_iter().find_map(|name| text.strip_prefix(name));
    let text = named.unwrap_or(text).trim_start_matches('v');
    let is_part = |char: char| char.is_ascii_alphanumeric() || ".-+".contains(char);
    let (number, rest) = text.split_at(text.find(|char| !is_part(char)).unwrap_or(text.len()));
    let starts = number.starts_with(|char: char| char.is_ascii_digit());
    let digits = number
        .split(['.', '-'])
        .take(2)
        .filter(|part| part.bytes().next().is_some_and(|byte| byte.is_ascii_digit()));
    let words = rest.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
    starts && digits.count() == 2 && (named.is_some() || has_year(rest) || words.next().is_none())
}

fn has_year(text: &str) -> bool {
    let mut numbers = text.split(|char: char| !char.is_ascii_digit());
    numbers.any(|it| it.len() == 4 && (it.starts_with("19") || it.starts_with("20")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_release_notes(path: &str, headings: &[&str]) -> bool {
        let mut count = ReleaseHeadings::default();
        for heading in headings {
            count.add(heading);
        }
        count.are_release_notes(path.into())
    }

    #[test]
    fn names_of_release_notes_are_known() {
        for path in [
            "CHANGELOG.md",
            "docs/Release-Notes.md",
            "contexts/references/reference-release_notes.md",
            "whats-new-2.0.md",
        ] {
            assert!(are_release_notes(path, &[]), "{path}");
        }
        assert!(!are_release_notes("history.md", &["# History of a conversation"]));
        assert!(are_release_notes("HISTORY.md", &["# History", "## 1.0", "## Before"]));
        assert!(!are_release_notes("releasing.md", &["# Releasing", "## 1.0"]));
    }

    #[test]
    fn headings_that_are_mostly_versions_make_release_notes() {
        let headings = ["# What we did", "## [Unreleased]", "## [1.1.0] - 2026-01-15", "### Added"];
        assert!(!are_release_notes("a.md", &headings));
        assert!(are_release_notes("a.md", &[&headings[..], &["## v1.0"]].concat()));
        assert!(!are_release_notes("a.md", &["## 1.1 Setup", "## 1.2 Build", "## 1.3 Test"]));
        assert!(!are_release_notes(
            "a.md",
            &["#", "####### 1.0", "## A", "## 1.0", "## B", "## 2.0"]
        ));
    }

    #[test]
    fn releases_are_versions_and_dates() {
        for heading in [
            "1.2.0",
            "[v2.0-rc.1] - 2026-01-15",
            "Version 1.4 (March 2026)",
            "1.4 (15 March 2026)",
            "2026-01-15",
            "v1.2: Faster",
        ] {
            assert!(is_release(heading), "{heading}");
        }
        for heading in ["Unreleased", "1. Setup", "1.2 Setup", "2 - Build", "Versions", "vim 9", ""]
        {
            assert!(!is_release(heading), "{heading}");
        }
    }
}
