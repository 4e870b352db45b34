//! Where packs are declared and pinned: in a workspace, or in the user's own configuration.

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::atomic::{Writer, lexical};
use crate::discover::files::{Files, is_there, real_file};
use crate::discover::foreign::real_folder;
use crate::discover::pack_store::PackStore;
use crate::discover::root::is_of_repository;
use crate::discover::trust::TrustStore;
use crate::packs::declare::declarations;
use crate::session::Session;
use crate::settings::Settings;
use faber_core::error::Error;
use faber_core::packs::declare::Declarations;
use faber_core::packs::lock::{Lock, LockError};
use faber_core::packs::{self, DeclaredPack};
use faber_core::world::{MemoryWorld, Unreadable};

/// The packs of a workspace, or those of the user's own configuration.
#[derive(Clone, Debug)]
pub struct PackHome {
    session: Session,
    /// Where relative paths of folders and repositories begin.
    folder: Utf8PathBuf,
    config: Utf8PathBuf,
    is_users: bool,
}

impl PackHome {
    /// The packs that a workspace and its organization declare.
    pub fn of_workspace(session: Session) -> Self {
        let folder = session.root().to_owned();
        Self { session, folder, config: packs::CONFIG.into(), is_users: false }
    }

    /// The packs of the user's own configuration, as seen in the workspace around, or without one.
    ///
    /// # Errors
    ///
    /// When the user has no configuration folder, or the start does not exist.
    pub fn of_user(settings: &Settings) -> Result<Self, Error> {
        let config = settings.user_config.clone().ok_or_else(|| {
            let help = "set `XDG_CONFIG_HOME` to an absolute path";
            Error::usage("faber has no folder for your own configuration", help)
        })?;
        let folder = config.parent().unwrap_or(&config).to_owned();
        // Who names them means them, also in CI.
        let settings = Settings { no_user: false, ..settings.clone() };
        let session = match Session::open(&settings) {
            Err(Error::NoWorkspace { .. }) => Session::empty(&settings, &folder),
            session => session?,
        };
        Ok(Self { session, folder, config, is_users: true })
    }

    /// The packs of the workspace around, or of the user.
    ///
    /// # Errors
    ///
    /// As [`Session::open`] and [`Self::of_user`].
    pub fn open(settings: &Settings, is_users: bool) -> Result<Self, Error> {
        if is_users {
            return Self::of_user(settings);
        }
        Session::open(settings).map(Self::of_workspace)
    }

    /// The workspace in which effects show.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Where relative paths of folders and repositories begin.
    pub fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    pub fn is_users(&self) -> bool {
        self.is_users
    }

    /// How messages name the file that declares the packs.
    pub fn config(&self) -> &Utf8Path {
        &self.config
    }

    /// How messages name the lock.
    pub fn lock_path(&self) -> Utf8PathBuf {
        lock_file(self.session.settings(), self.is_users)
    }

    /// Where the lock is on this machine.
    pub(super) fn lock_place(&self) -> Utf8PathBuf {
        self.folder.join(self.lock_path())
    }

    /// The text of the configuration; empty when there is none.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn config_text(&self) -> Result<String, Error> {
        config_text(self.session.files(), &self.config, self.is_users)
    }

    /// The lock.
    ///
    /// # Errors
    ///
    /// When it is damaged.
    pub fn lock(&self) -> Result<Lock, Error> {
        let command = format!("faber pack update{}", packs::flag(self.is_users));
        let help = format!("restore it from version control, or run `{command}`");
        let lock = read_lock(self.session.files(), self.session.settings(), self.is_users);
        lock.map_err(|why| Error::usage(why, help))
    }

    /// What is declared here, and what `packs.allow` of all configurations says.
    pub fn declared(&self) -> Declarations {
        if self.is_users {
            return declarations(&self.config_text().unwrap_or_default(), true);
        }
        let mut declared = self.session.workspace().declared_packs();
        declared.packs.retain(|pack| !pack.is_users);
        declared
    }

    /// The same with these texts in place of the files.
    #[must_use]
    pub fn with_texts(&self, config: Option<&str>, lock: Option<&str>) -> Self {
        self.overlaid(config, lock, None)
    }

    /// The same with these texts, and trusted with them.
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

    /// A workspace that has nothing but these packs, which the store has.
    pub fn alone(&self, store: &PackStore, config: &str, lock: &str) -> Session {
        let settings = Settings { user_config: None, ..self.session.settings().clone() };
        let session = Session::empty(&settings, &store.folder().join("none"));
        session.with_overlays(&MemoryWorld::new([(packs::CONFIG, config), (packs::LOCK, lock)]))
    }

    /// Whether the user trusts what is declared here. What the user declares needs no trust.
    pub fn is_trusted(&self, declared: &Declarations) -> bool {
        self.is_users || is_trusted(self.session.files(), self.session.settings(), declared)
    }

    /// Trusts what is declared now: the user made the change.
    ///
    /// # Errors
    ///
    /// When the state folder cannot be written.
    pub fn trust(&self) -> Result<(), Error> {
        let Some(state) = self.session.settings().state.as_deref().filter(|_| !self.is_users)
        else {
            return Ok(());
        };
        let declared = declaration(&self.declared());
        TrustStore::new(state).trust(self.session.root(), &TrustStore::hash(&declared))
    }

    /// Whether a folder is a part of the repository around this one.
    pub fn is_own(&self, folder: &Utf8Path) -> bool {
        real_folder(folder).is_some_and(|folder| is_of_repository(&self.folder, &folder))
    }

    /// Writes the configuration or the lock in one piece. That of the user may be a link.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, path: &Utf8Path, text: &str) -> Result<(), Error> {
        let place = self.folder.join(path);
        let place = if self.is_users { real_file(&place) } else { place };
        let root = place.parent().filter(|_| self.is_users).unwrap_or(&self.folder);
        let writer = Writer::new(root);
        if is_there(&place) { writer.replace(&place, text) } else { writer.create(&place, text) }
    }

    /// The repository on this machine that a path names.
    pub fn repository(&self, path: &str) -> Utf8PathBuf {
        let of_home = below_home(self.session.settings(), path);
        lexical(&of_home.unwrap_or_else(|| self.folder.join(path)))
    }

    /// A path that was typed, as the configuration is to have it: it counts from where the command was started.
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

    /// The folder on the machine that a pack of the user or workspace names.
    pub(super) fn folder_of(&self, pack: &DeclaredPack, path: &Utf8Path) -> Utf8PathBuf {
        folder_of(self.session.settings(), self.session.root(), pack, path)
    }
}

