//! Who may read a folder.

use std::sync::Arc;

/// Files cannot widen it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FolderAccess {
    #[default]
    Open,
    Groups(Arc<[String]>),
    /// Only for the author.
    Unclear,
}

impl FolderAccess {
    pub fn groups(&self) -> &[String] {
        if let Self::Groups(groups) = self { groups } else { &[] }
    }
}
