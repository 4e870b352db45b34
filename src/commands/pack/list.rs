//! `faber pack list` and `outdated`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::PackFormat;
use crate::commands::list::table;
use crate::commands::output;
use faber_core::error::Error;
use faber_core::packs::lock::LockedPack;
use faber_core::packs::{self, DeclaredPack, MountedPack, PackSource, Trust};
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::files::Files;
use faber_session::packs::config_files::read_lock;
use faber_session::packs::fetch::Fetcher;
use faber_session::packs::home::PackHome;
use faber_session::packs::mount::version;

/// `faber pack list --format json`, and `outdated`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackListData {
    /// `faber.packs/1`.
    pub schema: &'static str,
    /// By name.
    pub packs: Vec<PackData>,
}

/// A declared pack.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackData {
    /// Its name in `packs`.
    pub name: String,
    /// Its address or folder.
    pub source: String,
    /// Its folder in the repository; none for the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the user's own configuration has it.
    pub user: bool,
    /// The ref and commit that faber.lock has; none for a folder, and for what is not locked.
    pub version: Option<String>,
    /// The ref that faber.lock has; none for the default branch.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The commit that faber.lock has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The commit that the ref names now, when that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// Its tag, when the ref is a range of versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_version: Option<String>,
    /// Why the ref does not lead to the commit of faber.lock any more, such as a moved tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<String>,
    /// Whether its files are part of the workspace.
    pub available: bool,
    /// The folder of its files, if that is in the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether its `required` and `sealed` have an effect.
    pub trusted: bool,
}

pub(crate) fn list(args: &PackFormat, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let home = PackHome::open(streams.settings, args.whose.user)?;
    let data = PackListData { schema: "faber.packs/1", packs: rows(&home, streams) };
    output::print_or(&data, args.format, streams, human, "no packs declared\n")
}

pub(crate) fn outdated(args: &PackFormat, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let home = PackHome::open(streams.settings, args.whose.user)?;
    let fetcher = Fetcher::new(&home)?;
    let declared = home.declared();
    let lock = home.lock()?;
    let (mut packs, mut is_any) = (Vec::new(), false);
    for mut row in rows(&home, streams).into_iter().filter(|row| row.user == home.is_users) {
        let locked = lock.packs.get(&row.name);
        let pack = declared.packs.iter().find(|pack| pack.name.value == row.name);
        // Packs of packs are only in the lock.
        let source = pack.map(|pack| pack.source.clone());
        let Some(source) = source.or_else(|| locked.map(LockedPack::declared)) else { continue };
        is_any = true;
        let newest = fetcher.newest(&declared, &source, locked)?;
        if newest.is_some() && newest.as_ref() != locked.map(|locked| &locked.commit) {
            row.version = locked.map(|locked| fetcher.version(locked));
            row.newest_version = newest.as_ref().and_then(|newest| fetcher.tag(newest));
            row.newest = newest;
            row.moved = locked.and_then(|locked| fetcher.moved(locked));
            packs.push(row);
        }
    }
    let status = if packs.is_empty() { ExitStatus::Done } else { ExitStatus::Findings };
    let nothing = "no packs outdated\n".to_owned();
    let nothing = if is_any { nothing } else { super::none_declared(&home) };
    let data = PackListData { schema: "faber.packs/1", packs };
    output::print_or(&data, args.format, streams, human, &nothing)?;
    Ok(status)
}

fn rows(home: &PackHome, streams: &mut Streams<'_>) -> Vec<PackData> {
    let session = &home.session;
    let mut workspace = session.workspace();
    let all = workspace.declared_packs();
    let declared = if home.is_users { home.declared() } else { all };
    streams.eprint_findings(&workspace);
    let mut rows: Vec<PackData> = Vec::new();
    for is_users in [false, true] {
        let is_left_out = is_users && session.settings().no_user;
        if is_left_out || (home.is_users && !is_users) {
            continue;
        }
        let lock = read_lock(session.files(), session.settings(), is_users).unwrap_or_default();
        let mounted = |name: &str| {
            workspace.packs.iter().find(|pack| pack.name == name && pack.is_users == is_users)
        };
        let row = |name: &str, source: &PackSource, locked: Option<&LockedPack>| PackData {
            name: name.to_owned(),
            source: source.address().to_owned(),
            path: match source {
                PackSource::Git { path, .. } if path != "" => Some(path.to_string()),
                _ => None,
            },
            user: is_users,
            version: locked.map(version),
            reference: locked.map(|it| it.reference.clone()).filter(|it| !it.is_empty()),
            commit: locked.map(|locked| locked.commit.clone()),
            newest: None,
            newest_version: None,
            moved: None,
            available: mounted(name).is_some(),
            folder: mounted(name).and_then(|pack| folder(&workspace.files, pack)),
            trusted: mounted(name).is_some_and(|pack| pack.trust == Trust::Given),
        };
        let declared = declared.packs.iter().filter(|pack| pack.is_users == is_users);
        let declared: Vec<&DeclaredPack> = declared.collect();
        rows.extend(declared.iter().map(|pack| {
            let is_folder = matches!(pack.source, PackSource::Folder(_));
            let locked = lock.packs.get(&pack.name.value).filter(|_| !is_folder);
            row(&pack.name.value, &pack.source, locked)
        }));
        let is_nested = |name: &str| declared.iter().all(|pack| pack.name.value != name);
        let nested = lock.packs.iter().filter(|(name, _)| is_nested(name));
        rows.extend(nested.map(|(name, locked)| row(name, &locked.declared(), Some(locked))));
    }
    rows.sort_by(|a, b| (&a.name, a.user).cmp(&(&b.name, b.user)));
    rows
}

fn folder(files: &Files, pack: &MountedPack) -> Option<String> {
    let folder = pack.folder();
    let place = files.place(&folder);
    let below = place.strip_prefix(files.root()).ok()?;
    Some(below.as_str().trim_end_matches('/').to_owned())
}

fn human(data: &PackListData) -> String {
    let row = |pack: &PackData| {
        let newest = pack.newest.as_ref().map(|newest| newest.get(..12).unwrap_or(newest));
        let newest = newest.map(|newest| match &pack.newest_version {
            Some(tag) => format!("→ {tag} ({newest})"),
            None => format!("→ {newest}"),
        });
        let state = match (pack.available, pack.trusted, pack.user) {
            (false, _, _) => "not available",
            (true, true, false) => "",
            (true, true, true) => "user",
            (true, false, _) => "not trusted",
        };
        let version =
            [pack.version.clone(), newest].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let is_vendored = pack.folder.as_deref() == Some(packs::folder(&pack.name).as_str());
        let vendored = if is_vendored { "vendored" } else { "" };
        let state = [state, vendored, pack.moved.as_deref().unwrap_or_default()];
        let state = state.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(", ");
        let path = pack.path.as_ref().map(|path| format!(", {path}")).unwrap_or_default();
        vec![pack.name.clone(), version, state, format!("{}{path}", pack.source)]
    };
    let rows: Vec<Vec<String>> = data.packs.iter().map(row).collect();
    table(&["pack", "version", "state", "source"], rows, None)
}
