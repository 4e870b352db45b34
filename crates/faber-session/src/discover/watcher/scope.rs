use std::collections::BTreeSet;
use std::ops::Bound::{Included, Unbounded};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::discover::root::MARKER;

const OWN: [&str; 2] = [".faber/cache", ".faber/state"];
const UNFINISHED: &str = ".faber-";
const GIT: [&str; 3] = [".git/HEAD", ".git/packed-refs", ".git/logs/HEAD"];
const GIT_FOLDERS: [&str; 2] = [".git", ".git/logs"];
const TOOLS: [&str; 1] = ["node_modules"];

#[derive(Debug, Default)]
pub(super) struct WatchScope {
    pub(super) root: Utf8PathBuf,
    pub(super) also: BTreeSet<Utf8PathBuf>,
    ignored: Vec<Utf8PathBuf>,
}

impl WatchScope {
    pub(super) fn new(root: &Utf8Path, also: &[Utf8PathBuf], ignored: &[Utf8PathBuf]) -> Self {
        let own = OWN.iter().map(|path| root.join(path));
        Self {
            root: root.to_owned(),
            also: also.iter().cloned().collect(),
            ignored: own.chain(ignored.iter().cloned()).collect(),
        }
    }

    pub(super) fn replace_also(&mut self, also: &[Utf8PathBuf]) -> bool {
        let also: BTreeSet<_> = also.iter().cloned().collect();
        let differs = also != self.also;
        self.also = also;
        differs
    }

    pub(super) fn concerns(&self, path: &Utf8Path) -> bool {
        let is_own = path.file_name().is_some_and(|name| name.starts_with(UNFINISHED));
        if is_own || self.is_ignored(path) {
            return false;
        }
        let Some(folder) = path.parent() else { return true };
        if self.also.contains(folder) || self.leads_on(path) {
            return true;
        }
        match path.strip_prefix(&self.root) {
            Ok(below) if below.starts_with(".git") => GIT.iter().any(|git| below == *git),
            Ok(_) => self.is_tree(folder),
            Err(_) => false,
        }
    }

    pub(super) fn is_tree(&self, path: &Utf8Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root) else { return false };
        if GIT_FOLDERS.iter().any(|folder| below == *folder) {
            return true;
        }
        let dull = |part: Utf8Component<'_>| {
            let name = part.as_str();
            name.starts_with('.') || TOOLS.contains(&name)
        };
        let below_marker = below.strip_prefix(MARKER).unwrap_or(below);
        !self.is_ignored(path) && !below_marker.components().any(dull)
    }

    pub(super) fn is_ignored(&self, path: &Utf8Path) -> bool {
        self.ignored.iter().any(|ignored| path.starts_with(ignored))
    }

    pub(super) fn leads_on(&self, path: &Utf8Path) -> bool {
        if self.root.starts_with(path) {
            return true;
        }
        let next = self.also.range::<Utf8Path, _>((Included(path), Unbounded)).next();
        next.is_some_and(|folder| folder.starts_with(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(also: &[&str], ignored: &[&str]) -> WatchScope {
        let paths = |paths: &[&str]| paths.iter().map(Utf8PathBuf::from).collect::<Vec<_>>();
        WatchScope::new(Utf8Path::new("/w"), &paths(also), &paths(ignored))
    }

    #[test]
    fn everything_in_the_root_is_a_hint_except_foreign_files() {
        let scope = scope(&[], &["/w/out.md"]);
        for (path, hint) in [
            ("/w", true),
            ("/w/contexts/a.md", true),
            ("/w/contexts/.a.md.swp", true),
            ("/w/.faber/config.yml", true),
            ("/w/.faber/overlays/teams/x/contexts/a.md", true),
            ("/w/.git/HEAD", true),
            ("/w/.git/logs/HEAD", true),
            ("/w/.git/index", false),
            ("/w/.git/objects/ab", false),
            ("/w/.faber/cache/runs/0", false),
            ("/w/.faber/state", false),
            ("/w/out.md", false),
            ("/w/.faber-x1y2", false),
            ("/w/.venv/lib/a.md", false),
            ("/w/web/node_modules/x/README.md", false),
            ("/x", false),
            ("/", true),
        ] {
            assert_eq!(scope.concerns(Utf8Path::new(path)), hint, "{path}");
        }
    }

    #[test]
    fn other_folders_are_watched_when_they_are_named() {
        let mut scope = scope(&["/home/me/.config/faber", "/w/.github"], &[]);
        for (path, hint) in [
            ("/home/me/.config/faber/config.yml", true),
            ("/home/me/.config/faber", true),
            ("/home/me/.config", true),
            ("/home/me/.config2", false),
            ("/home/me/notes.md", false),
            ("/w/.github/a.md", true),
            ("/w/.github/workflows/a.yml", false),
        ] {
            assert_eq!(scope.concerns(Utf8Path::new(path)), hint, "{path}");
        }
        assert!(!scope.replace_also(&["/w/.github".into(), "/home/me/.config/faber".into()]));
        assert!(scope.replace_also(&[]));
        assert!(!scope.concerns(Utf8Path::new("/w/.github/a.md")));
    }

    #[test]
    fn folders_below_the_root() {
        let scope = scope(&[], &["/w/target"]);
        for (path, watched) in [
            ("/w", true),
            ("/w/contexts/references", true),
            ("/w/.faber", true),
            ("/w/.faber/overlays", true),
            ("/w/.faber/cache", false),
            ("/w/.git", true),
            ("/w/.git/objects", false),
            ("/w/.hidden", false),
            ("/w/target/debug", false),
            ("/x", false),
        ] {
            assert_eq!(scope.is_tree(Utf8Path::new(path)), watched, "{path}");
        }
    }
}
