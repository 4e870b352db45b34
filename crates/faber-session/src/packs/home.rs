//! Where packs are declared: in a workspace or by a user.

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::atomic::Writer;
use crate::discover::files::Files;
use crate::discover::files::{path_exists, real_file};
use crate::discover::foreign::real_folder;
use crate::discover::pack_store::PackStore;
use crate::discover::trust::TrustStore;
use crate::packs::config_files::{
    below_home, config_text, declaration, folder_of, lock_file, read_lock, trust,
};
use crate::packs::declare::declarations;
use crate::session::Session;
use crate::settings::Settings;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::packs::declare::Declarations;
use faber_core::packs::lock::{Lock, LockedPack};
use faber_core::packs::{self, DeclaredPack, Trust};
use faber_core::paths::lexical;
use faber_core::rules::{invalid_config, unknown_config_key};
use faber_core::world::MemoryWorld;

#[derive(Clone, Debug)]
pub struct PackHome {
    pub session: Session,
    pub folder: Utf8PathBuf,
    pub config: Utf8PathBuf,
    pub is_users: bool,
}

impl PackHome {
    pub fn of_workspace(session: Session) -> Self {
        let folder = session.root().to_owned();
        Self { session, folder, config: packs::CONFIG.into(), is_users: false }
    }

    /// # Errors
    ///
    /// Without a configuration folder, or if `settings.start` is missing.
    pub fn of_user(settings: &Settings) -> Result<Self, Error> {
        let config = settings.user_config.clone().ok_or_else(|| {
            let help = "set `XDG_CONFIG_HOME` to an absolute path";
            Error::usage("cannot determine the directory of your configuration", help)
        })?;
        let folder = config.parent().unwrap_or(&config).to_owned();
        // In CI too: the user asked for these packs.
        let settings = Settings { no_user: false, ..settings.clone() };
        let session = match Session::open(&settings) {
            Err(Error::NoWorkspace { .. }) => Session::empty(&settings, &folder),
            session => session?,
        };
        Ok(Self { session, folder, config, is_users: true })
    }

    /// # Errors
    ///
    /// See [`Session::open`], [`Self::of_user`] and [`Self::check`].
    pub fn open(settings: &Settings, is_users: bool) -> Result<Self, Error> {
        let home = Self::unchecked(settings, is_users)?;
        home.check()?;
        Ok(home)
    }

    /// # Errors
    ///
    /// See [`Session::open`] and [`Self::of_user`].
    pub fn unchecked(settings: &Settings, is_users: bool) -> Result<Self, Error> {
        if is_users {
            return Self::of_user(settings);
        }
        Session::open(settings).map(Self::of_workspace)
    }

    /// # Errors
    ///
    /// If a configuration has an error: packs that it declares would count as removed.
    pub fn check(&self) -> Result<(), Error> {
        let workspace = self.session.workspace();
        let sources = &workspace.sources;
        let is_own = |found: &Diagnostic| {
            let path = sources.original_path(found.primary.span.file);
            if self.is_users { path == self.config } else { packs::of_path(path).is_none() }
        };
        let hides_packs = |found: &Diagnostic| {
            (found.rule() == &invalid_config::RULE && found.severity() == Severity::Error)
                || found.rule() == &unknown_config_key::RULE
                    && found.help.as_deref() == Some("did you mean `packs`?")
        };
        let mut errors = workspace.findings().into_iter();
        errors.find(|found| is_own(found) && hides_packs(found)).map_or(Ok(()), |found| {
            let message = format!("{} ({})", found.message, sources.place(found.primary.span));
            let help = found.help.unwrap_or_else(|| "correct the configuration".to_owned());
            Err(Error::usage(message, help))
        })
    }

    pub fn lock_path(&self) -> Utf8PathBuf {
        lock_file(self.session.settings(), self.is_users)
    }

    pub(super) fn lock_place(&self) -> Utf8PathBuf {
        self.folder.join(self.lock_path())
    }

    /// # Errors
    ///
    /// If unreadable; but not if missing.
    pub fn config_text(&self) -> Result<String, Error> {
        config_text(self.session.files(), &self.config, self.is_users)
    }

    /// # Errors
    ///
    /// If invalid.
    pub fn lock(&self) -> Result<Lock, Error> {
        let lock = read_lock(self.session.files(), self.session.settings(), self.is_users);
        lock.map_err(Error::from)
    }

    /// With `packs.allow` of all configurations.
    pub fn declared(&self) -> Declarations {
        if self.is_users {
            return declarations(&self.config_text().unwrap_or_default(), true);
        }
        let mut declared = self.session.workspace().declared_packs();
        declared.packs.retain(|pack| !pack.is_users);
        declared
    }

    pub fn declared_places(&self) -> Vec<(DeclaredPack, String)> {
        if self.is_users {
            let packs = self.declared().packs.into_iter();
            return packs.map(|pack| (pack, self.config.to_string())).collect();
        }
        let mut workspace = self.session.workspace();
        let packs = workspace.declared_packs().packs.into_iter().filter(|pack| !pack.is_users);
        let placed = |pack: DeclaredPack| {
            let place = workspace.sources.place(pack.name.span);
            (pack, place)
        };
        packs.map(placed).collect()
    }

