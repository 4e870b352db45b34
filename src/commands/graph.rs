//! `faber graph`.

use camino::Utf8Path;

use crate::cli::args::{Graph, GraphFormat};
use crate::commands::output;
use crate::html_report::{self, Page};
use faber_core::assemble::ResolvedPack;
use faber_core::error::Error;
use faber_core::workspace::Viewer;
use faber_output::streams::{ExitStatus, Streams, json};
use faber_session::session::{Session, Workspace, read_prompt};
use faber_tools::graph::data::GraphData;
use faber_tools::graph::{GraphCollector, GraphInput, dot, mermaid, near};

pub(crate) fn run(args: &Graph, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let format = match args.format {
        Some(format) => format,
        None => by_ending(args.output.as_deref())?,
    };
    let session = Session::open(settings)?;
    let mut workspace = session.workspace();
    let whole = graph(args, &mut workspace, streams)?;
    streams.eprint_findings(&workspace);
    let (focus, graph) = match &args.focus {
        Some(name) => {
            let focus = near::find(&whole, name)?;
            let near = near::near(whole, &focus, args.depth);
            (Some(focus), near)
        }
        None => (None, whole),
    };
    let text = match format {
        GraphFormat::Mermaid => mermaid::mermaid(&graph),
        GraphFormat::Dot => dot::dot(&graph),
        GraphFormat::Json => json(&graph),
        GraphFormat::Html => html_report::page(&Page::of_graph(&graph, focus)),
    };
    let is_much = format == GraphFormat::Mermaid && graph.edges.len() > mermaid::MAX_EDGES;
    if is_much {
        let (edges, limit) = (graph.edges.len(), mermaid::MAX_EDGES);
        streams.note(&format!(
            "{edges} edges; Mermaid draws at most {limit} unless `maxEdges` is higher; `--focus ID` shows fewer\n"
        ));
    }
    if let Some(path) = &args.output {
        output::refuse_source(&settings.cwd.join(path), &workspace, &session)?;
    }
    streams.deliver(args.output.as_deref(), &text)?;
    Ok(ExitStatus::Done)
}

fn by_ending(path: Option<&Utf8Path>) -> Result<GraphFormat, Error> {
    let ending = path.and_then(Utf8Path::extension).map(str::to_ascii_lowercase);
    Ok(match ending.as_deref() {
        Some("html" | "htm") => GraphFormat::Html,
        Some("json") => GraphFormat::Json,
        Some("dot" | "gv") => GraphFormat::Dot,
        Some(image @ ("svg" | "png" | "pdf" | "jpg" | "jpeg" | "gif" | "webp")) => {
            return Err(Error::usage(
                format!("cannot draw a graph as `.{image}`"),
                "use `.mmd`, `.dot`, `.json` or `.html`, or `--format` for text in this file",
            ));
        }
        _ => GraphFormat::Mermaid,
    })
}

fn graph(
    args: &Graph,
    workspace: &mut Workspace,
    streams: &mut Streams<'_>,
) -> Result<GraphData, Error> {
    let viewer = Viewer::new(args.role.clone(), args.view.platform.clone());
    let shared = streams.resolve(workspace, &viewer)?;
    let mut collector = GraphCollector::default();
    add(&mut collector, workspace, &shared, None);
    let role = shared.pack.view.role;
    if role.is_none() {
        for name in workspace.role_names() {
            let viewer = Viewer { role: Some(name.clone()), ..viewer.clone() };
            match streams.resolve(workspace, &viewer) {
                Ok(resolved) => add(&mut collector, workspace, &resolved, Some(&name)),
                Err(error @ Error::Findings { .. }) => return Err(error),
                Err(_) => {}
            }
        }
    }
    Ok(collector.finish(role))
}

/// `among` is the role of the view in a graph of all roles.
fn add(
    collector: &mut GraphCollector,
    workspace: &mut Workspace,
    resolved: &ResolvedPack,
    among: Option<&str>,
) {
    let pack = &resolved.pack;
    let task_files = workspace.tasks_and_flows(pack.lineage.as_ref(), &pack.view);
    let read = read_prompt(workspace, resolved);
    let declared = resolved.declared(&workspace.sources, &read.prompt);
    let role_homes = workspace.role_homes();
    let seen = GraphInput {
        sources: &workspace.sources,
        pack,
        catalog: &resolved.catalog,
        declared: &declared,
        task_files: &task_files,
        role_homes: &role_homes,
    };
    collector.add(&seen, among);
}
