use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::discover::files::Files;
use crate::discover::{git, locked};
use faber_core::paths::lexical;
use faber_core::readable::{Refusal, refused_path};
use faber_core::world::Kind;

const GITIGNORE: &str = ".gitignore";
const EXCLUDE: &str = ".git/info/exclude";

#[derive(Debug, Default)]
pub(super) struct TrackedIgnored(Mutex<BTreeMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>>);

impl Files {
    /// Also for targets of links.
    pub(super) fn refused(&self, path: &Utf8Path) -> Option<Refusal> {
        if let Some(mount) = self.mount(path) {
            return mount.refused(path, self);
        }
        let real = match self.root().join(path).canonicalize_utf8() {
            Ok(real) => Some(real.strip_prefix(self.root()).ok()?.to_owned()),
            Err(_) => None,
        };
        let real = real.filter(|real| real != path);
        [Some(path), real.as_deref()]
            .into_iter()
            .flatten()
            .find_map(|path| refused_path(path).or_else(|| self.ignored_by(path, false)))
    }

    pub fn is_ignored(&self, path: &Utf8Path) -> bool {
        match self.mount(path) {
            Some(mount) => mount.ignores(path, self),
            None => self.ignored_by(path, false).is_some(),
        }
    }

    fn ignored_by(&self, path: &Utf8Path, is_folder: bool) -> Option<Refusal> {
        let absolute = self.root().join(path);
        let outermost = self.outermost();
        let steps = absolute.ancestors().take_while(|step| step.starts_with(outermost));
        let steps: Vec<&Utf8Path> = steps.collect();
        let exclude = self.exclude_list(outermost).map(|list| (EXCLUDE, list));
        let mut lists: Vec<(&str, Gitignore)> = exclude.into_iter().collect();
        for (at, step) in steps.iter().rev().enumerate() {
            let is_step_folder = is_folder || at + 1 < steps.len();
            let mut judged =
                lists.iter().rev().map(|(file, list)| (file, list.matched(step, is_step_folder)));
            if let Some((file, Match::Ignore(glob))) = judged.find(|(_, it)| !it.is_none()) {
                let is_ignored = is_folder || !self.is_tracked(outermost, &absolute);
                return is_ignored.then(|| Refusal::Ignored(glob.original().to_owned(), file));
            }
            if is_step_folder {
                lists.extend(self.ignore_list(step).map(|list| (GITIGNORE, list)));
            }
        }
        None
    }

    pub(crate) fn repository_of<'f>(&self, folder: &'f Utf8Path) -> Option<&'f Utf8Path> {
        let has_git =
            |folder: &&Utf8Path| self.recorder().look(&folder.join(".git")) != Kind::Missing;
        folder.ancestors().find(has_git)
    }

    /// Submodules are separate.
    pub(crate) fn is_of_repository(&self, folder: &Utf8Path) -> bool {
        match self.repository_of(self.root()) {
            Some(own) => self.repository_of(folder) == Some(own),
            None => folder.starts_with(self.root()),
        }
    }

    pub fn in_repository(&self) -> Utf8PathBuf {
        let inside = self.root().strip_prefix(self.outermost()).ok();
        inside.map(Utf8Path::to_owned).unwrap_or_default()
    }

    fn outermost(&self) -> &Utf8Path {
        self.repository_of(self.root()).unwrap_or(self.root())
    }

    fn is_tracked(&self, repository: &Utf8Path, path: &Utf8Path) -> bool {
        let mut known = locked(&self.tracked.0);
        let tracked = known.entry(repository.to_owned()).or_insert_with(|| {
            self.recorder().file(&self.git_folder(repository).join("index"));
            git::tracked_ignored(repository).into_iter().collect()
        });
        tracked.contains(path)
    }

    fn git_folder(&self, repository: &Utf8Path) -> Utf8PathBuf {
        let git = repository.join(".git");
        if self.recorder().look(&git) != Kind::File {
            return git;
        }
        let text = self.read_elsewhere(&git).unwrap_or_default();
        let place = text.strip_prefix("gitdir:").unwrap_or_default();
        lexical(&repository.join(place.trim()))
    }

    fn exclude_list(&self, repository: &Utf8Path) -> Option<Gitignore> {
        let mut folder = self.git_folder(repository);
        if folder != repository.join(".git") {
            let common = self.read_elsewhere(&folder.join("commondir")).unwrap_or_default();
            folder = lexical(&folder.join(common.trim()));
        }
        self.patterns(repository, &folder.join("info/exclude"))
    }

    fn ignore_list(&self, folder: &Utf8Path) -> Option<Gitignore> {
        self.patterns(folder, &folder.join(GITIGNORE))
    }

    fn patterns(&self, folder: &Utf8Path, path: &Utf8Path) -> Option<Gitignore> {
        // Git follows no link, which could leave the workspace.
        let text = if path.is_symlink() { None } else { self.read_elsewhere(path).ok() }?;
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines() {
            let _ = builder.add_line(None, line);
        }
        builder.build().ok()
    }

    pub(super) fn is_skipped(&self, path: &Utf8Path) -> bool {
        match self.mount(path) {
            Some(mount) => mount.skips(path, self),
            None => self.root().join(path).is_symlink() || self.ignored_by(path, true).is_some(),
        }
    }
}

