//! `faber export`.

mod mcp;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, Export, ExportTarget};
use crate::commands::output;
use faber_core::assemble::insecure::{self, Severities};
use faber_core::category::Load;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::resolve::view::{Principal, View};
use faber_core::rules::secret;
use faber_core::select::choose::load_of;
use faber_core::source::SourceMap;
use faber_core::workspace::Viewer;
use faber_core::{findings, packs, security};
use faber_output::json::{self, FindingData};
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::counted;
use faber_session::session::{Session, Workspace, read_prompt};
use faber_tools::exchange::export::{self, ExportItem};
use faber_tools::exchange::format::{self, Format};
use faber_tools::exchange::piece::Subject;
use faber_tools::exchange::private;
use faber_tools::exchange::source::ExportSource;
use faber_tools::exchange::target::ToolTarget;
use faber_tools::exchange::write::{ExportWriter, carry_out, originals};
use faber_tools::listed_folder::{FileState, PlannedChange};

/// `faber export --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExportData {
    /// `faber.export/1`.
    pub schema: &'static str,
    /// The tool, or `mcp`.
    pub target: &'static str,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The files of the tool, by path.
    pub files: Vec<FileData>,
    /// The parts that the tool cuts or does not support.
    pub findings: Vec<FindingData>,
}

/// A file of the tool.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileData {
    /// Its path from the workspace root.
    pub path: String,
    /// What becomes of it.
    pub state: FileState,
}

pub(crate) fn run(args: &Export, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let ExportTarget::Tool(target) = args.target else {
        return mcp::run(args, streams);
    };
    if args.output.is_some() {
        let message =
            format!("`--output` works only with `mcp`; the paths of {} are fixed", target.name());
        return Err(Error::usage(message, "remove `--output`"));
    }
    let mut workspace = Session::open(settings)?.workspace();
    let read = outgoing(args, &mut workspace);
    let (mut all, view, mut found) =
        read.inspect_err(|error| streams.eprint_fatal(error, &workspace))?;
    all.retain(|item| !is_in_place(target, item, &workspace.sources));
    streams.eprint_findings(&workspace);
    let role_root = all.first().filter(|out| matches!(out.piece.subject, Subject::Role(_)));
    let role_root = role_root.and_then(|out| out.path.parent()).map(Utf8Path::to_owned);
    let homes = workspace.role_homes();
    let files = ExportSource { files: &workspace.files, role_root, homes, view: &view };
    let ids = all.iter().map(|out| (out.piece.subject.to_string(), out.piece.at)).collect();
    let plan = export::plan(target, all, &workspace.sources, &files);
    let secrets = secret_files(plan.copies.values(), &mut workspace);
    let secrets = permitted(args, secrets, &mut workspace);
    found.extend(secrets.inspect_err(|error| streams.eprint_fatal(error, &workspace))?);
    let originals = originals(target, &workspace, settings);
    let mut writer =
        ExportWriter { target, workspace: &mut workspace, ids, originals, found: Vec::new() };
    let mut changes = writer.changes(&plan);
    found.append(&mut writer.found);
    let (dry_run, json) = (args.dry_run, args.data.format == DataFormat::Json);
    let is_reported = |it: &Diagnostic| dry_run || json || it.severity() == Severity::Error;
    let (reported, others): (Vec<_>, Vec<_>) = plan.found.into_iter().partition(is_reported);
    let unreported = others.iter().filter(|it| it.severity() == Severity::Warning).count();
    found.extend(reported);
    if !args.check && !args.dry_run {
        found.extend(carry_out(&mut changes, &mut workspace));
    }
    let sources = &workspace.sources;
    let found = findings::by_place(found, sources);
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    let status = report(args, &changes, &found, sources, streams)?;
    if unreported > 0 {
        let (name, things) = (target.name(), counted(unreported, "part"));
        streams.note(&format!("{things} cut or not supported by {name}; `--dry-run` lists them\n"));
    }
    Ok(status)
}

fn is_in_place(target: ToolTarget, item: &ExportItem, sources: &SourceMap) -> bool {
    let Some(line) = item.lines.first() else { return false };
    let (path, _) = line.place(sources);
    let is_made = item.path.starts_with(packs::FOLDER) && !path.starts_with(packs::FOLDER);
    is_made
        && format::recognize(path).is_some_and(|what| match what.format {
            Format::Skills => target.owns(path),
            format => target.reads(format),
        })
}

