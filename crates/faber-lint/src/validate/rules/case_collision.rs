use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use crate::validate::check::LintContext;
use faber_core::diagnostic::Diagnostic;
use faber_core::layer::LayerKind;
use faber_core::rules::case_collision::RULE;
use faber_core::source::{FileId, Span};
use faber_core::workspace::survey::{FileEntry, FileKind};

type PathPlace<'a> = (&'a str, FileId);

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let mut known: HashSet<&str> = HashSet::new();
    let mut spellings: HashMap<(&str, String), Vec<PathPlace<'_>>> = HashMap::new();
    for entry in whole.survey.files.iter().filter(|entry| is_listed(whole, entry)) {
        let mut path = whole.sources.path(entry.file).as_str();
        while !path.is_empty() && known.insert(path) {
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
            spellings.entry((parent, folded(name))).or_default().push((path, entry.file));
            path = parent;
        }
    }
    let mut groups: Vec<Vec<PathPlace<'_>>> =
        spellings.into_values().filter(|places| places.len() > 1).collect();
    for places in &mut groups {
        places.sort_unstable();
    }
    groups.sort_unstable();
    for places in groups {
        let (first, other) = places[0];
        for &(path, file) in &places[1..] {
            let message = format!("`{path}` and `{first}` are the same name on Windows and macOS");
            let finding = RULE
                .at(Span::start_of(file), message)
                .related(Span::start_of(other), "the other one");
            found.push(finding.help("rename one of them"));
        }
    }
}

/// A reference may use another case than the disk.
fn is_listed(whole: &LintContext<'_>, entry: &FileEntry) -> bool {
    let layer = entry.layer.map(|at| whole.survey.layers[at].kind);
    layer != Some(LayerKind::Custom) && (layer.is_some() || entry.kind != FileKind::Partial)
}

fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    caseless::default_case_fold_str(&name.nfd().collect::<String>()).nfc().collect()
}
