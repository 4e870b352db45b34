//! `faber init`.

use camino::{Utf8Path, Utf8PathBuf};

use crate::cli::args::Init;
use crate::commands::{import, template};
use faber_core::error::{Error, reason};
use faber_core::packs::CONFIG;
use faber_core::paths::lexical;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::atomic::Writer;
use faber_session::discover::root::{self, MARKER};
use faber_session::discover::{files, foreign};
use faber_session::session::Session;
use faber_session::settings::{Settings, Verbosity};
use faber_tools::exchange::format::places;

pub(crate) fn run(args: &Init, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let root = match &args.directory {
        Some(directory) => settings.start.join(directory),
        None => settings.start.clone(),
    };
    let folder = format!("workspaces/{}", args.template);
    let files = template::below(&folder);
    if files.is_empty() {
        return Err(Error::unknown("template", &args.template, template::folders("workspaces")));
    }
    if files::is_file(&root.join(CONFIG)) {
        return Err(Error::usage(
            format!("`{root}` is already a workspace"),
            "use `faber new` to add to it",
        ));
    }
    let around = workspace_around(&root, settings)?;
    let (mut created, mut kept) = (Vec::new(), Vec::new());
    let writer = Writer::new(&root);
    let fail = |error: Error| match error {
        Error::Io { source, .. } if !files::path_exists(&root) => {
            let message = format!("cannot create `{root}`: {}", reason(&source));
            Error::usage(message, "choose another directory")
        }
        other => other,
    };
    for (path, _) in &files {
        writer.entry(path.as_ref()).map_err(fail)?;
    }
    // Last, so that an interrupted run can be repeated.
    let (last, first): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| *path == CONFIG);
    for (path, text) in first.into_iter().chain(last) {
        match writer.create(path.into(), text) {
            Ok(()) => created.push(format!("create  {path}\n")),
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {
                kept.push(Utf8PathBuf::from(path));
            }
            Err(error) => {
                streams.print(&created.concat())?;
                return Err(fail(error));
            }
        }
    }
    if settings.verbosity > Verbosity::Quiet {
        streams.print(&created.concat())?;
    }
    for path in kept {
        streams.note(&format!("note: {path} already exists; not changed\n"));
    }
    if let Some(around) = around {
        streams.note(&format!("note: this workspace is inside the workspace `{around}`\n"));
    }
    let shown = root.strip_prefix(&settings.cwd).unwrap_or(&root);
    let is_plain = |c: char| c.is_alphanumeric() || "_-./\\:".contains(c);
    let place = match shown.as_str() {
        "" => String::new(),
        path if path.chars().all(is_plain) => format!(" -C {path}"),
        path => format!(" -C \"{path}\""),
    };
    streams.note(&format!(
        "\nnext: faber{place} assemble assistant --request \"Explain this repository\"\n"
    ));
    let rules = places().into_iter().filter(|path| files::path_exists(&root.join(path)));
    let rules: Vec<String> = rules.map(|path| format!("`{path}`")).collect();
    if !rules.is_empty() {
        let path = if place.is_empty() { "." } else { place.trim_start_matches(" -C ") };
        let rules = rules.join(", ");
        streams.note(&format!("to use {rules}: faber{place} import {path}\n"));
    }
    Ok(ExitStatus::Done)
}

fn workspace_around(folder: &Utf8Path, settings: &Settings) -> Result<Option<Utf8PathBuf>, Error> {
    let place = foreign::resolved(&lexical(folder));
    let Ok(root) = root::find(&foreign::existing(&place)) else { return Ok(None) };
    let Some(below) = place.strip_prefix(&root).ok().filter(|below| !below.as_str().is_empty())
    else {
        return Ok(None);
    };
    let layers = Session::open(&Settings { start: root.clone(), ..settings.clone() })?
        .workspace()
        .survey()
        .layers;
    let layers = layers.into_iter().map(|layer| layer.folder).filter(|it| !it.as_str().is_empty());
    let mut read = layers.chain([import::home(&root).join("contexts"), MARKER.into()]);
    match read.find(|layer| below.starts_with(layer)) {
        Some(layer) => Err(Error::usage(
            format!("`{layer}` belongs to the workspace `{root}`"),
            "use `faber new` to add to it, or create the new workspace in another directory",
        )),
        None => Ok(Some(root)),
    }
}
