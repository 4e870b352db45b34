//! `faber graph`.

use crate::cli::args::{Graph, GraphFormat};
use crate::picture::{self, Page};
use faber_core::assemble::Resolved;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams, json};
use faber_session::settings::{Settings, Verbosity};
use faber_session::workspace::Workspace;
use faber_tools::graph::data::GraphData;
use faber_tools::graph::{Collector, Seen, dot, mermaid, near};

/// Runs it.
///
/// # Errors
///
/// An unknown role or focus, and what opening a workspace and writing the file can fail with.
pub fn run(
    args: &Graph,
    settings: &Settings,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let mut workspace = Workspace::open(settings)?;
    let whole = graph(args, &mut workspace, settings)?;
    streams.say_findings(&workspace, settings);
    let (focus, graph) = match &args.focus {
        Some(name) => {
            let focus = near::find(&whole, name)?;
            let near = near::near(whole, &focus, args.depth);
            (Some(focus), near)
        }
        None => (None, whole),
    };
    let text = match args.format {
        GraphFormat::Mermaid => mermaid::mermaid(&graph),
        GraphFormat::Dot => dot::dot(&graph),
        GraphFormat::Json => json(&graph),
        GraphFormat::Html => picture::page(&Page::of_graph(&graph, focus)),
    };
    let is_much = args.format == GraphFormat::Mermaid && graph.edges.len() > mermaid::MOST_EDGES;
    if is_much && settings.verbosity > Verbosity::Quiet {
        let (edges, most) = (graph.edges.len(), mermaid::MOST_EDGES);
        streams.say(&format!(
            "{edges} edges: Mermaid draws {most} unless `maxEdges` allows more; `--focus ID` has fewer\n"
        ));
    }
    streams.deliver(args.output.as_deref(), &text, settings)?;
    Ok(ExitStatus::Done)
}

/// The graph of the role that is asked for, or of all roles.
fn graph(args: &Graph, workspace: &mut Workspace, settings: &Settings) -> Result<GraphData, Error> {
    let role = match &args.role {
        Some(role) => Some(role.clone()),
        None => workspace.role_name(None).ok(),
    };
    let mut collector = Collector::default();
    add(&mut collector, workspace, (role.as_deref(), None), (args, settings))?;
    if role.is_none() {
        for name in workspace.role_names() {
            // A role that cannot be read hides nothing of the others, and is a finding.
            let among = (Some(&*name), Some(&*name));
            let _ = add(&mut collector, workspace, among, (args, settings));
        }
    }
    Ok(collector.finish(role))
}

fn add(
    collector: &mut Collector,
    workspace: &mut Workspace,
    (role, among): (Option<&str>, Option<&str>),
    (args, settings): (&Graph, &Settings),
) -> Result<(), Error> {
    let pack = workspace.pack(role, args.view.platform.as_deref(), settings)?;
    let told = workspace.told(pack.lineage.as_ref(), &pack.view);
    let mut found = Vec::new();
    let resolved = Resolved::new(&workspace.sources, workspace.role_homes(), &pack, &mut found);
    let read = resolved.read(&workspace.sources, &pack, None, false).drain_into(&mut found);
    let declared = resolved.declared(&workspace.sources, &pack, &read.prompt.rules, true);
    workspace.found.extend(found);
    let role_homes = workspace.role_homes();
    let seen = Seen {
        sources: &workspace.sources,
        pack: &pack,
        catalog: &resolved.catalog,
        declared: &declared,
        told: &told,
        role_homes: &role_homes,
    };
    collector.add(&seen, among);
    Ok(())
}
