//! `faber config`.

use crate::cli::args::{ConfigCommand, DataFormat};
use faber_core::config;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::workspace::Viewer;
use faber_output::emit;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::session::Session;

pub(crate) fn run(command: &ConfigCommand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let ConfigCommand::Show { key, origin, role, format, view } = command;
    let mut workspace = Session::open(settings)?.workspace();
    // Those of contexts are of no interest here.
    let findings = workspace.findings();
    let role = role.clone().or_else(|| workspace.role_name(None).ok());
    let viewer = Viewer::new(role, view.platform.clone());
    let pack = workspace.pack(viewer.role.as_deref(), viewer.platform.as_deref())?;
    let mut node = workspace.effective_config(&pack);
    if let Some(key) = key {
        node = config::part(&node, key)?;
    }
    let node = &node;
    match (format, key) {
        (DataFormat::Human, Some(key)) if node.entries().is_empty() => {
            streams.note(&format!("`{}` is not set\n", Visible(key)));
        }
        (DataFormat::Json, _) => {
            streams.print_json(&config::show_json(node, &workspace.sources, *origin))?;
        }
        (DataFormat::Human, _) => {
            streams.print(&config::show(node, &workspace.sources, *origin))?;
        }
    }
    streams.resolve(&mut workspace, &viewer)?;
    streams.note(&emit::findings(&findings, &workspace.sources, settings));
    streams.eprint_unknown_overlays(&workspace);
    Ok(ExitStatus::Done)
}
