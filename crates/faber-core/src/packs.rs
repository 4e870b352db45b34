//! Packs: contexts, roles and overlays from elsewhere, declared as `packs`.
//!
//! Their files are below [`FOLDER`], so paths are the same on every machine.

pub mod declare;
pub mod lock;
pub mod names;
pub(crate) mod place;
pub mod skills;

use camino::Utf8PathBuf;

pub use declare::{DeclaredPack, PackSource};
pub use place::{FOLDER, at_place, folder, of_path, root_of};

use crate::source::Span;

/// With those that packs need.
pub const MAX_PACKS: usize = 256;

pub const CONFIG: &str = ".faber/config.yml";

/// At the workspace root, or next to the user configuration.
pub const LOCK: &str = "faber.lock";

/// In a workspace with its declarations.
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
    /// In the workspace, or the pack that needs it.
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
