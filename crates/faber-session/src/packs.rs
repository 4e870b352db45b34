//! Packs: [`mount`] adds their files, [`fetch`] updates `faber.lock`, [`declare`] edits
//! declarations.

mod chains;
pub mod config_files;
pub mod declare;
pub mod fetch;
pub mod home;
pub mod mount;
mod skills;

use camino::Utf8Path;

use crate::discover::files::Files;
use faber_core::packs;
use faber_core::workspace::Workspace;

pub fn shown_path(workspace: &Workspace<Files>, path: &Utf8Path) -> String {
    let Some(name) = packs::of_path(path) else { return path.to_string() };
    let place = workspace.files.place(path);
    let place = place.strip_prefix(workspace.files.root()).unwrap_or(&place);
    let pack = workspace.packs.iter().find(|pack| pack.name == name);
    match pack.and_then(|pack| pack.version.as_ref()) {
        Some(version) if place.is_absolute() => {
            let below = path.strip_prefix(packs::folder(name)).unwrap_or(path);
            let version = version.split(' ').next().unwrap_or_default();
            let below = if below == "" { String::new() } else { format!(":{below}") };
            format!("{name}@{version}{below}")
        }
        _ => place.to_string(),
    }
}