fn outgoing(
    args: &Export,
    workspace: &mut Workspace,
) -> Result<(Vec<ExportItem>, View, Vec<Diagnostic>), Error> {
    // Files must not depend on user or machine.
    (workspace.options.no_user, workspace.options.principal) = (true, Some(Principal::default()));
    let (role, platform) = (args.role.clone(), args.data.view.platform.clone());
    let resolved = workspace.resolve(&Viewer { role, platform, is_external_output: true })?;
    let pack = &resolved.pack;
    let mut found = private::internal(pack);
    let read = pack.lineage.is_some().then(|| read_prompt(workspace, &resolved));
    workspace.stop_at(&[])?;
    let prompt = pack.lineage.as_ref().zip(read.as_ref());
    let prompt = prompt.filter(|(lineage, _)| {
        let hidden = private::role_stays(lineage, &workspace.sources, &pack.view);
        found.extend(hidden.clone());
        hidden.is_none()
    });
    // Exports have no catalog.
    let prompt = prompt.map(|(lineage, read)| {
        let loads = |id: &ContextId| {
            resolved.catalog.get(id).is_some_and(|context| load_of(context) == Load::Always)
        };
        (lineage, read.prompt.without_satisfied(&workspace.sources, loads))
    });
    let prompt = prompt.as_ref().map(|(lineage, lines)| (*lineage, lines.as_slice()));
    let platform = pack.platform.as_ref();
    let all = export::outgoing(&resolved.catalog, prompt, platform, &workspace.sources);
    let severities = workspace.severities();
    let insecure =
        all.iter().flat_map(|out| insecure(out, &workspace.sources, severities)).collect();
    found.extend(permitted(args, insecure, workspace)?);
    Ok((all, resolved.pack.view, found))
}

fn permitted(
    args: &Export,
    mut insecure: Vec<Diagnostic>,
    workspace: &mut Workspace,
) -> Result<Vec<Diagnostic>, Error> {
    if !args.allow_insecure {
        let refused = workspace.refuse_insecure(&insecure);
        refused.inspect_err(|_| workspace.found.append(&mut insecure))?;
    }
    for found in &mut insecure {
        found.configure(Severity::Warning);
    }
    Ok(insecure)
}

fn insecure(out: &ExportItem, sources: &SourceMap, severities: Severities<'_>) -> Vec<Diagnostic> {
    let fields = faber_core::config::verbatim(&out.piece.extra);
    let about = out.piece.description.as_deref().unwrap_or_default();
    let text = format!("{}\n{about}\n{fields}", faber_core::line::join(sources, &out.lines));
    let mut found = insecure::errors_in(out.piece.at, &text, severities);
    for found in &mut found {
        found.message = format!("`{}`: {}", out.piece.subject, found.message);
    }
    found
}

fn secret_files<'a>(
    copied: impl Iterator<Item = &'a Utf8PathBuf>,
    workspace: &mut Workspace,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for from in copied {
        let Ok(text) = workspace.files.read(from) else { continue };
        let file = workspace.sources.add(from.clone(), text);
        let secrets = security::secrets(file, &workspace.sources.get(file).text);
        found.extend(secrets.into_iter().next().map(|secret| {
            secret::RULE
                .at(secret.primary.span, secret.message)
                .help("the secret is in an exported file; revoke it and remove it")
        }));
    }
    let severities = workspace.severities();
    found.retain_mut(|found| severities.configure(found));
    found
}

fn report(
    args: &Export,
    changes: &[PlannedChange],
    found: &[Diagnostic],
    sources: &SourceMap,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let drifted = changes.iter().any(|change| change.state != FileState::Unchanged);
    let status = output::written(found, args.check && drifted);
    if args.data.format == DataFormat::Json {
        let file = |it: &PlannedChange| FileData { path: it.path.to_string(), state: it.state };
        streams.print_json(&ExportData {
            schema: "faber.export/1",
            target: args.target.name(),
            dry_run: args.dry_run || args.check,
            files: changes.iter().map(file).collect(),
            findings: found.iter().map(|found| json::finding(found, sources)).collect(),
        })?;
        return Ok(status);
    }
    for change in changes {
        if args.check {
            streams.print(&change.difference("exported now"))?;
        } else if let Some(word) = change.state.word(streams.settings.verbosity) {
            streams.print(&format!("{word:<7} {}\n", Visible(change.path.as_str())))?;
        }
    }
    streams.eprint_concise(found, sources);
    let all: Vec<FileState> = changes.iter().map(|change| change.state).collect();
    streams.note(&summary(args, &all));
    Ok(status)
}

fn summary(args: &Export, states: &[FileState]) -> String {
    let count = |state| states.iter().filter(|it| **it == state).count();
    let refused = count(FileState::Refused);
    let differ = states.len() - count(FileState::Unchanged);
    let (name, files) = (args.target.name(), counted(states.len(), "file"));
    let refused_words = if refused > 0 { format!(", {refused} refused") } else { String::new() };
    if states.is_empty() {
        let what = if args.target == ExportTarget::Mcp { "MCP servers" } else { "contexts" };
        return format!("{name}: no {what} to export; nothing to write\n");
    }
    let (count, what) = match (differ, args.check, args.dry_run) {
        (0, ..) => return format!("{name}: {files} up to date\n"),
        (_, true, _) => (differ, "out of date"),
        (_, _, true) => (differ - refused, "to write"),
        _ => (differ - refused, "written"),
    };
    format!("{name}: {count} of {files} {what}{refused_words}\n")
}