/// The crate `ignore` would block on a pipe named `.gitignore`.
pub(super) struct Ignores {
    files: Files,
    lists: Vec<(usize, Gitignore)>,
}

impl Ignores {
    pub(super) fn above(folder: &Utf8Path) -> Self {
        let files = Files::new(folder);
        let repository = files.outermost();
        let above = folder.ancestors().skip(1).take_while(|above| above.starts_with(repository));
        let mut lists: Vec<_> = above.filter_map(|above| files.ignore_list(above)).collect();
        lists.extend(files.exclude_list(repository));
        let lists = lists.into_iter().rev().map(|list| (0, list)).collect();
        Self { files, lists }
    }

    pub(super) fn enter(&mut self, folder: &Utf8Path, depth: usize) {
        let list = self.files.ignore_list(folder);
        self.lists.extend(list.map(|list| (depth + 1, list)));
    }

    pub(super) fn ignores(&mut self, path: &Utf8Path, depth: usize, is_folder: bool) -> bool {
        let left = self.lists.iter().rposition(|(of, _)| *of <= depth);
        self.lists.truncate(left.map_or(0, |last| last + 1));
        let mut judged = self.lists.iter().rev().map(|(_, list)| list.matched(path, is_folder));
        judged.find(|judged| !judged.is_none()).is_some_and(|judged| judged.is_ignore())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::world::World;

    fn workspace(texts: &[(&str, &str)]) -> (tempfile::TempDir, Files) {
        let (folder, root) = crate::testing::folder();
        for (path, text) in texts {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), text).unwrap();
        }
        let files = Files::new(&root);
        (folder, files)
    }

    #[test]
    fn private_and_ignored_files_are_refused() {
        let (_folder, files) = workspace(&[
            (".gitignore", "/secret.md\nbuild/\n*.local.md\n!kept.local.md\n"),
            ("docs/.gitignore", "draft.md\n"),
            (".git/info/exclude", "own.md\n"),
        ]);
        let why = |path: &str| files.refusal(path.into()).map(|it| it.to_string());
        for path in ["docs/a.md", "notes.txt", "docs/secret.md", "x/kept.local.md", "draft.md"] {
            assert_eq!(why(path), None, "{path}");
        }
        for path in
            [".git/HEAD", "sub/.git/x.md", ".Git/x.md", ".faber/state/a.md", ".faber/cache/x"]
        {
            assert!(why(path).unwrap().ends_with("are not read"), "{path}");
        }
        for path in ["secret.md", "build/x/y.md", "docs/draft.md", "a.local.md", "docs/own.md"] {
            assert!(why(path).unwrap().starts_with("git ignores it"), "{path}");
        }
        for path in [".env", "id_rsa", "src/main.rs"] {
            assert_eq!(why(path).unwrap(), "only Markdown and text files are read", "{path}");
        }
    }

    #[test]
    fn a_worktree_has_the_exclusions_of_its_repository() {
        let (_folder, files) = workspace(&[
            ("main/.git/info/exclude", "own.md\n"),
            ("main/.git/worktrees/w/commondir", "../..\n"),
            ("w/.git", "gitdir: ../main/.git/worktrees/w\n"),
        ]);
        let why = Files::new(&files.root().join("w")).refusal("own.md".into()).unwrap();
        assert_eq!(why.to_string(), "git ignores it (`own.md` in .git/info/exclude)");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_judged_by_what_it_leads_to() {
        let (_folder, files) = workspace(&[(".git/config", "x"), ("docs/a.md", "x")]);
        std::os::unix::fs::symlink("../.git/config", files.root().join("docs/b.md")).unwrap();
        assert_eq!(files.refusal("docs/b.md".into()), Some(Refusal::Private(".git")));
    }

    #[test]
    fn globs_skip_ignored_and_linked_folders() {
        let (_folder, files) =
            workspace(&[(".gitignore", "target\n"), ("docs/target/x.md", ""), ("docs/a.md", "")]);
        assert!(files.skips("docs/target".into()) && !files.skips("docs".into()));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("docs", files.root().join("linked")).unwrap();
            assert!(files.skips("linked".into()));
        }
    }
}
