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
    let session = || {
        let root = request.root.as_ref().map(|root| settings.cwd.join(root));
        let start = root.unwrap_or_else(|| settings.start.clone());
        Session::open(&Settings { start, ..settings.clone() })
    };
    let view = || session()?.view(&Viewer::new(request.role.clone(), None));
    Ok(match request.names {
        NameKind::Rules => RULES.iter().map(|rule| rule.code.to_owned()).collect(),
        NameKind::Schemas => super::schema::names().map(str::to_owned).collect(),
        NameKind::Roles => session()?.workspace().role_names(),
        NameKind::Contexts => {
            view()?.resolved.catalog.contexts.keys().map(ToString::to_string).collect()
        }
        NameKind::Tasks => instructions(view()?, InstructionKind::Task),
        NameKind::Flows => instructions(view()?, InstructionKind::Flow),
        NameKind::Teams => session()?.workspace().overlay_names("teams"),
        NameKind::Workflows => session()?.workspace().overlay_names("workflows"),
        NameKind::Layers => layers(&mut session()?.workspace()),
        NameKind::Models => session()?.workspace().config.models.0.into_keys().collect(),
    })
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

fn instructions(mut view: ResolvedView, kind: InstructionKind) -> Vec<String> {
    let pack = &view.resolved.pack;
    let found = view.workspace.tasks_and_flows(pack.lineage.as_ref(), &pack.view).into_iter();
    found.filter(|it| it.kind == kind).map(|it| it.name).collect()
}
