//! `faber show`.

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::cli::args::{DataFormat, Show};
use crate::commands::command_log::{CommandCall, RunningCommand};
use crate::commands::job;
use faber_core::category::Category;
use faber_core::context_id::ContextId;
use faber_core::error::Error;
use faber_core::line::Line;
use faber_core::packs::names;
use faber_core::resolve::catalog::Context;
use faber_core::resolve::{origin, tree};
use faber_core::source::SourceMap;
use faber_core::tokens;
use faber_core::workspace::Viewer;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::audit::AnswerTrace;
use faber_session::packs::shown_path;
use faber_session::session::{Session, Workspace};
use faber_tools::explain::data::LineOrigin;

/// `faber show --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShowData {
    /// `faber.show/1`.
    pub schema: &'static str,
    /// The context.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// Its text.
    pub text: String,
    /// Where each line of `text` comes from.
    pub lines: Vec<LineOrigin>,
    /// Its front matter, merged.
    pub front_matter: serde_json::Value,
}

pub(crate) fn run(args: &Show, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let viewer = Viewer::new(args.role.clone(), args.data.view.platform.clone());
    let command = RunningCommand::begin("show", streams.settings);
    let session = Session::open(streams.settings)?;
    let view = streams.view(&session, &viewer)?;
    let context = view
        .context(&args.context)
        .map_err(|error| suggest(error, &args.context, &view.workspace.role_names()))
        .map_err(job::suggest_view);
    let context = context.inspect_err(|_| streams.eprint_findings(&view.workspace))?;
    let sources = &view.workspace.sources;
    let lines = context.body.lines(sources);
    let lines = section(&args.context, lines, sources)
        .inspect_err(|_| streams.eprint_findings(&view.workspace))?;
    let own = context.sources.iter().map(|source| source.file);
    let files = own.chain(lines.iter().map(|line| line.origin.file)).collect();
    streams.eprint_findings_in(&files, &view.workspace);
    match (args.data.format, args.blame) {
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
        (DataFormat::Human, false) => {
            streams.print_text(&faber_core::line::join(sources, &lines))?;
        }
        (DataFormat::Human, true) => {
            let width = streams.settings.stdout_width;
            streams.print_text(&blame(&lines, context, &view.workspace, width))?;
        }
    }
    command.log(&session, view.workspace.config.audit, streams, || {
        let mut trace = AnswerTrace::of_tokens(tokens::estimate(context.body.bytes()));
        trace.add(&context.id.to_string(), &context.content_hash(sources), false);
        let arguments = [("id", args.context.clone().into()), ("role", args.role.clone().into())];
        CommandCall::new(arguments, trace)
    });
    Ok(ExitStatus::Done)
}

fn section(name: &str, lines: Vec<Line>, sources: &SourceMap) -> Result<Vec<Line>, Error> {
    let Some((context, anchor)) = name.split_once('#').filter(|(_, anchor)| !anchor.is_empty())
    else {
        return Ok(lines);
    };
    let section = tree::section_of_id(sources, &lines, anchor);
    section.map(<[Line]>::to_vec).ok_or_else(|| Error::Unknown {
        what: "section",
        name: name.to_owned(),
        help: format!("`faber show {context}` prints all sections"),
    })
}

/// Searches return more than contexts.
fn suggest(error: Error, id: &str, roles: &[String]) -> Error {
    let is_other = ["@", "task/", "flow/", "history/"].iter().any(|kind| id.starts_with(kind));
    let local = names::qualified(id).map_or(id, |(_, local)| local);
    let category = local.split_once('/').and_then(|(category, _)| Category::from_name(category));
    let is_part = category.is_some() && (id.contains('#') || id.strip_suffix(".md").is_some());
    match error {
        Error::Unknown { .. } if roles.iter().any(|role| role == id) => Error::usage(
            format!("`{id}` is a role, not a context"),
            format!("`faber assemble {id}` prints its prompt and contexts"),
        ),
        Error::Unknown { what, name, .. } if is_other || is_part => Error::Unknown {
            what,
            name,
            help: format!("`faber expand {id}` prints search results"),
        },
        other => other,
    }
}

fn origin(line: &Line, context: &Context, sources: &SourceMap) -> LineOrigin {
    let (path, number) = line.place(sources);
    LineOrigin {
        path: path.to_string(),
        line: number,
        layer: origin::layer_of(line.origin.file, context, sources),
    }
}

/// If a row is wider than `width`, the file is a heading of its lines.
fn blame(lines: &[Line], context: &Context, workspace: &Workspace, width: Option<usize>) -> String {
    let sources = &workspace.sources;
    let heads: Vec<(&str, String, usize)> = lines
        .iter()
        .map(|line| {
            let LineOrigin { path, line, layer } = origin(line, context, sources);
            (layer.name(), shown_path(workspace, Utf8Path::new(&path)), line)
        })
        .collect();
    let layer = heads.iter().map(|(layer, ..)| layer.width()).max().unwrap_or(0);
    let place = |path: &str, line: usize| format!("{path}:{line}");
    let places = heads.iter().map(|(_, path, line)| place(path, *line).width()).max().unwrap_or(0);
    let rows = heads.iter().zip(lines).map(|((of, path, number), line)| {
        let (at, text) = (place(path, *number), line.text(sources));
        format!("{of:<layer$}  {at:<places$} │ {text}").trim_end().to_owned() + "\n"
    });
    let rows: Vec<String> = rows.collect();
    if width.is_none_or(|width| rows.iter().all(|row| row.width() <= width)) {
        return rows.concat();
    }
    let (mut out, mut last) = (String::new(), None);
    for ((of, path, number), line) in heads.iter().zip(lines) {
        if last != Some((of, path)) {
            out.extend([*of, "  ", path, "\n"]);
            last = Some((of, path));
        }
        out += &(format!("{number:>5} │ {}", line.text(sources)).trim_end().to_owned() + "\n");
    }
    out
}
