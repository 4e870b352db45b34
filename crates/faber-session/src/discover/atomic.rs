//! Atomic writes, never through a link out of the workspace.

mod permissions;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

use faber_core::paths::lexical;

use crate::discover::{failed, foreign, locked};
use faber_core::error::Error;
pub use permissions::is_executable;
pub(crate) use permissions::set_executable;
use permissions::{Permissions, is_read_only, keep_access};

const MAX_LINKS: usize = 40;
const UNFINISHED: (&str, &str) = (".faber-", ".tmp");
/// Another process may remove the new file before it is locked.
const MAX_ATTEMPTS: usize = 8;

/// Removes unlocked temporary files of killed processes.
#[derive(Debug)]
pub struct Writer {
    root: Utf8PathBuf,
    cleaned: Mutex<BTreeSet<Utf8PathBuf>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    Done,
    Changed,
    ReadOnly,
    DanglingLink,
}

impl Replaced {
    pub fn refusal(self) -> Option<&'static str> {
        match self {
            Self::Done => None,
            Self::Changed => Some("was changed in the meantime"),
            Self::ReadOnly => Some("is read-only"),
            Self::DanglingLink => Some("is a link that leads nowhere"),
        }
    }

    /// # Errors
    ///
    /// [`Error::Usage`] if the file was not written.
    pub fn written(self, path: &Utf8Path) -> Result<(), Error> {
        self.refusal().map_or(Ok(()), |why| Err(not_written(path, why)))
    }
}

pub fn not_written(path: &Utf8Path, why: &str) -> Error {
    let help = "check the file, then try again";
    Error::usage(format!("`{path}` is not written: it {why}"), help)
}

impl Writer {
    pub fn new(root: &Utf8Path) -> Self {
        let root = real(root).unwrap_or_else(|_| root.to_owned());
        Self { root, cleaned: Mutex::default() }
    }

    /// Follows links and keeps permissions.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the file is read-only or a link leads out of the workspace, else
    /// [`Error::Io`].
    pub fn replace(&self, path: &Utf8Path, text: &str) -> Result<(), Error> {
        let path = &self.root.join(path);
        let fail = failed("write", path);
        let target = self.target(path)?;
        if is_stream(path) || is_stream(&target) {
            // Files such as `/dev/stdout` cannot be replaced.
            let mut stream = std::fs::OpenOptions::new().append(true).open(path).map_err(fail)?;
            return stream.write_all(text.as_bytes()).map_err(fail);
        }
        self.check_writable(path, &target)?;
        let place = Place::pin_folder(&target).map_err(fail)?;
        if std::fs::read(&place.path).is_ok_and(|now| now == text.as_bytes()) {
            return Ok(());
        }
        let permissions = Permissions::Kept(&place.path);
        let file = self.written(&place, permissions, text.as_bytes()).map_err(fail)?;
        file.persist(&place.path).map(drop).map_err(|error| fail(error.error))
    }

