//! Inputs and outputs of several commands.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::cli::args::DataFormat;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::world::MemoryWorld;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::files::{real_file, real_place};
use faber_session::discover::input::read_typed;
use faber_session::discover::snapshot::Recorder;
use faber_session::session::{Session, Workspace};
use faber_session::settings::Settings;
use faber_tools::exchange::write::is_unwritten;

pub(crate) fn print<T: Serialize>(
    data: &T,
    format: DataFormat,
    streams: &mut Streams<'_>,
    human: impl FnOnce(&T) -> String,
) -> Result<ExitStatus, Error> {
    print_or(data, format, streams, human, "")
}

/// Notes `nothing` for an empty text.
pub(crate) fn print_or<T: Serialize>(
    data: &T,
    format: DataFormat,
    streams: &mut Streams<'_>,
    human: impl FnOnce(&T) -> String,
    nothing: &str,
) -> Result<ExitStatus, Error> {
    match format {
        DataFormat::Json => streams.print_json(data)?,
        DataFormat::Human => match &*human(data) {
            "" => streams.note(nothing),
            text => streams.print(text)?,
        },
    }
    Ok(ExitStatus::Done)
}

pub(crate) fn with_settings<'a>(
    streams: &'a mut Streams<'_>,
    settings: &'a Settings,
) -> Streams<'a> {
    let Streams { out, err, input, .. } = streams;
    Streams { out: &mut **out, err: &mut **err, input: &mut **input, settings }
}

pub(crate) fn read(path: &str, streams: &mut Streams<'_>) -> Result<String, Error> {
    match path {
        "-" => streams.read_input(),
        _ => read_typed(&streams.settings.cwd, path.into()),
    }
}

pub(crate) fn written(found: &[Diagnostic], is_outdated: bool) -> ExitStatus {
    if found.iter().any(is_unwritten) {
        ExitStatus::Failed
    } else if is_outdated || found.iter().any(|it| it.severity() == Severity::Error) {
        ExitStatus::Findings
    } else {
        ExitStatus::Done
    }
}

/// Includes sources that `workspace`, of one role, has not read, and new files that would be sources.
pub(crate) fn refuse_source(
    path: &Utf8Path,
    workspace: &Workspace,
    session: &Session,
) -> Result<(), Error> {
    let place = real_file(&real_place(path));
    let Ok(below) = place.strip_prefix(session.root()) else { return Ok(()) };
    let has_read = |workspace: &Workspace| workspace.sources.find(below).is_some();
    let is_source = has_read(workspace) || {
        is_in_home(below, workspace) && {
            let written = MemoryWorld::new([(below, "")]);
            let session = session.recorded_in(Recorder::default());
            let mut all = session.with_overlays(&written).workspace();
            all.survey();
            has_read(&all)
        }
    };
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
    let custom = workspace.config.custom_contexts.iter();
    let custom = custom.map(|file| Utf8PathBuf::from(file.value.trim_start_matches('/')));
    let others = ["contexts", ".faber", "tasks", "flows"].map(Utf8PathBuf::from);
    let mut homes = overlays.chain(workspace.role_homes()).chain(custom).chain(others);
    homes.any(|home| path.starts_with(home))
}
