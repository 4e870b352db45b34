//! `faber __complete`: names for completion scripts.

use crate::cli::args::Complete;
use crate::cli::complete::{self, NameKind, NameRequest};
use faber_core::assemble::InstructionKind;
use faber_core::error::Error;
use faber_core::rules::RULES;
use faber_core::workspace::Viewer;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::session::{ResolvedView, Session, Workspace};
use faber_session::settings::Settings;

/// A message would disturb the command line.
pub(crate) fn run(args: &Complete, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let mut words = args.words.clone();
    words.extend(args.next.then(String::new));
    let Some(request) = complete::parse_name_request(&words) else { return Ok(ExitStatus::Done) };
    let names = names(&request, streams.settings).unwrap_or_default();
    let fitting = names.iter().filter(|name| name.starts_with(&request.prefix));
    let text: String = fitting.flat_map(|name| [name.as_str(), "\n"]).collect();
    streams.print(&text)?;
    Ok(ExitStatus::Done)
}

fn names(request: &NameRequest, settings: &Settings) -> Result<Vec<String>, Error> {
    match request.names {
        NameKind::Rules => return Ok(RULES.iter().map(|rule| rule.code.to_owned()).collect()),
        NameKind::Schemas => return Ok(super::schema::names().map(str::to_owned).collect()),
        _ => {}
    }
    let mut settings = settings.clone();
    if let Some(root) = &request.root {
        settings.start = settings.cwd.join(root);
    }
    let session = Session::open(&settings)?;
    match request.names {
        NameKind::Roles => Ok(session.workspace().role_names()),
        NameKind::Contexts => {
            let view = session.view(&Viewer::new(request.role.clone(), None))?;
            Ok(view.resolved.catalog.contexts.keys().map(ToString::to_string).collect())
        }
        NameKind::Tasks => instructions(&session, request, InstructionKind::Task),
        NameKind::Flows => instructions(&session, request, InstructionKind::Flow),
        NameKind::Teams => Ok(session.workspace().overlay_names("teams")),
        NameKind::Workflows => Ok(session.workspace().overlay_names("workflows")),
        NameKind::Layers => Ok(layers(&mut session.workspace())),
        NameKind::Models => Ok(session.workspace().config.models.0.into_keys().collect()),
        NameKind::Rules | NameKind::Schemas => Ok(Vec::new()),
    }
}

/// As `faber new overlay --layer` takes them.
fn layers(workspace: &mut Workspace) -> Vec<String> {
    let mut found = vec!["organization".to_owned()];
    found.extend(workspace.role_names().into_iter().map(|name| format!("roles/{name}")));
    for folder in ["platforms", "teams", "users", "workflows"] {
        let names = workspace.overlay_names(folder).into_iter();
        found.extend(names.map(|name| format!("{folder}/{name}")));
    }
    found
}

fn instructions(
    session: &Session,
    request: &NameRequest,
    kind: InstructionKind,
) -> Result<Vec<String>, Error> {
    let ResolvedView { mut workspace, resolved } =
        session.view(&Viewer::new(request.role.clone(), None))?;
    let pack = &resolved.pack;
    let mut found = workspace.tasks_and_flows(pack.lineage.as_ref(), &pack.view);
    found.retain(|it| it.kind == kind);
    Ok(found.into_iter().map(|it| it.name).collect())
}
