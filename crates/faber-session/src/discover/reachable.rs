//! Which files a reference to any file of a workspace may read, and which of them a glob names.

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobMatcher};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::discover::files::Files;
use faber_core::readable::{Refusal, refused_path};

/// How many folders deep a `**` looks.
const MAX_DEPTH: usize = 32;

impl Files {
    /// Why the file at `path` is not read by way of a reference: by its path, or by the path that
    /// links lead to.
    pub fn refusal(&self, path: &Utf8Path) -> Option<Refusal> {
        let real = self.root().join(path).canonicalize_utf8().ok();
        let real = real.and_then(|real| Some(real.strip_prefix(self.root()).ok()?.to_owned()));
        let real = real.filter(|real| real != path);
        [Some(path), real.as_deref()].into_iter().flatten().find_map(|path| {
            refused_path(path).or_else(|| Some(Refusal::Ignored(self.ignored_by(path, false)?)))
        })
    }

    /// The pattern by which a `.gitignore` of the repository excludes a path. One of the folders
    /// above the path decides for all that is below it.
    fn ignored_by(&self, path: &Utf8Path, is_folder: bool) -> Option<String> {
        let absolute = self.root().join(path);
        let steps: Vec<&Utf8Path> = absolute.ancestors().collect();
        let outermost = self.repository();
        let steps = steps.into_iter().take_while(|step| step.starts_with(&outermost));
        // From the folder of the repository down to the path.
        let steps: Vec<&Utf8Path> = steps.collect();
        let mut lists: Vec<Gitignore> = Vec::new();
        for (at, step) in steps.iter().rev().enumerate() {
            let is_folder = is_folder || at + 1 < steps.len();
            let judged = lists.iter().rev().map(|list| list.matched(step, is_folder));
            match judged.into_iter().find(|judged| !judged.is_none()) {
                Some(Match::Ignore(glob)) => return Some(glob.original().to_owned()),
                Some(Match::Whitelist(_) | Match::None) | None => {}
            }
            if is_folder {
                lists.extend(self.ignore_list(step));
            }
        }
        None
    }

    /// The folder of the repository that the workspace lies in, else that of the workspace.
    fn repository(&self) -> Utf8PathBuf {
        let above = self.root().ancestors().find(|folder| folder.join(".git").exists());
        above.unwrap_or(self.root()).to_owned()
    }

    /// The `.gitignore` of a folder.
    fn ignore_list(&self, folder: &Utf8Path) -> Option<Gitignore> {
        let text = self.read_elsewhere(&folder.join(".gitignore")).ok()?;
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines() {
            // Git skips a pattern that it cannot read, too.
            let _ = builder.add_line(None, line);
        }
        builder.build().ok()
    }

    /// The text files that `pattern` matches from `folder` on, sorted. `*` stays within a folder,
    /// `**` does not; hidden folders, links to folders and what git ignores are left out. None when
    /// the pattern is not valid.
    pub fn matching(&self, folder: &Utf8Path, pattern: &str) -> Option<Vec<Utf8PathBuf>> {
        let mut parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        parts.dedup_by(|a, b| *a == "**" && *b == "**");
        if parts.last() == Some(&"**") {
            parts.push("*");
        }
        let steps: Option<Vec<Step<'_>>> = parts.into_iter().map(Step::new).collect();
        let mut found = Vec::new();
        self.descend(folder, &steps?, MAX_DEPTH, &mut found);
        found.sort();
        found.dedup();
        Some(found)
    }

    fn descend(
        &self,
        folder: &Utf8Path,
        steps: &[Step<'_>],
        depth: usize,
        found: &mut Vec<Utf8PathBuf>,
    ) {
        let Some((step, rest)) = steps.split_first().filter(|_| depth > 0) else { return };
        if rest.is_empty() {
            let names = self.names_ending(folder, "");
            let paths = names.iter().filter(|name| step.matches(name)).map(|it| folder.join(it));
            found.extend(paths.filter(|path| self.refusal(path).is_none()));
            return;
        }
        match step {
            Step::Name(name) => self.descend(&folder.join(name), rest, depth - 1, found),
            Step::Folders => {
                self.descend(folder, rest, depth, found);
                self.below(folder).for_each(|below| self.descend(&below, steps, depth - 1, found));
            }
            Step::Glob(_) => {
                let matches =
                    |below: &Utf8PathBuf| below.file_name().is_some_and(|it| step.matches(it));
                self.below(folder)
                    .filter(matches)
                    .for_each(|below| self.descend(&below, rest, depth - 1, found));
            }
        }
    }

    /// The folders in a folder that a glob looks into.
    fn below(&self, folder: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
        let paths = self.directories(folder).into_iter().map(|name| folder.join(name));
        paths.filter(|path| {
            !self.root().join(path).is_symlink() && self.ignored_by(path, true).is_none()
        })
    }
}

/// One part of a glob.
enum Step<'a> {
    Name(&'a str),
    Glob(GlobMatcher),
    /// `**`.
    Folders,
}

impl<'a> Step<'a> {
    fn new(part: &'a str) -> Option<Self> {
        if part == "**" {
            return Some(Self::Folders);
        }
        if !is_glob(part) {
            return Some(Self::Name(part));
        }
        let glob = GlobBuilder::new(part).literal_separator(true).build().ok()?;
        Some(Self::Glob(glob.compile_matcher()))
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Name(own) => *own == name,
            Self::Glob(glob) => glob.is_match(name) && !name.starts_with('.'),
            Self::Folders => true,
        }
    }
}

/// Whether a path is a pattern.
pub fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(texts: &[(&str, &str)]) -> (tempfile::TempDir, Files) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
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
        for path in ["secret.md", "build/x/y.md", "docs/draft.md", "a.local.md"] {
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
        assert_eq!(files.matching("".into(), "docs/*.md").unwrap(), ["docs/a.md"]);
    }

    #[test]
    fn globs_match_from_a_folder() {
        let (_folder, files) = workspace(&[
            (".gitignore", "target\n"),
            ("docs/a.md", ""),
            ("docs/b.rs", ""),
            ("docs/adr/1.md", ""),
            ("docs/.hidden.md", ""),
            ("docs/target/x.md", ""),
            (".faber/x.md", ""),
        ]);
        let found = |pattern: &str| {
            let paths = files.matching("".into(), pattern).unwrap();
            paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("docs/*.md"), "docs/a.md");
        assert_eq!(found("**/*.md"), "docs/a.md docs/adr/1.md");
        assert_eq!(found("**/**"), "docs/a.md docs/adr/1.md");
        assert_eq!(found("d?cs/a*/[0-9].md"), "docs/adr/1.md");
        assert_eq!(found("none/*.md"), "");
        assert!(files.matching("".into(), "docs/[.md").is_none());
    }
}
