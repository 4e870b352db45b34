use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::files::Files;
use crate::discover::foreign::real_folder;
use crate::discover::mount::Mount;
use crate::discover::pack_store::{NO_CACHE_HELP, PackStore, is_consistent, places};
use crate::packs::chains::{PackChains, PackProblem};
use crate::packs::config_files::{folder_of, lock_file, read_lock, trust};
use crate::settings::Settings;
use faber_core::diagnostic::Diagnostic;
use faber_core::packs::declare::Declarations;
use faber_core::packs::lock::{Lock, LockedPack};
use faber_core::packs::{self, DeclaredPack, MountedPack, PackSource, Trust};
use faber_core::rules::unavailable_pack;
use faber_core::workspace::Workspace;
use faber_core::world::{MemoryWorld, World};
use faber_formats::links;
use faber_formats::view::{self, Forms};

const NOTHING_HELP: &str = "a pack has `contexts`, `roles` or `overlays`, or what `faber import` reads: skills, a plugin, rules; \
     check its `path`";

pub(crate) fn mount(workspace: &mut Workspace<Files>, settings: &Settings) {
    let declared = workspace.declared_packs();
    if declared.packs.is_empty() {
        return;
    }
    let trust = trust(&workspace.files, settings, &declared);
    let mounting = Mounting {
        settings,
        trust,
        declared: &declared,
        locks: [None, None],
        mounts: Vec::new(),
        chains: PackChains::default(),
        workspace,
    };
    mounting.run();
}

struct Placed {
    mount: Mount,
    version: Option<String>,
    is_own: bool,
}

struct Mounting<'a> {
    settings: &'a Settings,
    trust: Trust,
    declared: &'a Declarations,
    locks: [Option<Result<Lock, PackProblem>>; 2],
    mounts: Vec<Mount>,
    chains: PackChains,
    workspace: &'a mut Workspace<Files>,
}

fn cited_place(root: &Utf8Path, pack: &DeclaredPack, mount: &Mount) -> Option<Utf8PathBuf> {
    let PackSource::Folder(path) = &pack.source else { return None };
    let inside = mount.real.strip_prefix(root).ok().map(Utf8Path::to_owned);
    let is_same = path.is_relative() && !path.starts_with("~") && !pack.is_users;
    inside.or_else(|| is_same.then(|| links::relative(root, &mount.real).into()))
}

