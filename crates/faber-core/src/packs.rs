//! Packs: contexts, roles and overlays from elsewhere, mounted below [`FOLDER`].

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::source::Span;

pub use declare::{DeclaredPack, PackSource};

pub mod declare;
pub mod lock;
pub mod names;
pub mod skills;

/// With those that packs need.
pub const MAX_PACKS: usize = 256;

pub const CONFIG: &str = ".faber/config.yml";

/// At the workspace root, or next to the user configuration.
pub const LOCK: &str = "faber.lock";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Given,
    /// Given to other declarations.
    Outdated,
    Missing,
}

impl Trust {
    pub fn why_not(self) -> &'static str {
        match self {
            Self::Outdated => "`packs` changed since the workspace was trusted",
            Self::Given | Self::Missing => "the workspace is not trusted",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountedPack {
    pub name: String,
    pub declared_at: Span,
    /// `None` for a folder.
    pub version: Option<String>,
    pub is_users: bool,
    pub trust: Trust,
    pub roles: Vec<Utf8PathBuf>,
    pub overlays: Vec<Utf8PathBuf>,
}

impl MountedPack {
    pub fn title(&self) -> String {
        let version = self.version.as_ref().map(|version| format!(" {version}"));
        format!("{}{}", self.name, version.unwrap_or_default())
    }

    pub fn folder(&self) -> Utf8PathBuf {
        folder(&self.name)
    }
}

pub fn flag(is_users: bool) -> &'static str {
    if is_users { " --user" } else { "" }
}

pub const FOLDER: &str = ".faber/packs";

pub fn folder(name: &str) -> Utf8PathBuf {
    Utf8Path::new(FOLDER).join(name)
}

pub fn root_of(path: &Utf8Path) -> Option<&Utf8Path> {
    let below = path.as_str().starts_with(FOLDER).then(|| path.strip_prefix(FOLDER).ok())??;
    let name = below.components().next()?;
    matches!(name, Utf8Component::Normal(_)).then_some(())?;
    Some(Utf8Path::new(&path.as_str()[..FOLDER.len() + 1 + name.as_str().len()]))
}

pub fn at_place(path: &Utf8Path, place: Option<&Utf8Path>) -> Utf8PathBuf {
    let below = || path.strip_prefix(root_of(path)?).ok();
    if let Some((place, below)) = place.zip(below()) { place.join(below) } else { path.to_owned() }
}

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
