use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::files::Files;
use crate::discover::trust::TrustStore;
use crate::packs::chains::PackProblem;
use crate::settings::Settings;
use faber_core::error::Error;
use faber_core::packs::declare::Declarations;
use faber_core::packs::lock::{Lock, LockError, LockErrorKind};
use faber_core::packs::{self, DeclaredPack, Trust};
use faber_core::paths::lexical;
use faber_core::world::Unreadable;

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

pub(super) fn below_home(settings: &Settings, path: &str) -> Option<Utf8PathBuf> {
    Some(settings.home.as_ref()?.join(path.strip_prefix("~/")?))
}

pub fn trust(files: &Files, settings: &Settings, declared: &Declarations) -> Trust {
    let Some(state) = &settings.state else { return Trust::Missing };
    TrustStore::new(state).trust_in(files, &TrustStore::hash(&declaration(declared)))
}

/// Trust depends on this text.
pub fn declaration(declared: &Declarations) -> String {
    let own = declared.packs.iter().filter(|pack| !pack.is_users);
    own.map(DeclaredPack::declaration).collect()
}

pub(super) fn lock_file(settings: &Settings, is_users: bool) -> Utf8PathBuf {
    let users = settings.user_config.as_ref().filter(|_| is_users);
    users.map_or_else(|| packs::LOCK.into(), |config| config.with_file_name(packs::LOCK))
}

/// # Errors
///
/// If unreadable; but not if missing.
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

/// # Errors
///
/// If unreadable or invalid; but not if missing.
pub fn read_lock(files: &Files, settings: &Settings, is_users: bool) -> Result<Lock, PackProblem> {
    let path = lock_file(settings, is_users);
    match read(files, &path, is_users) {
        Ok(text) => Lock::parse(&text).map_err(|error| unusable_lock(&path, &error, is_users)),
        Err(Unreadable::Missing) => Ok(Lock::default()),
        Err(trouble) => {
            let message = format!("{path} cannot be read: {trouble}");
            Err(PackProblem::new(message, "repair it"))
        }
    }
}

fn unusable_lock(path: &Utf8Path, error: &LockError, is_users: bool) -> PackProblem {
    let LockError { line, kind, message } = error;
    let update = format!("run `faber pack update{}`", packs::flag(is_users));
    match kind {
        LockErrorKind::Version => PackProblem::new(
            format!("{path} cannot be read: {message}"),
            "update faber, or restore the file from version control",
        ),
        LockErrorKind::Conflict => PackProblem::new(
            format!("{path} has {message} in line {line}"),
            format!("take one side, then {update}"),
        ),
        LockErrorKind::Damaged => PackProblem::new(
            format!("{path} is damaged in line {line}: {message}"),
            format!("restore the file from version control, or delete it and {update}"),
        ),
    }
}
