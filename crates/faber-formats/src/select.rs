use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::format::{self, MANIFESTS, Recognized};

const SKILL: &str = "SKILL.md";

#[derive(Debug, Default)]
pub struct SkillFolders {
    folders: BTreeSet<Utf8PathBuf>,
}

impl SkillFolders {
    pub fn of<'p>(files: impl IntoIterator<Item = &'p Utf8Path>) -> Self {
        let skills = files.into_iter().filter(|path| path.file_name() == Some(SKILL));
        Self { folders: skills.filter_map(|path| Some(path.parent()?.to_owned())).collect() }
    }

    /// Without `SKILL.md`.
    pub fn own(&self, path: &Utf8Path) -> bool {
        let mut above = path.ancestors().skip(1);
        path.file_name() != Some(SKILL) && above.any(|above| self.folders.contains(above))
    }
}

#[derive(Debug, Default)]
pub struct PluginFolders {
    folders: BTreeSet<Utf8PathBuf>,
    with_manifest: BTreeSet<Utf8PathBuf>,
}

impl PluginFolders {
    /// Folders with a manifest, or in `plugins`.
    pub fn of<'p>(files: impl IntoIterator<Item = &'p Utf8Path>) -> Self {
        let (mut folders, mut with_manifest) = (BTreeSet::new(), BTreeSet::new());
        for path in files {
            let manifests = MANIFESTS.iter().filter(|manifest| path.ends_with(manifest));
            with_manifest.extend(manifests.filter_map(|manifest| {
                path.ancestors().nth(manifest.split('/').count()).map(Utf8Path::to_owned)
            }));
            let above = path.ancestors().skip(1);
            let is_listed =
                |it: &&Utf8Path| it.parent().and_then(Utf8Path::file_name) == Some("plugins");
            folders.extend(above.filter(is_listed).map(Utf8Path::to_owned));
        }
        folders.extend(with_manifest.iter().cloned());
        Self { folders, with_manifest }
    }

    /// The README of a plugin, or a file below `evals`.
    pub fn is_auxiliary(&self, path: &Utf8Path) -> bool {
        let mut roots =
            path.ancestors().skip(1).filter(|above| self.with_manifest.contains(*above));
        roots.any(|root| {
            let stem = path.file_name().and_then(|name| name.split('.').next());
            let is_readme = stem.is_some_and(|stem| stem.eq_ignore_ascii_case("readme"));
            let below = path.strip_prefix(root).ok().and_then(Utf8Path::parent);
            let mut below = below.into_iter().flat_map(Utf8Path::components).peekable();
            (is_readme && below.peek().is_none()) || below.any(|part| part.as_str() == "evals")
        })
    }

    pub fn recognize(&self, path: &Utf8Path) -> Option<Recognized> {
        format::recognize(path).or_else(|| {
            let root = path.ancestors().skip(1).find(|above| self.folders.contains(*above))?;
            format::in_plugin(path.strip_prefix(root).ok()?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_a_skill_belong_to_it() {
        let skills = SkillFolders::of(["pdf/SKILL.md", "pdf/forms/SKILL.md"].map(Utf8Path::new));
        assert!(skills.own("pdf/AGENTS.md".into()) && skills.own("pdf/forms/a/b.md".into()));
        assert!(!skills.own("pdf/forms/SKILL.md".into()) && !skills.own("AGENTS.md".into()));
    }

    #[test]
    fn a_manifest_makes_a_folder_a_plugin() {
        for manifest in MANIFESTS {
            for folder in ["", "plugins/a/"] {
                let manifest = format!("{folder}{manifest}");
                let plugins = PluginFolders::of([Utf8Path::new(&manifest)]);
                let name = |path: String| Some(plugins.recognize(path.as_ref())?.name);
                let agent = name(format!("{folder}agents/reviewer.md"));
                assert_eq!(agent.as_deref(), Some("reviewer"), "{manifest}");
                let command = name(format!("{folder}commands/ship.md"));
                assert_eq!(command.as_deref(), Some("ship"), "{manifest}");
                assert_eq!(name(format!("{folder}other/x.md")), None, "{manifest}");
                assert_eq!(name(format!("{folder}agents/x.json")), None, "{manifest}");
            }
        }
        let plugins = ["p/plugin.json", "plugins/b/x.md"].map(Utf8Path::new);
        let plugins = PluginFolders::of(plugins);
        for path in ["p/README.md", "p/Readme.zh.md", "p/evals/a/b.md", "p/skills/s/evals/a.md"] {
            assert!(plugins.is_auxiliary(path.into()), "{path}");
        }
        for path in ["README.md", "p/docs/README.md", "p/evals.md", "plugins/b/README.md"] {
            assert!(!plugins.is_auxiliary(path.into()), "{path}");
        }
        let none = PluginFolders::of([Utf8Path::new("a/package.json")]);
        assert_eq!(none.recognize("a/agents/x.md".into()), None);
    }
}
