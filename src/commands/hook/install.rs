//! `faber hook install` and `uninstall`.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::cli::args::{HookInstall, HookUninstall};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::packs::CONFIG;
use faber_core::world::Unreadable;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::{counted, unified_diff};
use faber_server::hook::client::{Client, ClientRow, EventRow, HookScope};
use faber_server::hook::hook_file::{self, FileProblem};
use faber_session::discover::atomic::Writer;
use faber_session::discover::files::{Files, is_file, real_file, real_place};
use faber_session::discover::foreign::is_folder;
use faber_session::discover::root;
use faber_session::session::Session;
use faber_session::settings::Settings;

pub(super) struct HookPlace {
    /// The project, or a home folder.
    root: Utf8PathBuf,
    path: Utf8PathBuf,
    pub(super) shown: String,
    /// A link to the user's JSON is emptied, not removed.
    is_link: bool,
}

impl HookPlace {
    pub(super) fn find(
        client: Client,
        scope: HookScope,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let row = client.row();
        let path = row.file(scope).ok_or_else(|| {
            let scopes: Vec<&str> = row.files.iter().map(|(scope, _)| scope.name()).collect();
            let message = format!("{} has no hook file for `{}`", row.title, scope.name());
            Error::usage(message, format!("use `--scope {}`", scopes.join("` or `--scope ")))
        })?;
        if scope != HookScope::User {
            let root = root::find(&settings.start)?;
            let is_link = is_link(&real_place(&root.join(path)));
            return Ok(Self { root, path: path.into(), shown: path.to_owned(), is_link });
        }
        let home = settings.home.as_deref().filter(|home| home.is_absolute());
        let folder = |name: &str| settings.var(name).map(|folder| settings.cwd.join(folder));
        let (folder, path) = row
            .user_file(home, folder)
            .ok_or_else(|| Error::usage("cannot determine the home directory", "set `HOME`"))?;
        let shown = match home {
            Some(home) if folder == home => format!("~/{path}"),
            _ => folder.join(path).into_string(),
        };
        // Some users link their settings into a repository.
        let place = real_place(&folder.join(path));
        let (real, is_link) = (real_file(&place), is_link(&place));
        let (root, path) = match (real.parent(), real.file_name()) {
            (Some(parent), Some(name)) if is_folder(parent) => (parent.to_owned(), name.into()),
            _ => (real_file(&folder), path.into()),
        };
        Ok(Self { root, path, shown, is_link })
    }

    pub(super) fn read(&self) -> Result<Option<String>, Error> {
        match Files::new(&self.root).read(&self.path) {
            Ok(text) => Ok(Some(text.to_string())),
            Err(Unreadable::Missing) => Ok(None),
            Err(trouble) => {
                let place = self.root.join(&self.path);
                let message = format!("cannot read `{place}`: {trouble}");
                Err(Error::usage(message, format!("repair or remove `{}`", self.shown)))
            }
        }
    }

    fn write(&self, before: Option<&str>, after: Option<&str>) -> Result<(), Error> {
        let (before, after) = (before.map(str::as_bytes), after.map(str::as_bytes));
        let writer = Writer::new(&self.root);
        let replaced = writer.change(&self.path, before, after)?;
        if after.is_none() {
            writer.remove_empty(&self.path, Utf8Path::new(""));
        }
        replaced.written(self.shown.as_str().into())
    }

    fn unusable(&self, problem: &FileProblem) -> Error {
        Error::usage(
            format!("`{}` cannot be changed: {}", self.shown, problem),
            "nothing was written; fix the file",
        )
    }
}

fn is_link(place: &Utf8Path) -> bool {
    real_file(place) != place && place.extension() == Some("json")
}

