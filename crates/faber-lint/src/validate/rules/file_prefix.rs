use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::validate::check::LintContext;
use faber_core::category::{CATEGORIES, Category};
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::layer::LayerKind;
use faber_core::rules::file_prefix::RULE;
use faber_core::source::Span;

const MIN_FILES: usize = 3;

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let mut folders: BTreeMap<&Utf8Path, Vec<&Document>> = BTreeMap::new();
    for document in &whole.survey.documents {
        let path = whole.sources.path(document.file);
        folders.entry(path.parent().unwrap_or(Utf8Path::new(""))).or_default().push(document);
    }
    let stem = |document: &Document| {
        let path = whole.sources.path(document.file);
        path.file_stem().unwrap_or_default().to_owned()
    };
    for documents in folders.values() {
        let own = |document: &Document| prefixed(document.id.category, &stem(document));
        let with = documents.iter().filter(|document| own(document)).count();
        let is_custom = with >= MIN_FILES && with * 2 > documents.len();
        for document in documents.iter().filter(|document| !own(document)) {
            let (stem, category) = (stem(document), document.id.category);
            let other = CATEGORIES
                .iter()
                .find(|row| row.category != category && prefixed(row.category, &stem));
            let is_base = document.kind <= LayerKind::Role;
            let message = match other {
                Some(row) => {
                    format!("`{stem}` has the prefix of a {}, but is a {category}", row.name)
                }
                None if is_custom && is_base => {
                    format!("`{stem}` lacks the prefix that other files of its folder have")
                }
                None => continue,
            };
            let rest = other.map_or(&*stem, |row| row.category.strip_prefix(&stem));
            let help = format!("rename it to `{}{rest}.md`", category.row().prefixes[0]);
            found.push(RULE.at(Span::start_of(document.file), message).help(help));
        }
    }
}

fn prefixed(category: Category, stem: &str) -> bool {
    category.strip_prefix(stem).len() < stem.len()
}