    /// Compares `before` after the new text is on disk, to shorten the race.
    ///
    /// # Errors
    ///
    /// See [`Self::replace`].
    pub fn replace_if(
        &self,
        path: &Utf8Path,
        before: impl AsRef<[u8]>,
        after: impl AsRef<[u8]>,
    ) -> Result<Replaced, Error> {
        let (before, after) = (before.as_ref(), after.as_ref());
        let path = &self.root.join(path);
        let fail = failed("write", path);
        let target = self.target(path)?;
        match std::fs::metadata(&target) {
            Ok(found) if !found.is_file() => return Ok(Replaced::Changed),
            Ok(found) if is_read_only(&found) => return Ok(Replaced::ReadOnly),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Replaced::Changed),
            Err(error) => return Err(fail(error)),
        }
        let place = Place::pin_folder(&target).map_err(fail)?;
        let file = self.written(&place, Permissions::Kept(&place.path), after).map_err(fail)?;
        match std::fs::read(&place.path) {
            Ok(now) if now == before => {}
            Ok(now) if now == after => return Ok(Replaced::Done),
            Ok(_) => return Ok(Replaced::Changed),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Replaced::Changed),
            Err(error) => return Err(fail(error)),
        }
        file.persist(&place.path).map_err(|error| fail(error.error))?;
        Ok(Replaced::Done)
    }

    /// # Errors
    ///
    /// See [`Self::replace`].
    pub fn create(&self, path: &Utf8Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
        self.create_with(path, Permissions::Usual, content.as_ref())
    }

    pub(crate) fn create_private(
        &self,
        path: &Utf8Path,
        content: impl AsRef<[u8]>,
    ) -> Result<(), Error> {
        self.create_with(path, Permissions::Private, content.as_ref())
    }

    /// The content must be `before`, or `after` if another process wrote the same.
    ///
    /// # Errors
    ///
    /// See [`Self::replace`].
    pub fn change(
        &self,
        path: &Utf8Path,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<Replaced, Error> {
        match (before, after) {
            (None, None) => Ok(Replaced::Done),
            (None, Some(after)) => self.create_once(path, false, after),
            (Some(before), Some(after)) => self.replace_if(path, before, after),
            (Some(_), None) => match self.remove(path) {
                Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                    Ok(Replaced::Done)
                }
                removed => removed.map(|()| Replaced::Done),
            },
        }
    }

    /// # Errors
    ///
    /// See [`Self::create`].
    pub fn copy(&self, from: &Utf8Path, path: &Utf8Path) -> Result<Replaced, Error> {
        let from = &self.root.join(from);
        let bytes = std::fs::read(from).map_err(failed("read", from))?;
        self.created_once(path, Permissions::Copied(from), &bytes)
    }

    /// # Errors
    ///
    /// See [`Self::replace`].
    pub fn set_executable(&self, path: &Utf8Path, is_executable: bool) -> Result<(), Error> {
        let target = self.target(&self.root.join(path))?;
        set_executable(&target, is_executable).map_err(failed("write", &target))
    }

    /// # Errors
    ///
    /// See [`Self::replace`].
    pub fn replace_by_copy(&self, from: &Utf8Path, path: &Utf8Path) -> Result<(), Error> {
        let (from, path) = (&self.root.join(from), &self.root.join(path));
        let fail = failed("write", path);
        let target = self.target(path)?;
        self.check_writable(path, &target)?;
        let bytes = std::fs::read(from).map_err(fail)?;
        let place = Place::pin_folder(&target).map_err(fail)?;
        let file = self.written(&place, Permissions::Copied(from), &bytes).map_err(fail)?;
        file.persist(&place.path).map(drop).map_err(|error| fail(error.error))
    }

    pub(crate) fn create_once(
        &self,
        path: &Utf8Path,
        is_private: bool,
        bytes: &[u8],
    ) -> Result<Replaced, Error> {
        let permissions = if is_private { Permissions::Private } else { Permissions::Usual };
        self.created_once(path, permissions, bytes)
    }

    fn created_once(
        &self,
        path: &Utf8Path,
        permissions: Permissions<'_>,
        bytes: &[u8],
    ) -> Result<Replaced, Error> {
        match self.create_with(path, permissions, bytes) {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
                let path = self.root.join(path);
                Ok(match foreign::content(&path) {
                    Some(now) if now == bytes => Replaced::Done,
                    None if path.is_symlink() && !path.exists() => Replaced::DanglingLink,
                    _ => Replaced::Changed,
                })
            }
            created => created.map(|()| Replaced::Done),
        }
    }

    fn create_with(
        &self,
        path: &Utf8Path,
        permissions: Permissions<'_>,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let path = &self.root.join(path);
        let fail = failed("create", path);
        let target = self.entry(path)?;
        let folder = target.parent().unwrap_or(Utf8Path::new("."));
        std::fs::create_dir_all(folder).map_err(fail)?;
        let place = Place::pin_folder(&target).map_err(fail)?;
        let file = self.written(&place, permissions, bytes).map_err(fail)?;
        file.persist_noclobber(&place.path).map(drop).map_err(|error| fail(error.error))
    }

    /// # Errors
    ///
    /// See [`Self::replace`].
    pub fn remove(&self, path: &Utf8Path) -> Result<(), Error> {
        let path = &self.root.join(path);
        let target = self.entry(path)?;
        let removed =
            Place::pin_folder(&target).and_then(|place| std::fs::remove_file(&place.path));
        removed.map_err(failed("remove", path))
    }

    pub fn remove_empty(&self, path: &Utf8Path, last: &Utf8Path) {
        let (path, last) = (self.root.join(path), self.root.join(last));
        for folder in path.ancestors().skip(1).take_while(|it| *it != last && it.starts_with(&last))
        {
            if folder.is_symlink() || std::fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }

    /// # Errors
    ///
    /// See [`Self::replace`].
    pub fn entry(&self, path: &Utf8Path) -> Result<Utf8PathBuf, Error> {
        let path = self.root.join(path);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return self.target(&path);
        };
        let target = real(folder).map_err(failed("write", &path))?.join(name);
        self.check(&path, &target)?;
        let above = target.ancestors().skip(1).find(|above| above.exists());
        if above.is_some_and(|above| !above.is_dir()) {
            let source = ErrorKind::NotADirectory.into();
            return Err(Error::Io { action: "create", path, source });
        }
        Ok(target)
    }

    /// # Errors
    ///
    /// See [`Self::replace`].
    pub fn check_write(&self, path: &Utf8Path) -> Result<(), Error> {
        let path = &self.root.join(path);
        let target = self.target(path)?;
        self.check_writable(path, &target)?;
        let folder = target.ancestors().skip(1).find(|folder| folder.is_dir());
        let made = unfinished(folder.unwrap_or(Utf8Path::new("/")), Permissions::Private);
        made.map(drop).map_err(failed("write", path))
    }

    fn check_writable(&self, path: &Utf8Path, target: &Utf8Path) -> Result<(), Error> {
        let is_refused = std::fs::metadata(target).is_ok_and(|found| is_read_only(&found));
        let shown = path.strip_prefix(&self.root).unwrap_or(path);
        if is_refused { Replaced::ReadOnly.written(shown) } else { Ok(()) }
    }

    fn target(&self, path: &Utf8Path) -> Result<Utf8PathBuf, Error> {
        let target = real(path).map_err(failed("write", path))?;
        self.check(path, &target)?;
        Ok(target)
    }

    fn check(&self, path: &Utf8Path, target: &Utf8Path) -> Result<(), Error> {
        let is_inside = |path: &Utf8Path| path.starts_with(&self.root);
        let begins_inside =
            || lexical(path).ancestors().any(|above| real(above).is_ok_and(|it| is_inside(&it)));
        let where_to = if !is_inside(target) && begins_inside() {
            "out of the workspace"
        } else if is_inside(target) && of_git(target) && !of_git(path) {
            "into the directory of git"
        } else {
            return Ok(());
        };
        let shown = path.strip_prefix(&self.root).unwrap_or(path);
        let message = format!("a link in the path of `{shown}` leads {where_to}");
        let help = "nothing was written there; remove the link, or choose another path";
        Err(Error::usage(message, help))
    }

    fn written(
        &self,
        place: &Place,
        permissions: Permissions<'_>,
        bytes: &[u8],
    ) -> std::io::Result<NamedTempFile> {
        let folder = place.path.parent().unwrap_or(Utf8Path::new("."));
        self.clean(&place.folder, folder);
        let mut file = unfinished(folder, permissions)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(file)
    }

    fn clean(&self, name: &Utf8Path, folder: &Utf8Path) {
        let mut cleaned = locked(&self.cleaned);
        if !cleaned.insert(name.to_owned()) {
            return;
        }
        let Ok(entries) = folder.read_dir_utf8() else { return };
        for entry in entries.flatten().filter(|entry| is_unfinished(entry.file_name())) {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            // Held until the file is removed.
            if is_file
                && let Ok(file) = std::fs::File::open(entry.path())
                && file.try_lock().is_ok()
            {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// On Linux, stays in its folder even if that becomes a link.
struct Place {
    folder: Utf8PathBuf,
    path: Utf8PathBuf,
    #[cfg(target_os = "linux")]
    _open: Option<std::fs::File>,
}

impl Place {
    #[cfg(target_os = "linux")]
    fn pin_folder(target: &Utf8Path) -> std::io::Result<Self> {
        use std::os::fd::AsRawFd;
        let folder = target.parent().unwrap_or(Utf8Path::new("/")).to_owned();
        let open = std::fs::File::open(&folder)?;
        let name = Utf8PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()));
        match name.read_link_utf8() {
            Ok(real) if real == folder => {
                let path = name.join(target.file_name().unwrap_or_default());
                Ok(Self { folder, path, _open: Some(open) })
            }
            Ok(_) => Err(std::io::Error::other("its directory was replaced by a link meanwhile")),
            Err(_) => Ok(Self { folder, path: target.to_owned(), _open: None }),
        }
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, reason = "fails on Linux")]
    fn pin_folder(target: &Utf8Path) -> std::io::Result<Self> {
        let folder = target.parent().unwrap_or(Utf8Path::new(".")).to_owned();
        Ok(Self { folder, path: target.to_owned() })
    }
}