fn events(args: &HookInstall, row: &'static ClientRow) -> Result<Vec<&'static EventRow>, Error> {
    if args.events.is_empty() {
        return Ok(row.events.iter().filter(|event| event.is_default).collect());
    }
    let mut events = Vec::new();
    for kind in &args.events {
        let of_kind = || row.events.iter().filter(|event| event.kind == *kind);
        let event = of_kind().find(|event| event.is_default).or_else(|| of_kind().next());
        events.push(event.ok_or_else(|| {
            let message = format!("{} has no event for `{}`", row.title, kind.name());
            Error::usage(message, "remove it from `--events`")
        })?);
    }
    let mut seen = BTreeSet::new();
    events.retain(|event: &&EventRow| seen.insert(event.name));
    Ok(events)
}

pub(super) fn install(args: &HookInstall, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let row = args.client.row();
    let place = HookPlace::find(args.client, args.scope, streams.settings)?;
    let events = events(args, row)?;
    let before = place.read()?;
    let old = before.as_deref().unwrap_or_default();
    let after =
        hook_file::installed(old, row, &events).map_err(|problem| place.unusable(&problem))?;
    if before.is_some() && after == old {
        streams.print(&format!("`{}` is up to date\n", place.shown))?;
        streams.note(&warnings(args.scope, streams.settings));
        return Ok(ExitStatus::Done);
    }
    if args.check || args.dry_run {
        streams.print(&unified_diff(old, &after, &place.shown, "with faber"))?;
        return Ok(if args.check { ExitStatus::Findings } else { ExitStatus::Done });
    }
    place.write(before.as_deref(), Some(&after))?;
    let count = counted(events.len(), "hook");
    streams.print(&format!("installed {count} for {} in `{}`\n", row.title, place.shown))?;
    if args.scope != HookScope::User {
        streams.note(&format!("{}\n", row.trust));
    }
    streams.note(&warnings(args.scope, streams.settings));
    Ok(ExitStatus::Done)
}

/// Why the hooks would have no effect.
fn warnings(scope: HookScope, settings: &Settings) -> String {
    missing_program(settings) + &missing_role(scope, settings)
}

/// The commands of hooks, which are the same for all users, name no folder.
pub(super) fn missing_program(settings: &Settings) -> String {
    let name = format!("faber{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::split_paths(settings.var("PATH").unwrap_or_default());
    let mut programs = folders.filter_map(|folder| folder.join(&name).try_into().ok());
    if programs.any(|program: Utf8PathBuf| is_file(&program)) {
        return String::new();
    }
    "warning: `faber` is not on `PATH`; hooks have no effect until it is\n".to_owned()
}

/// Hooks do not know which role applies. A user's hooks run in any workspace.
fn missing_role(scope: HookScope, settings: &Settings) -> String {
    let Ok(session) = Session::open(settings) else { return String::new() };
    let workspace = session.workspace();
    let roles = workspace.role_names();
    if scope == HookScope::User || roles.len() < 2 || workspace.config.settings.role.is_some() {
        return String::new();
    }
    let roles = Visible(&roles.join(", ")).to_string();
    format!(
        "warning: hooks give nothing until `settings.role` in `{CONFIG}` names one of the roles: {roles}\n"
    )
}

pub(super) fn uninstall(
    args: &HookUninstall,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let row = args.client.row();
    let place = HookPlace::find(args.client, args.scope, streams.settings)?;
    let before = place.read()?;
    let old = before.as_deref().unwrap_or_default();
    let after = if old.trim().is_empty() {
        before.clone()
    } else {
        let rest = hook_file::uninstalled(old, row).map_err(|problem| place.unusable(&problem))?;
        rest.or_else(|| place.is_link.then(|| "{}\n".to_owned()))
    };
    if before == after {
        streams.print(&format!("`{}` has no hooks of faber\n", place.shown))?;
        return Ok(ExitStatus::Done);
    }
    if args.dry_run {
        let new = after.as_deref().unwrap_or_default();
        streams.print(&unified_diff(old, new, &place.shown, "without faber"))?;
        return Ok(ExitStatus::Done);
    }
    place.write(before.as_deref(), after.as_deref())?;
    streams.print(&match after {
        None => format!("removed `{}`: it had only faber's hooks\n", place.shown),
        Some(_) => format!("removed faber's hooks from `{}`\n", place.shown),
    })?;
    Ok(ExitStatus::Done)
}
