use camino::Utf8Path;

pub(super) fn is_read_only(found: &std::fs::Metadata) -> bool {
    found.is_file() && found.permissions().readonly()
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Permissions<'a> {
    Usual,
    Copied(&'a Utf8Path),
    Kept(&'a Utf8Path),
    Private,
}

impl Permissions<'_> {
    #[cfg(unix)]
    pub(super) fn apply(self, builder: &mut tempfile::Builder<'_, '_>) {
        use std::os::unix::fs::PermissionsExt;
        let usual = std::fs::Permissions::from_mode(0o666);
        builder.permissions(match self {
            Self::Private => return,
            Self::Kept(path) if path.exists() => return,
            Self::Usual | Self::Kept(_) => usual,
            Self::Copied(path) => std::fs::metadata(path).map_or(usual, |it| it.permissions()),
        });
    }

    #[cfg(not(unix))]
    pub(super) fn apply(self, _builder: &mut tempfile::Builder<'_, '_>) {}
}

/// A new group gets only the permissions of all users.
#[cfg(unix)]
pub(super) fn keep_access(file: &std::fs::File, path: &Utf8Path) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let Ok(old) = std::fs::metadata(path) else { return Ok(()) };
    let mode = match fchown(file, None, Some(old.gid())) {
        Ok(()) => old.mode(),
        Err(_) => old.mode() & !0o070 | (old.mode() & 0o007) << 3,
    };
    if old.uid() != file.metadata()?.uid() {
        let _ = fchown(file, Some(old.uid()), None);
    }
    file.set_permissions(std::fs::Permissions::from_mode(mode & 0o777))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "fails on Unix")]
pub(super) fn keep_access(_file: &std::fs::File, _path: &Utf8Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
pub fn is_executable(path: &Utf8Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(unix)]
pub(crate) fn set_executable(path: &Utf8Path, is_executable: bool) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)?.permissions().mode() & 0o666;
    let mode = if is_executable { mode | (mode & 0o444) >> 2 } else { mode };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub fn is_executable(_path: &Utf8Path) -> bool {
    false
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "fails on Unix")]
pub(crate) fn set_executable(_path: &Utf8Path, _is_executable: bool) -> std::io::Result<()> {
    Ok(())
}