    #[must_use]
    pub fn with_texts(&self, config: Option<&str>, lock: Option<&str>) -> Self {
        self.overlaid(config, lock, None)
    }

    #[must_use]
    pub fn with_locked_files(&self, lock: &Lock) -> Self {
        let mut lock = lock.clone();
        let mut is_edited = false;
        for pack in self.declared().packs {
            let locked = lock.packs.get_mut(&pack.name.value);
            if let Some(locked) = locked.filter(|locked| !locked.is_of(&pack.source)) {
                let LockedPack { source, path, reference, .. } = LockedPack::unpinned(&pack.source);
                *locked = LockedPack { source, path, reference, ..locked.clone() };
                is_edited = true;
            }
        }
        if is_edited { self.with_texts(None, Some(&lock.print())) } else { self.clone() }
    }

    #[must_use]
    pub fn trusted_with(&self, config: Option<&str>, lock: Option<&str>) -> Self {
        let state = self.session.settings().state.as_deref().filter(|_| !self.is_users);
        let entry = state.map(|state| {
            let declared = declaration(&self.with_texts(config, lock).declared());
            TrustStore::new(state).entry(self.session.root(), &TrustStore::hash(&declared))
        });
        self.overlaid(config, lock, entry)
    }

    fn overlaid(
        &self,
        config: Option<&str>,
        lock: Option<&str>,
        trust: Option<(Utf8PathBuf, String)>,
    ) -> Self {
        let config = config.map(|text| (self.config.clone(), text.to_owned()));
        let lock = lock.map(|text| (self.lock_path(), text.to_owned()));
        let texts = MemoryWorld::new(config.into_iter().chain(lock).chain(trust));
        Self { session: self.session.with_overlays(&texts), ..self.clone() }
    }

    pub fn alone(&self, store: &PackStore, config: &str, lock: &str) -> Session {
        let settings = Settings { user_config: None, ..self.session.settings().clone() };
        let session = Session::empty(&settings, &store.folder().join("none"));
        session.with_overlays(&MemoryWorld::new([(packs::CONFIG, config), (packs::LOCK, lock)]))
    }

    pub fn is_trusted(&self, declared: &Declarations) -> bool {
        self.is_users || self.trust_in(declared) == Trust::Given
    }

    pub fn trust_in(&self, declared: &Declarations) -> Trust {
        trust(self.session.files(), self.session.settings(), declared)
    }

    /// # Errors
    ///
    /// If writing fails.
    pub fn trust(&self) -> Result<(), Error> {
        let Some(state) = self.session.settings().state.as_deref().filter(|_| !self.is_users)
        else {
            return Ok(());
        };
        let declared = declaration(&self.declared());
        TrustStore::new(state).trust(self.session.root(), &TrustStore::hash(&declared))
    }

    pub fn is_own(&self, folder: &Utf8Path) -> bool {
        real_folder(folder).is_some_and(|folder| Files::new(&self.folder).is_of_repository(&folder))
    }

    /// The user's files may be links.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn write(&self, path: &Utf8Path, text: &str) -> Result<(), Error> {
        let place = self.folder.join(path);
        let place = if self.is_users { real_file(&place) } else { place };
        let root = place.parent().filter(|_| self.is_users).unwrap_or(&self.folder);
        let writer = Writer::new(root);
        if path_exists(&place) { writer.replace(&place, text) } else { writer.create(&place, text) }
    }

    pub fn repository(&self, path: &str) -> Utf8PathBuf {
        let of_home = below_home(self.session.settings(), path);
        lexical(&of_home.unwrap_or_else(|| self.folder.join(path)))
    }

    pub fn typed(&self, path: &str) -> String {
        let settings = self.session.settings();
        if !path.starts_with('.') {
            return path.to_owned();
        }
        if self.is_users {
            let path = lexical(&settings.start.join(path));
            let below = settings.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
            return below.map_or_else(|| path.to_string(), |below| format!("~/{below}"));
        }
        match real_file(&settings.start).strip_prefix(&self.folder) {
            Ok(below) if !below.as_str().is_empty() => from_root(below, path),
            _ => path.to_owned(),
        }
    }

    pub(super) fn folder_of(&self, pack: &DeclaredPack, path: &Utf8Path) -> Utf8PathBuf {
        folder_of(self.session.settings(), self.session.root(), pack, path)
    }
}

fn from_root(folder: &Utf8Path, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.as_str().split(['/', '\\']).chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if path.starts_with("..") { path } else { format!("./{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_paths_count_from_the_root() {
        let from = |folder: &str, path: &str| from_root(folder.into(), path);
        assert_eq!(from("src/a", "../../../acme.git"), "../acme.git");
        assert_eq!(from("src/a", "./x"), "./src/a/x");
        assert_eq!(from("src", ".."), "./");
        assert_eq!(from("src", "../.."), "..");
    }
}
