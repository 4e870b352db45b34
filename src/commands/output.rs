//! Files that commands write for the user.

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_session::discover::files::{path_exists, real_file};
use faber_session::discover::snapshot::Recorder;
use faber_session::session::{Session, Workspace};

/// Refuses to overwrite a source of the workspace, of which `workspace` may have read only those of
/// one role.
///
/// # Errors
///
/// [`Error::Usage`].
pub fn refuse_source(
    path: &Utf8Path,
    workspace: &Workspace,
    session: &Session,
) -> Result<(), Error> {
    let place = real_file(path);
    let Ok(below) = place.strip_prefix(session.root()) else { return Ok(()) };
    let has_read = |workspace: &Workspace| workspace.sources.find(below).is_some();
    let is_source = path_exists(path)
        && (has_read(workspace) || {
            is_in_home(below, workspace) && {
                let mut all = session.recorded_in(Recorder::default()).workspace();
                all.survey();
                has_read(&all)
            }
        });
    if !is_source {
        return Ok(());
    }
    Err(Error::usage(
        format!("`{}` is both an output and an input of the command", Visible(path.as_str())),
        "write to a path outside of the workspace's contexts",
    ))
}

fn is_in_home(path: &Utf8Path, workspace: &Workspace) -> bool {
    let overlays =
        workspace.config.overlays.paths.iter().map(|home| Utf8PathBuf::from(&home.value));
    let others = ["contexts", ".faber", "tasks", "flows"].map(Utf8PathBuf::from);
    let mut homes = overlays.chain(workspace.role_homes()).chain(others);
    homes.any(|home| path.starts_with(home))
}
