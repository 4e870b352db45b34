//! Files that come with contexts and are no Markdown: programs, settings, data.

use camino::Utf8Path;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::security;
use faber_core::source::FileId;

use crate::settings;

/// Texts for readers and models.
const TEXTS: [&str; 5] = ["md", "mdc", "mdx", "markdown", "rst"];

fn is_text(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|end| TEXTS.contains(&end))
}

/// In others than texts, only errors count, and what a program or setting does.
pub fn check(file: FileId, path: &Utf8Path, text: &str, found: &mut Vec<Diagnostic>) {
    let mut own = Vec::new();
    security::scan(file, path, text, None, &mut own);
    own.retain(|one| is_text(path) || one.severity() == Severity::Error);
    found.append(&mut own);
    effects(file, path, text, found);
}

/// Of a program or of settings.
pub fn effects(file: FileId, path: &Utf8Path, text: &str, found: &mut Vec<Diagnostic>) {
    if !is_text(path) && !security::is_of_tests(path) {
        security::scan_program(file, path, text, found);
        settings::check(file, path, text, found);
    }
}
