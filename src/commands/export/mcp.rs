//! `faber export mcp`: the MCP servers of a role and platform.

use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::cli::args::Export;
use faber_core::config::Launch;
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::resolve::view::Principal;
use faber_core::rules::{export_conflict, export_omitted};
use faber_core::source::Span;
use faber_core::workspace::Viewer;
use faber_core::world::Unreadable;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::session::{Session, Workspace};
use faber_tools::exchange::mcp::{self, MergedServers, NeededServer};
use faber_tools::exchange::write::carry_out;
use faber_tools::listed_folder::{FileState, HashedFile, PlannedChange};

const FILE: &str = ".mcp.json";

type Servers = Vec<(String, Launch)>;

pub(super) fn run(args: &Export, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let mut workspace = Session::open(settings)?.workspace();
    let (servers, mut found) = servers(args, &mut workspace)
        .inspect_err(|error| streams.eprint_fatal(error, &workspace))?;
    streams.eprint_findings(&workspace);
    let root = workspace.files.root().to_owned();
    let path = match &args.output {
        Some(out) => settings.cwd.join(out),
        None => root.join(FILE),
    };
    let before = match workspace.files.read_elsewhere(&path) {
        Err(Unreadable::Missing) => None,
        Err(_) => Some(workspace.files.read_input(&path)?.into()),
        Ok(text) => Some(text),
    };
    let MergedServers { text: after, conflicts } = mcp::merge(before.as_deref(), &servers)
        .map_err(|why| {
            let message = format!("cannot add servers to `{path}`: {why}");
            Error::usage(message, "repair or remove the file")
        })?;
    let state = match &before {
        None if servers.is_empty() => FileState::Unchanged,
        None => FileState::Created,
        Some(before) if *before != after => FileState::Changed,
        Some(_) if conflicts.is_empty() => FileState::Unchanged,
        Some(_) => FileState::Refused,
    };
    let shown = path.strip_prefix(&root).map_or_else(|_| path.clone(), Utf8Path::to_owned);
    let before = before.map(|text| text.as_bytes().to_vec());
    let after = Some(HashedFile::new(after.into_bytes()));
    let mut changes = vec![PlannedChange { path: shown, before, after, state, why: None }];
    let conflict = |name: &String| {
        let at = Span::start_of(workspace.sources.add_placeholder(&changes[0].path));
        let message = format!("the server `{name}` was not written by faber; not overwritten");
        export_conflict::RULE.at(at, message).help("rename it in the file, or remove it there")
    };
    found.extend(conflicts.iter().map(conflict));
    if servers.is_empty() && state == FileState::Unchanged {
        changes.clear();
    }
    if !args.check && !args.dry_run {
        found.extend(carry_out(&mut changes, &mut workspace));
    }
    super::report(args, &changes, &found, &workspace.sources, streams)
}

/// Shared, so independent of the user.
fn servers(args: &Export, workspace: &mut Workspace) -> Result<(Servers, Vec<Diagnostic>), Error> {
    (workspace.options.no_user, workspace.options.principal) = (true, Some(Principal::default()));
    let viewer = Viewer::new(args.role.clone(), args.data.view.platform.clone());
    let resolved = workspace.resolve(&viewer)?;
    workspace.stop_at(&[])?;
    let (mut servers, mut found) = (BTreeMap::new(), Vec::new());
    for NeededServer { name, at, launch } in mcp::needed(workspace, &resolved) {
        match launch {
            Ok(launch) => {
                servers.insert(name, launch);
            }
            Err(state) => {
                let message = format!("MCP server `{name}` is {state} and not exported");
                let help = "configure it in `mcp_servers` of .faber/config.yml";
                found.push(export_omitted::RULE.at(at, message).help(help));
            }
        }
    }
    Ok((servers.into_iter().collect(), found))
}