/// A path that counts from a folder of the workspace, as one that counts from its root.
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

/// The folder of a pack on the machine: paths of the user's own configuration begin where that lies, others at the root.
pub(super) fn folder_of(
    settings: &Settings,
    root: &Utf8Path,
    pack: &DeclaredPack,
    path: &Utf8Path,
) -> Utf8PathBuf {
    let users = settings.user_config.as_ref().and_then(|path| path.parent());
    let from = users.filter(|_| pack.is_users).unwrap_or(root);
    let of_home = below_home(settings, path.as_str()).filter(|_| pack.is_users);
    lexical(&of_home.unwrap_or_else(|| from.join(path)))
}

/// What a path with `~` names, if it has one.
fn below_home(settings: &Settings, path: &str) -> Option<Utf8PathBuf> {
    Some(settings.home.as_ref()?.join(path.strip_prefix("~/")?))
}

/// Whether the user trusts what the workspace declares.
pub fn is_trusted(files: &Files, settings: &Settings, declared: &Declarations) -> bool {
    let Some(state) = &settings.state else { return false };
    TrustStore::new(state).trusts(files, &TrustStore::hash(&declaration(declared)))
}

/// What is trusted: the packs that the workspace and its organization declare.
pub fn declaration(declared: &Declarations) -> String {
    let own = declared.packs.iter().filter(|pack| !pack.is_users);
    own.map(DeclaredPack::declaration).collect()
}

/// The path of a lock: from the root, or absolute when it is the user's.
pub(super) fn lock_file(settings: &Settings, is_users: bool) -> Utf8PathBuf {
    let users = settings.user_config.as_ref().filter(|_| is_users);
    users.map_or_else(|| packs::LOCK.into(), |config| config.with_file_name(packs::LOCK))
}

/// The text of the configuration of a workspace, at a path from its root, or of the user; empty when there is none.
///
/// # Errors
///
/// When it cannot be read.
pub fn config_text(files: &Files, path: &Utf8Path, is_users: bool) -> Result<String, Error> {
    match read(files, path, is_users) {
        Ok(text) => Ok(text),
        Err(Unreadable::Missing) => Ok(String::new()),
        Err(trouble) => Err(Error::usage(format!("cannot read `{path}`: {trouble}"), "repair it")),
    }
}

fn read(files: &Files, path: &Utf8Path, is_users: bool) -> Result<String, Unreadable> {
    let text = if is_users { files.read_elsewhere(path) } else { files.read(path) };
    text.map(|text| text.to_string())
}

/// Reads the lock of a workspace or of the user; an empty one when there is none.
///
/// # Errors
///
/// What is wrong with it, on one line.
pub fn read_lock(files: &Files, settings: &Settings, is_users: bool) -> Result<Lock, String> {
    let path = lock_file(settings, is_users);
    match read(files, &path, is_users) {
        Ok(text) => Lock::parse(&text).map_err(|LockError { line, message }| {
            format!("{path} is damaged in line {line}: {message}")
        }),
        Err(Unreadable::Missing) => Ok(Lock::default()),
        Err(trouble) => Err(format!("{path} cannot be read: {trouble}")),
    }
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
