//! Files that come with contexts: those in folders of skills and resources, settings of agents,
//! and programs of plugins.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use faber_core::diagnostic::Diagnostic;
use faber_core::packs;
use faber_core::source::FileId;
use faber_core::workspace::survey::Inventory;
use faber_core::world::World as _;
use faber_session::discover::files::Files;
use faber_session::session::Workspace;
use faber_tools::exchange::source::companions;
use faber_tools::exchange::{companion, settings};
use faber_tools::search::resources;

use super::check::LintContext;

/// Folders of programs that a plugin runs.
const PROGRAMS: [&str; 3] = ["hooks", "scripts", "bin"];

pub(super) fn read(workspace: &mut Workspace, survey: &Inventory) -> Vec<FileId> {
    let names: Vec<&str> = workspace.packs.iter().map(|pack| &*pack.name).collect();
    let packs: Vec<Utf8PathBuf> = names.into_iter().map(packs::folder).collect();
    let (files, sources) = (&workspace.files, &mut workspace.sources);
    let folders = survey.documents.iter().filter_map(|it| resources::folder(sources, it.file));
    let mut folders: BTreeSet<Utf8PathBuf> = folders.collect();
    // Most contexts have no folder, and share few parents.
    let parents: BTreeSet<&Utf8Path> = folders.iter().filter_map(|it| it.parent()).collect();
    let known: BTreeSet<Utf8PathBuf> = parents
        .into_iter()
        .flat_map(|parent| files.directories(parent).into_iter().map(|name| parent.join(name)))
        .collect();
    folders.retain(|folder| known.contains(folder));
    let plugins: Vec<Utf8PathBuf> =
        packs.iter().flat_map(|pack| with_plugins(files, pack)).collect();
    let programs = plugins.iter().flat_map(|plugin| PROGRAMS.map(|name| plugin.join(name)));
    folders.extend(programs.filter(|folder| files.is_dir(folder)));
    let own: BTreeSet<&Utf8Path> =
        survey.files.iter().map(|entry| sources.original_path(entry.file)).collect();
    let mut paths: BTreeSet<Utf8PathBuf> =
        folders.par_iter().flat_map_iter(|folder| companions(files, folder)).collect();
    let roots = plugins.into_iter().chain(with_plugins(files, Utf8Path::new("")));
    paths.extend(roots.flat_map(|root| settings_of(files, &root)));
    let paths: Vec<Utf8PathBuf> = paths.into_iter().filter(|path| !own.contains(&**path)).collect();
    let texts: Vec<_> =
        paths.into_par_iter().filter_map(|path| Some((files.read(&path).ok()?, path))).collect();
    texts.into_iter().map(|(text, path)| sources.add(path, text)).collect()
}

fn with_plugins(files: &Files, root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let all = root.join("plugins");
    let plugins = files.directories(&all).into_iter().map(|name| all.join(name));
    std::iter::once(root.to_owned()).chain(plugins).collect()
}

fn settings_of(files: &Files, root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let single = settings::places().map(|place| root.join(place));
    let below = settings::folders().map(|folder| root.join(folder)).flat_map(|folder| {
        let names = files.names_ending(&folder, ".json");
        names.into_iter().map(move |name| folder.join(format!("{name}.json")))
    });
    single.chain(below).filter(|path| files.is_file(path) && !files.is_ignored(path)).collect()
}

pub(super) fn check(whole: &LintContext<'_>, files: &[FileId], found: &mut Vec<Diagnostic>) {
    let check = |file: &FileId| {
        whole.known(*file, "companion", || {
            let source = whole.sources.get(*file);
            let mut found = Vec::new();
            let is_own = packs::of_path(&source.path).is_none();
            if is_own && settings::is_settings(&source.path) {
                companion::effects(*file, &source.path, &source.text, &mut found);
            } else {
                companion::check(*file, &source.path, &source.text, &mut found);
            }
            found
        })
    };
    let each: Vec<Vec<Diagnostic>> = files.par_iter().map(check).collect();
    found.extend(each.into_iter().flatten());
}
