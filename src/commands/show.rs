//! `faber show`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, Show};
use crate::commands::command_log::{CommandCall, RunningCommand};
use faber_core::context_id::ContextId;
use faber_core::error::Error;
use faber_core::layer::LayerKind;
use faber_core::line::Line;
use faber_core::resolve::catalog::Context;
use faber_core::resolve::origin;
use faber_core::source::SourceMap;
use faber_core::tokens;
use faber_core::workspace::Viewer;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::audit::AnswerTrace;
use faber_session::session::Session;

/// `faber show --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShowData {
    /// `faber.show/1`.
    pub schema: &'static str,
    /// The context.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// Its text.
    pub text: String,
    /// Where each line of `text` comes from.
    pub lines: Vec<LineData>,
    /// Its front matter, merged.
    pub front_matter: serde_json::Value,
}

/// The origin of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineData {
    /// The file, from the workspace root.
    pub path: String,
    /// The line there, from 1.
    pub line: usize,
    /// The layer of that file.
    pub layer: LayerKind,
}

/// # Errors
///
/// For an unknown context; errors of opening a workspace.
pub fn run(args: &Show, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let viewer = Viewer::new(args.role.clone(), args.view.platform.clone());
    let command = RunningCommand::begin("show", streams.settings);
    let session = Session::open(streams.settings)?;
    let view = session.view(&viewer)?;
    let context = view.context(&args.context).map_err(|error| suggest_expand(error, &args.context));
    let context = context.inspect_err(|_| streams.eprint_findings(&view.workspace))?;
    let sources = &view.workspace.sources;
    let lines = context.body.lines(sources);
    let own = context.sources.iter().map(|source| source.file);
    let files = own.chain(lines.iter().map(|line| line.origin.file)).collect();
    streams.eprint_findings_in(&files, &view.workspace);
    match (args.format, args.blame) {
        (DataFormat::Json, _) => {
            let data = ShowData {
                schema: "faber.show/1",
                id: context.id.clone(),
                text: faber_core::line::join(sources, &lines),
                lines: lines.iter().map(|line| origin(line, context, sources)).collect(),
                front_matter: context.front.node.to_json(),
            };
            streams.print_json(&data)?;
        }
        (DataFormat::Human, false) => streams.print(&faber_core::line::join(sources, &lines))?,
        (DataFormat::Human, true) => streams.print(&blame(&lines, context, sources))?,
    }
    command.log(&session, view.workspace.config.audit, streams, || {
        let mut trace = AnswerTrace::of_tokens(tokens::estimate(context.body.bytes()));
        trace.add(&context.id.to_string(), &context.content_hash(sources), false);
        let arguments = [("id", args.context.clone().into()), ("role", args.role.clone().into())];
        CommandCall::new(arguments, trace)
    });
    Ok(ExitStatus::Done)
}

/// Searches return more than contexts.
fn suggest_expand(error: Error, id: &str) -> Error {
    let is_other = ["@", "task/", "flow/", "history/"].iter().any(|kind| id.starts_with(kind));
    match error {
        Error::Unknown { what, name, .. } if is_other || id.contains('#') => Error::Unknown {
            what,
            name,
            help: format!("`faber expand {id}` prints search results"),
        },
        other => other,
    }
}

fn origin(line: &Line, context: &Context, sources: &SourceMap) -> LineData {
    let (path, number) = line.place(sources);
    LineData {
        path: path.to_string(),
        line: number,
        layer: origin::layer_of(line.origin.file, context, sources),
    }
}

fn blame(lines: &[Line], context: &Context, sources: &SourceMap) -> String {
    let heads: Vec<(String, String)> = lines
        .iter()
        .map(|line| {
            let origin = origin(line, context, sources);
            (origin.layer.name().to_owned(), format!("{}:{}", origin.path, origin.line))
        })
        .collect();
    let widest = |width: fn(&(String, String)) -> usize| heads.iter().map(width).max().unwrap_or(0);
    let layer = widest(|(layer, _)| layer.chars().count());
    let place = widest(|(_, place)| place.chars().count());
    let rows = heads.iter().zip(lines).map(|((of, at), line)| {
        format!("{of:<layer$}  {at:<place$} │ {}", line.text(sources)).trim_end().to_owned() + "\n"
    });
    rows.collect()
}
