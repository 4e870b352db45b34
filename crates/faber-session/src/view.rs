//! Opening a workspace for a look at its contexts, without a request.

use crate::settings::Settings;
use crate::workspace::Workspace;
use faber_core::assemble::Resolved;
use faber_core::error::Error;
use faber_core::pack::Pack;
use faber_core::resolve::catalog;
use faber_core::resolve::index::From;

/// A workspace as one role (or no user) sees it.
pub struct View {
    /// The workspace.
    pub workspace: Workspace,
    /// Its layers.
    pub pack: Pack,
    /// Its contexts.
    pub resolved: Resolved,
}

/// Opens the workspace for `role`, else for the configured or the only role; without any, for the
/// layers that all roles share.
///
/// # Errors
///
/// As [`Workspace::open`] and [`Workspace::pack`].
pub fn open(
    role: Option<&str>,
    platform: Option<&str>,
    settings: &Settings,
) -> Result<View, Error> {
    let mut workspace = Workspace::open(settings)?;
    let name = match role {
        Some(role) => Some(role.to_owned()),
        None => workspace.role_name(None).ok(),
    };
    let pack = workspace.pack(name.as_deref(), platform, settings)?;
    let mut found = Vec::new();
    let resolved = Resolved::new(&workspace.sources, workspace.role_homes(), &pack, &mut found);
    workspace.found.extend(found);
    Ok(View { workspace, pack, resolved })
}

impl View {
    /// The context that a name means.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] with what is close, [`Error::Usage`] when it is left out.
    pub fn context(&self, name: &str) -> Result<&catalog::Resolved, Error> {
        let catalog = &self.resolved.catalog;
        let role_root = self.pack.lineage.as_ref().map(|lineage| lineage.role().root.as_path());
        let from = From { path: "".into(), role_root };
        let help = "`--at DATE` and `--environment NAME` show it as it is at another time or place";
        catalog.look_up(name, from, help)
    }
}
