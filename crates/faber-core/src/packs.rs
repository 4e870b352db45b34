//! Packs: contexts, roles and overlays from outside of the workspace, which `packs` of a configuration declares.
//!
//! The files of a pack are seen below [`FOLDER`], wherever they are on the machine, so references, findings and
//! bundles name the same paths on every machine. [`declare`] reads declarations, [`lock`] is the format of
//! `faber.lock`, [`names`] says which paths a pack may have, [`skills`] reads what a site
//! publishes. Fetching and mounting is the session's.

pub mod declare;
pub mod lock;
pub mod names;
pub mod skills;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

pub use declare::{DeclaredPack, PackSource};

use crate::source::Span;

/// The most packs of a workspace, those of packs counted.
pub const MAX_PACKS: usize = 256;

/// The folder of all packs, from the workspace root.
pub const FOLDER: &str = ".faber/packs";

/// The configuration that declares packs, from the root of a workspace or pack.
pub const CONFIG: &str = ".faber/config.yml";

/// The lock file, from the workspace root; of the user's own configuration, from its folder.
pub const LOCK: &str = "faber.lock";

/// A pack whose files are part of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountedPack {
    pub name: String,
    /// Where the workspace declares it, or the pack that leads to it.
    pub declared_at: Span,
    /// The ref and commit, or what else tells one state of it from another; none for a folder.
    pub version: Option<String>,
    /// Whether the user's own configuration declares it: its library is a part of the user layer.
    pub is_users: bool,
    /// Whether its `required` and `sealed` have an effect.
    pub is_trusted: bool,
    /// Its folders of roles, from the workspace root.
    pub roles: Vec<Utf8PathBuf>,
    /// Its folders of overlays, from the workspace root.
    pub overlays: Vec<Utf8PathBuf>,
}

impl MountedPack {
    /// Its name and version.
    pub fn title(&self) -> String {
        let version = self.version.as_ref().map(|version| format!(" {version}"));
        format!("{}{}", self.name, version.unwrap_or_default())
    }

    /// Its folder, from the workspace root.
    pub fn folder(&self) -> Utf8PathBuf {
        folder(&self.name)
    }
}

/// What follows `faber pack COMMAND` for packs of the user's own configuration, and nothing for others.
pub fn flag(is_users: bool) -> &'static str {
    if is_users { " --user" } else { "" }
}

/// The folder of a pack, from the workspace root.
pub fn folder(name: &str) -> Utf8PathBuf {
    Utf8Path::new(FOLDER).join(name)
}

/// The folder of the pack that a path lies in, both from the workspace root.
pub fn root_of(path: &Utf8Path) -> Option<&Utf8Path> {
    // Most paths are of no pack, which takes long to find out part by part.
    let below = path.as_str().starts_with(FOLDER).then(|| path.strip_prefix(FOLDER).ok())??;
    let name = below.components().next()?;
    matches!(name, Utf8Component::Normal(_)).then_some(())?;
    Some(Utf8Path::new(&path.as_str()[..FOLDER.len() + 1 + name.as_str().len()]))
}

/// The path of a file of a pack, if its folder is at `place`.
pub fn at_place(path: &Utf8Path, place: Option<&Utf8Path>) -> Utf8PathBuf {
    let below = || path.strip_prefix(root_of(path)?).ok();
    match place.zip(below()) {
        Some((place, below)) => place.join(below),
        None => path.to_owned(),
    }
}

/// The name of the pack that a path lies in.
pub fn of_path(path: &Utf8Path) -> Option<&str> {
    root_of(path)?.file_name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pack_of_a_path_is_its_folder() {
        assert_eq!(of_path(".faber/packs/acme/contexts/a.md".into()), Some("acme"));
        assert_eq!(root_of(".faber/packs/acme".into()), Some(".faber/packs/acme".into()));
        for path in [".faber/packs", ".faber/packsx/a", "contexts/a.md", ".faber/packs/../a"] {
            assert_eq!(of_path(path.into()), None, "{path}");
        }
    }
}
