//! What programs and settings do that come with imported files.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::source::SourceMap;
use faber_session::discover::files::Files;
use faber_tools::exchange::companion;
use faber_tools::exchange::gather::{Gathered, Importing};

/// Hints for those that are not `news`.
pub(super) fn findings(
    gathered: &Gathered,
    news: impl Fn(&Utf8Path) -> bool,
    sources: &mut SourceMap,
    Importing { root, settings }: Importing<'_>,
) -> Vec<Diagnostic> {
    let of_skills = gathered
        .found
        .iter()
        .flat_map(|source| source.others.iter().map(|path| (source.base.join(path), path.clone())));
    let alongside = gathered.alongside.iter().map(|(path, below)| (path.clone(), below.clone()));
    let all: BTreeMap<Utf8PathBuf, Utf8PathBuf> = of_skills.chain(alongside).collect();
    let files = Files::new(root);
    let read = |(path, below): (Utf8PathBuf, Utf8PathBuf)| {
        let text = files.read_elsewhere(&path).ok()?;
        Some((path, below, text))
    };
    let texts: Vec<_> = all.into_par_iter().filter_map(read).collect();
    let mut found = Vec::new();
    for (path, below, text) in texts {
        let shown = path.strip_prefix(&settings.cwd).unwrap_or(&path).to_owned();
        let mut own = Vec::new();
        let file = sources.add(shown, text.clone());
        companion::effects(file, &below, &text, &mut own);
        let severity = if news(&path) { Severity::Warning } else { Severity::Hint };
        for one in &mut own {
            one.configure(severity);
        }
        found.append(&mut own);
    }
    found
}
