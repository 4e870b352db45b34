//! `faber diff`: the changes by overlays.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, Diff};
use crate::commands::job;
use faber_core::context_id::ContextId;
use faber_core::error::Error;
use faber_core::resolve::catalog::{Body, Context};
use faber_core::resolve::view::Why;
use faber_core::source::{FileId, Span};
use faber_core::workspace::Viewer;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::unified_diff;
use faber_session::session::{ResolvedView, Session};

/// `faber diff --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiffData {
    /// `faber.diff/1`.
    pub schema: &'static str,
    /// The contexts that overlays change.
    pub contexts: Vec<ContextDiff>,
}

/// What the overlays change in one context.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextDiff {
    /// The context.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// The lowest document.
    pub base: String,
    /// The documents that work on it, lowest first.
    pub overlays: Vec<String>,
    /// Text of the base.
    pub before: String,
    /// Text after all layers.
    pub after: String,
    /// The difference in unified form.
    pub unified: String,
}

pub(crate) fn run(args: &Diff, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let mut role = args.role.clone();
    let mut target = Some(args.target.as_str());
    let session = Session::open(settings)?;
    if role.is_none() && session.workspace().role_names().contains(&args.target) {
        role = target.take().map(str::to_owned);
    }
    let view = streams.view(&session, &Viewer::new(role, args.data.view.platform.clone()))?;
    let named = target.map(|name| view.context(name).map_err(job::suggest_view));
    let contexts: Vec<&Context> = match named {
        Some(Ok(context)) => {
            let files = context.sources.iter().map(|source| source.file).collect();
            streams.eprint_findings_in(&files, &view.workspace);
            vec![context]
        }
        other => {
            streams.eprint_findings(&view.workspace);
            other.transpose()?;
            view.resolved.catalog.contexts.values().collect()
        }
    };
    let diffs: Vec<ContextDiff> =
        contexts.iter().filter_map(|context| diff(context, &view)).collect();
    match args.data.format {
        DataFormat::Json => {
            streams.print_json(&DiffData { schema: "faber.diff/1", contexts: diffs })?;
        }
        DataFormat::Human => {
            if diffs.is_empty() {
                let what = if target.is_some() { "" } else { "a context of " };
                streams.note(&format!("no overlay changes {what}`{}`\n", args.target));
            }
            for diff in &diffs {
                streams.print(&colored(&diff.unified, settings.color_stdout))?;
            }
        }
    }
    Ok(ExitStatus::Done)
}

fn diff(context: &Context, view: &ResolvedView) -> Option<ContextDiff> {
    let sources = &view.workspace.sources;
    let base = base_of(context, view)?;
    let document = view.resolved.pack.documents.iter().find(|document| document.file == base)?;
    let body = Span::new(base, document.body.start as usize, sources.get(base).text.len());
    let before = Body::Whole(body).text(sources);
    let after = context.body.text(sources);
    if before == after {
        return None;
    }
    let path = |file: FileId| sources.path(file).to_string();
    let overlays = context.sources.iter().filter(|source| source.file != base);
    let overlays: Vec<String> = overlays.map(|source| path(source.file)).collect();
    let name = format!("{} ({})", context.id, overlays.join(" + "));
    let unified = unified_diff(&before, &after, &path(base), &name);
    Some(ContextDiff { id: context.id.clone(), base: path(base), overlays, before, after, unified })
}

fn base_of(context: &Context, view: &ResolvedView) -> Option<FileId> {
    let resolved = &view.resolved;
    let excluded = resolved.catalog.excluded.iter();
    let overridden = excluded.filter(|it| it.id == context.id && it.why == Why::Overridden);
    let files = overridden.filter_map(|it| view.workspace.sources.find(it.path.as_ref()?));
    let all = files.chain(context.sources.iter().map(|source| source.file));
    let layer = |file: &FileId| {
        let document = resolved.pack.documents.iter().find(|document| document.file == *file);
        document.map(|document| document.layer)
    };
    all.min_by_key(layer)
}

fn colored(unified: &str, color: bool) -> String {
    if !color {
        return unified.to_owned();
    }
    let paint = |line: &str| {
        let code = match line.as_bytes().first() {
            Some(b'+') => "32",
            Some(b'-') => "31",
            Some(b'@') => "36",
            _ => return format!("{line}\n"),
        };
        format!("\u{1b}[{code}m{line}\u{1b}[0m\n")
    };
    unified.lines().map(paint).collect()
}
