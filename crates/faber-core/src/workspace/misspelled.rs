//! Finds files and folders with nearly the name of one that faber reads.

use camino::{Utf8Path, Utf8PathBuf};

use super::Workspace;
use super::everything::KINDS;
use crate::layer::LayerKind;
use crate::rules::unknown_directory;
use crate::source::Span;
use crate::suggest;
use crate::workspace::survey::Inventory;
use crate::world::World;

const OF_FABER: &[&str] = &[
    "cache",
    "config.yml",
    "contexts",
    "evidence.json",
    "history",
    "imports.json",
    "overlays",
    "packs",
    "roles",
    "state",
];
const OF_OVERLAY: &[&str] = &["config.yml", "contexts"];
const OF_ROLE: &[&str] =
    &["README.md", "agent.yml", "contexts", "flows", "prompt.md", "tasks", "tests"];

impl<W: World> Workspace<W> {
    /// Without packs.
    pub(super) fn check_names(&mut self, survey: &Inventory) {
        let mut folders: Vec<(Utf8PathBuf, &[&str])> = vec![(".faber".into(), OF_FABER)];
        for home in self.own_role_homes() {
            let roles = self.files.directories(&home);
            folders.extend(roles.into_iter().map(|role| (home.join(role), OF_ROLE)));
        }
        let overlays = self.own_overlay_homes();
        let is_overlay = |kind| kind > LayerKind::Role && kind < LayerKind::Custom;
        let layers = survey.layers.iter().filter(|layer| is_overlay(layer.kind));
        let folder = |layer: &crate::document::Layer| layer.folder.clone();
        let layers =
            layers.map(folder).filter(|it| overlays.iter().any(|home| it.starts_with(home)));
        folders.extend(layers.map(|folder| (folder, OF_OVERLAY)));
        let kinds = KINDS.iter().map(|(kind, _)| *kind).chain(["organization"]);
        let kinds: Vec<&str> = kinds.collect();
        folders.extend(overlays.into_iter().map(|home| (home, &*kinds)));
        for (folder, known) in folders {
            self.check_names_in(&folder, known);
        }
    }

    fn check_names_in(&mut self, folder: &Utf8Path, known: &[&str]) {
        let entries = self.files.list(folder).unwrap_or_default();
        let is_there = |name: &str| entries.iter().any(|entry| entry.name == name);
        for entry in entries.iter().filter(|entry| !known.contains(&&*entry.name)) {
            let has_extension = |name: &str| name.contains('.');
            let alike = known.iter().copied().filter(|known| {
                !is_there(known) && has_extension(known) == has_extension(&entry.name)
            });
            let Some(meant) = suggest::closest(&entry.name, alike) else { continue };
            let at = Span::start_of(self.sources.add_placeholder(&folder.join(&entry.name)));
            let message = format!("faber does not read `{}` in `{folder}`", entry.name);
            let help = format!("did you mean `{meant}`?");
            self.found.push(unknown_directory::RULE.at(at, message).help(help));
        }
    }
}
