//! ## What it finds
//!
//! Files or folders beside one another whose names differ only in capital and small letters, or in
//! how accents are written.
//!
//! ## Why it matters
//!
//! On Windows and macOS they are one: of two files one is lost when the repository is checked out,
//! and the contents of two folders are mixed.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/standards-api.md
//! contexts/standards/standards-API.md
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/standards-api.md
//! contexts/standards/standards-api-errors.md
//! ```
//!
//! ## How to mend it
//!
//! Rename one of them.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use unicode_normalization::UnicodeNormalization;

use crate::diagnostic::{Diagnostic, Severity};
use crate::layer::LayerKind;
use crate::source::{FileId, Span};
use crate::validate::check::Whole;
use crate::validate::rule::{Fix, Group, Rule};
use crate::workspace::survey::{Entry, FileKind};

pub(crate) const RULE: Rule = Rule {
    code: "case-collision",
    severity: Severity::Error,
    group: Group::Files,
    fix: Fix::None,
    summary: "names that are one on Windows and macOS",
    source: include_str!("case_collision.rs"),
};

/// Looks at the paths of all files, and at the folders that they lie in.
pub(crate) fn check(whole: &Whole<'_>, found: &mut Vec<Diagnostic>) {
    // Every path with a file to point at: itself, or the first one in the folder.
    let mut places: BTreeMap<&Utf8Path, FileId> = BTreeMap::new();
    for entry in whole.survey.files.iter().filter(|entry| is_listed(whole, entry)) {
        for path in whole.sources.path(entry.file).ancestors() {
            // What lies above a known folder is known too.
            if path.as_str().is_empty() || places.contains_key(path) {
                break;
            }
            places.insert(path, entry.file);
        }
    }
    let mut spellings: BTreeMap<(&Utf8Path, String), BTreeSet<&Utf8Path>> = BTreeMap::new();
    for &path in places.keys() {
        // Folders that collide are reported once, not again with everything in them.
        let parent = path.parent().unwrap_or(Utf8Path::new(""));
        let key = (parent, folded(path.file_name().unwrap_or_default()));
        spellings.entry(key).or_default().insert(path);
    }
    for paths in spellings.values().filter(|paths| paths.len() > 1) {
        let mut paths = paths.iter();
        let Some(first) = paths.next() else { continue };
        for path in paths {
            let message = format!("`{path}` and `{first}` are one where case does not count");
            found.push(
                RULE.at(Span::start_of(places[path]), message)
                    .related(Span::start_of(places[first]), "this is the other")
                    .help("rename one of them"),
            );
        }
    }
}

/// Whether a file was found by listing its folder. The name of one that a reference leads to is
/// only what somebody wrote, and where case does not count it may be that of a file listed before.
fn is_listed(whole: &Whole<'_>, entry: &Entry) -> bool {
    let layer = entry.layer.map(|at| whole.survey.layers[at].kind);
    layer != Some(LayerKind::Custom) && (layer.is_some() || entry.kind != FileKind::Partial)
}

/// A name as a file system sees it to which case and the form of accents are nothing.
fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    caseless::default_case_fold_str(&name.nfd().collect::<String>()).nfc().collect()
}
