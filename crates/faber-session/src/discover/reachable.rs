use camino::{Utf8Path, Utf8PathBuf};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::discover::files::Files;
use crate::discover::root;
use faber_core::readable::{Refusal, refused_path};

impl Files {
    /// Also for targets of links.
    pub(super) fn refused(&self, path: &Utf8Path) -> Option<Refusal> {
        if let Some(mount) = self.mount(path) {
            return mount.refused(path, self.recorder());
        }
        let real = match self.root().join(path).canonicalize_utf8() {
            Ok(real) => Some(real.strip_prefix(self.root()).ok()?.to_owned()),
            Err(_) => None,
        };
        let real = real.filter(|real| real != path);
        [Some(path), real.as_deref()].into_iter().flatten().find_map(|path| {
            refused_path(path).or_else(|| Some(Refusal::Ignored(self.ignored_by(path, false)?)))
        })
    }

    pub fn is_ignored(&self, path: &Utf8Path) -> bool {
        match self.mount(path) {
            Some(mount) => mount.ignores(path),
            None => self.ignored_by(path, false).is_some(),
        }
    }

    fn ignored_by(&self, path: &Utf8Path, is_folder: bool) -> Option<String> {
        let absolute = self.root().join(path);
        let outermost = self.repository();
        let steps = absolute.ancestors().take_while(|step| step.starts_with(&outermost));
        let steps: Vec<&Utf8Path> = steps.collect();
        let mut lists: Vec<Gitignore> =
            self.patterns(&outermost, ".git/info/exclude").into_iter().collect();
        for (at, step) in steps.iter().rev().enumerate() {
            let is_folder = is_folder || at + 1 < steps.len();
            let mut judged = lists.iter().rev().map(|list| list.matched(step, is_folder));
            if let Some(Match::Ignore(glob)) = judged.find(|judged| !judged.is_none()) {
                return Some(glob.original().to_owned());
            }
            if is_folder {
                lists.extend(self.ignore_list(step));
            }
        }
        None
    }

    fn repository(&self) -> Utf8PathBuf {
        root::repository(self.root()).unwrap_or(self.root()).to_owned()
    }

    fn ignore_list(&self, folder: &Utf8Path) -> Option<Gitignore> {
        self.patterns(folder, ".gitignore")
    }

    fn patterns(&self, folder: &Utf8Path, file: &str) -> Option<Gitignore> {
        let path = folder.join(file);
        // Git follows no link, which could leave the workspace.
        let text = if path.is_symlink() { None } else { self.read_elsewhere(&path).ok() }?;
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines() {
            let _ = builder.add_line(None, line);
        }
        builder.build().ok()
    }

    pub(super) fn is_skipped(&self, path: &Utf8Path) -> bool {
        match self.mount(path) {
            Some(mount) => mount.skips(path, self.recorder()),
            None => self.root().join(path).is_symlink() || self.ignored_by(path, true).is_some(),
        }
    }
}

/// For a walk. The crate `ignore` would block on a pipe named `.gitignore`.
pub(super) struct Ignores {
    files: Files,
    lists: Vec<(usize, Gitignore)>,
}

impl Ignores {
    pub(super) fn above(folder: &Utf8Path) -> Self {
        let files = Files::new(folder);
        let repository = files.repository();
        let above = folder.ancestors().skip(1).take_while(|above| above.starts_with(&repository));
        let mut lists: Vec<_> = above.filter_map(|above| files.ignore_list(above)).collect();
        lists.extend(files.patterns(&repository, ".git/info/exclude"));
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