impl Mounting<'_> {
    /// User packs come last: they replace no others.
    fn run(mut self) {
        for is_users in [false, true] {
            let declared = self.declared.packs.iter().filter(|pack| pack.is_users == is_users);
            for pack in self.chains.declare(declared) {
                self.add(pack);
            }
        }
    }

    fn add(&mut self, pack: &DeclaredPack) {
        let name = &pack.name.value;
        let placed = match self.place(pack) {
            Ok(placed) => placed,
            Err(why) => {
                let origin = &self.chains.origin(pack).name.value;
                let of =
                    if origin == name { String::new() } else { format!(", a part of `{origin}`,") };
                let message = format!("the pack `{name}`{of} cannot be used: {}", why.message);
                return self.report(pack, message, why.help);
            }
        };
        if let Some(place) = cited_place(self.workspace.files.root(), pack, &placed.mount) {
            self.workspace.sources.add_place(placed.mount.folder.clone(), place);
        }
        self.mounts.push(placed.mount);
        self.remount();
        self.view_other_form(pack);
        let config = self.workspace.pack_config(name);
        for nested in config.declarations.packs {
            match self.chains.enter(pack, nested) {
                Ok(Some(nested)) => self.add(&nested),
                Ok(None) => {}
                Err(why) => self.report(pack, why.message, why.help),
            }
        }
        self.workspace.packs.push(MountedPack {
            name: name.clone(),
            declared_at: self.chains.origin(pack).name.span,
            version: placed.version,
            is_users: pack.is_users,
            trust: if pack.is_users || placed.is_own { Trust::Given } else { self.trust },
            roles: config.roles,
            overlays: config.overlays,
        });
    }

    fn remount(&mut self) {
        self.workspace.files = self.workspace.files.clone().with_mounts(self.mounts.clone());
    }

    fn view_other_form(&mut self, pack: &DeclaredPack) {
        let Workspace { files, sources, found, .. } = &mut *self.workspace;
        let Some(mount) = self.mounts.last_mut() else { return };
        if !mount.is_partial && view::is_workspace(files, &mount.folder) {
            return;
        }
        let below = mount.real.strip_prefix(files.root()).ok().filter(|_| mount.is_partial);
        let base = below.unwrap_or(&mount.folder);
        let forms = Forms { base, folder: &mount.folder, only: &pack.files };
        let mut view = view::view(files, forms, sources);
        found.append(&mut view.found);
        if view.files.is_empty() && !mount.is_partial {
            let message = format!("the pack `{}` has no files that faber reads", pack.name.value);
            return self.report(pack, message, NOTHING_HELP.to_owned());
        }
        mount.made = MemoryWorld::new(view.files);
        self.remount();
    }

    fn report(&mut self, pack: &DeclaredPack, message: String, help: String) {
        let at = self.chains.origin(pack).name.span;
        let finding: Diagnostic = unavailable_pack::RULE.at(at, message);
        self.workspace.found.push(finding.help(help));
    }

    fn place(&mut self, pack: &DeclaredPack) -> Result<Placed, PackProblem> {
        let address = pack.source.address();
        if let Some(allowed) = self.declared.refusing(address) {
            let message = format!("`packs.allow` does not allow `{address}`");
            let help = format!("use another source, or change `packs.allow` ({})", allowed.place);
            return Err(PackProblem::new(message, help));
        }
        match &pack.source {
            PackSource::Folder(path) => self.place_folder(pack, path),
            PackSource::Git { .. } | PackSource::Skills(_) => self.place_locked(pack),
        }
    }

    fn place_folder(&self, pack: &DeclaredPack, path: &Utf8Path) -> Result<Placed, PackProblem> {
        let files = &self.workspace.files;
        let given = folder_of(self.settings, files.root(), pack, path);
        let is_folder = files.is_dir(&given);
        let Some(real) = real_folder(&given).filter(|_| is_folder) else {
            let message = format!("`{path}` is not a directory");
            return Err(PackProblem::new(message, "correct `path`, or clone the repository there"));
        };
        if real != given {
            files.recorder().mark_uncacheable();
        }
        let is_own = files.is_of_repository(&real);
        if !is_own && !pack.is_users && self.trust != Trust::Given {
            let why = self.trust.why_not();
            let message = format!("`{path}` is outside the repository, and {why}");
            let help = "check `packs` in the configuration, then run `faber trust`";
            return Err(PackProblem::new(message, help));
        }
        let folder = packs::folder(&pack.name.value);
        let (is_partial, made) = (!pack.files.is_empty(), MemoryWorld::default());
        let is_users = pack.is_users;
        let mount = Mount { folder, real, hashes: None, is_users, is_partial, made };
        Ok(Placed { mount, version: None, is_own })
    }

    fn place_locked(&mut self, pack: &DeclaredPack) -> Result<Placed, PackProblem> {
        let (name, is_users) = (&pack.name.value, pack.is_users);
        let (files, settings) = (&self.workspace.files, self.settings);
        let flag = packs::flag(is_users);
        let command = |command: &str| format!("run `faber pack {command}{flag} {name}`");
        let origin = &self.chains.origin(pack).name.value;
        let add = format!("run `faber pack update{flag} {origin}`");
        let lock = self.locks[usize::from(is_users)]
            .get_or_insert_with(|| read_lock(files, settings, is_users));
        let lock = lock.as_ref().map_err(PackProblem::clone)?;
        let Some(locked) = lock.packs.get(name) else {
            return Err(PackProblem::new("it is not in faber.lock", add));
        };
        if !locked.is_of(&pack.source) {
            let message = "faber.lock has another source, ref or path of it";
            return Err(PackProblem::new(message, add));
        }
        if !is_consistent(locked) {
            let message = "its hashes in faber.lock are inconsistent";
            return Err(PackProblem::new(message, command("relock")));
        }
        let vendored = (!is_users).then(|| files.root());
        let mut places: Vec<_> =
            places(settings.packs.as_deref(), vendored, name, locked).collect();
        if files.is_override(Utf8Path::new(packs::LOCK)) {
            places.reverse();
        }
        let place = places.into_iter().find(|place| files.is_dir(place));
        let Some(real) = place.and_then(|place| real_folder(&place)) else {
            let help = match settings.packs {
                Some(_) => command("update --locked") + " to fetch them",
                None => NO_CACHE_HELP.to_owned(),
            };
            return Err(PackProblem::new("its files are not downloaded", help));
        };
        if let Some(store) = settings.packs.as_deref().filter(|store| real.starts_with(store)) {
            let lock = files.root().join(lock_file(settings, is_users));
            PackStore::new(store).mark_used(&locked.digest, &lock);
        }
        let hashes = Some(Arc::new(locked.files.clone()));
        let (folder, made) = (packs::folder(name), MemoryWorld::default());
        let mount = Mount { folder, real, hashes, is_users, is_partial: false, made };
        Ok(Placed { mount, version: Some(version(locked)), is_own: false })
    }
}

pub fn version(locked: &LockedPack) -> String {
    let commit = locked.commit.get(..12).unwrap_or_default();
    match &*locked.reference {
        "" => commit.to_owned(),
        reference => format!("{reference} ({commit})"),
    }
}
