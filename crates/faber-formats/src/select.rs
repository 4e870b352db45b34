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
}

impl PluginFolders {
    /// Folders with a manifest, or in `plugins`.
    pub fn of<'p>(files: impl IntoIterator<Item = &'p Utf8Path>) -> Self {
        let mut folders = BTreeSet::new();
        for path in files {
            let manifests = MANIFESTS.iter().filter(|manifest| path.ends_with(manifest));
            folders.extend(manifests.filter_map(|manifest| {
                path.ancestors().nth(manifest.split('/').count()).map(Utf8Path::to_owned)
            }));
            let above = path.ancestors().skip(1);
            let is_listed =
                |it: &&Utf8Path| it.parent().and_then(Utf8Path::file_name) == Some("plugins");
            folders.extend(above.filter(is_listed).map(Utf8Path::to_owned));
        }
        Self { folders }
    }

    /// Also for agents and commands of plugins.
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
        let none = PluginFolders::of([Utf8Path::new("a/package.json")]);
        assert_eq!(none.recognize("a/agents/x.md".into()), None);
    }
}
