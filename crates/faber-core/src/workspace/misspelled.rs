//! Finds misspelled names of files and folders.

use camino::{Utf8Path, Utf8PathBuf};

use super::Workspace;
use super::everything::KINDS;
use crate::layer::LayerKind;
use crate::rules::unknown_directory;
use crate::source::Span;
use crate::suggest;
use crate::word_list::words;
use crate::workspace::survey::Inventory;
use crate::world::{Kind, World};

const OF_FABER: &[&str] = words!(
    "cache, config.yml, contexts, evidence.json, history, imports.json, overlays, packs",
    "roles, state",
);
const OF_OVERLAY: &[&str] = &["config.yml", "contexts"];
const PROMPT: &str = "prompt.md";
const AGENT: &str = "agent.yml";
const OF_ROLE: &[&str] = &["README.md", AGENT, "contexts", "flows", PROMPT, "tasks", "tests"];

impl<W: World> Workspace<W> {
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
        for (folder, known) in folders {
            self.check_names_in(&folder, known, None);
        }
        let kinds = KINDS.iter().map(|(kind, _)| *kind).chain(["organization"]);
        let kinds: Vec<&str> = kinds.collect();
        let places = "overlays are in `organization`, `platforms/NAME`, `roles/NAME`, `teams/NAME`, `workflows/NAME` and `users/NAME`";
        for home in overlays {
            self.check_names_in(&home, &kinds, Some(places));
        }
    }

    fn check_names_in(&mut self, folder: &Utf8Path, known: &[&str], otherwise: Option<&str>) {
        let entries = self.files.list(folder).unwrap_or_default();
        let is_there = |name: &str| entries.iter().any(|entry| entry.name == name);
        let mut found = Vec::new();
        for entry in entries.iter().filter(|entry| !known.contains(&&*entry.name)) {
            let path = folder.join(&entry.name);
            let is_folder = entry.kind == Kind::Folder;
            let stem = path.file_stem();
            let alike = known.iter().copied().filter(|known| {
                (is_folder || !is_there(known) || Utf8Path::new(known).file_stem() == stem)
                    && known.contains('.') == entry.name.contains('.')
            });
            let otherwise = otherwise.filter(|_| is_folder && !entry.name.starts_with('.'));
            let meant = suggest::closest(&entry.name, alike);
            let help = meant.map(|meant| format!("did you mean `{meant}`?"));
            let Some(help) = help.or(otherwise.map(str::to_owned)) else { continue };
            let message = format!("faber does not read `{}` in `{folder}`", entry.name);
            found.push((path, message, help));
        }
        let is_role = known.contains(&PROMPT);
        if is_role && found.is_empty() && is_there(AGENT) && !is_there(PROMPT) {
            let message = format!("`{folder}` has no `{PROMPT}`, so it is not a role");
            found.push((folder.to_owned(), message, format!("add a `{PROMPT}`")));
        }
        for (path, message, help) in found {
            let at = Span::start_of(self.sources.add_placeholder(&path));
            self.found.push(unknown_directory::RULE.at(at, message).help(help));
        }
    }
}
