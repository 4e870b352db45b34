//! Files that an import leaves, but whose effects its user should know: settings of agents, and
//! the programs of plugins.

use camino::{Utf8Path, Utf8PathBuf};

use super::settings;

/// Folders of programs that a plugin runs.
const PROGRAMS: [&str; 3] = ["hooks", "scripts", "bin"];

const MANIFESTS: [&str; 3] =
    [".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "hooks/hooks.json"];

/// Of paths from one folder.
pub(super) fn is_alongside<'a>(all: &'a [Utf8PathBuf]) -> impl Fn(&Utf8Path) -> bool + 'a {
    let root = |path: &'a Utf8PathBuf| {
        let manifest = MANIFESTS.iter().find(|end| path.ends_with(end))?;
        let depth = manifest.matches('/').count() + 1;
        path.ancestors().nth(depth)
    };
    let roots: Vec<&Utf8Path> = all.iter().filter_map(root).collect();
    let is_program = move |path: &Utf8Path| {
        roots.iter().any(|root| {
            let below = path.strip_prefix(root).ok();
            let first = below.and_then(|below| below.components().next());
            first.is_some_and(|first| PROGRAMS.contains(&first.as_str()))
        })
    };
    move |path| settings::is_settings(path) || is_program(path)
}