fn unfinished(folder: &Utf8Path, permissions: Permissions<'_>) -> std::io::Result<NamedTempFile> {
    for _ in 0..MAX_ATTEMPTS {
        let mut builder = tempfile::Builder::new();
        permissions.apply(&mut builder);
        let file = builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1).tempfile_in(folder)?;
        if let Permissions::Kept(path) = permissions {
            keep_access(file.as_file(), path)?;
        }
        let _ = file.as_file().lock();
        if file.path().exists() {
            return Ok(file);
        }
    }
    Err(std::io::Error::other("other processes remove its temporary file"))
}

pub fn is_unfinished(name: &str) -> bool {
    let random = name.strip_prefix(UNFINISHED.0).and_then(|rest| rest.strip_suffix(UNFINISHED.1));
    random.is_some_and(|random| {
        random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn real(path: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(real) = at.canonicalize_utf8() {
            return Ok(real);
        }
        if let Ok(link) = at.read_link_utf8() {
            at = at.parent().unwrap_or(Utf8Path::new("")).join(link);
            continue;
        }
        let (Some(folder), Some(name)) = (at.parent(), at.file_name()) else {
            return Err(ErrorKind::NotFound.into());
        };
        let folder = if folder.as_str().is_empty() { Utf8Path::new(".") } else { folder };
        return Ok(real(folder)?.join(name));
    }
    Err(std::io::Error::other("the link leads back to itself"))
}

fn of_git(path: &Utf8Path) -> bool {
    path.components().any(|part| part.as_str().eq_ignore_ascii_case(".git"))
}

fn is_stream(path: &Utf8Path) -> bool {
    let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    let open = ["/dev/stdout", "/dev/stderr", "/dev/fd"].iter().any(|name| path.starts_with(name));
    special || open || (path.starts_with("/proc") && path.as_str().contains("/fd/"))
}

#[cfg(test)]
mod tests;
