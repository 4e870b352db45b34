//! `faber pack list` and `outdated`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, PackFormat};
use faber_core::error::Error;
use faber_core::packs::PackSource;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::{self, Column};
use faber_session::packs::fetch::{Fetcher, place};
use faber_session::packs::mount::{read_lock, version};
use faber_session::session::Session;

/// `faber pack list --format json`, and `outdated`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackListData {
    /// `faber.packs/1`.
    pub schema: &'static str,
    /// By name.
    pub packs: Vec<PackData>,
}

/// A declared pack.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackData {
    /// Its name in `packs`.
    pub name: String,
    /// Its address or folder.
    pub source: String,
    /// The ref and commit that faber.lock has; none for a folder, and for what is not locked.
    pub version: Option<String>,
    /// The commit that the ref names now, when that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// Whether its files are part of the workspace.
    pub available: bool,
    /// Whether its `required` and `sealed` count.
    pub trusted: bool,
}

/// Lists the packs.
///
/// # Errors
///
/// What opening a workspace can fail with.
pub fn list(args: &PackFormat, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let data = PackListData { schema: "faber.packs/1", packs: rows(&session, streams) };
    print(&data, args.format, streams)?;
    Ok(ExitStatus::Done)
}

/// Lists the packs whose refs name another commit than the lock; exit status 1 if there are some.
///
/// # Errors
///
/// When a remote cannot be asked.
pub fn outdated(args: &PackFormat, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let fetcher = Fetcher::new(&session)?;
    let declared = session.workspace().declared_packs();
    let lock = read_lock(session.files()).unwrap_or_default();
    let mut packs = Vec::new();
    for mut row in rows(&session, streams) {
        let Some(pack) = declared.packs.iter().find(|pack| pack.name.value == row.name) else {
            continue;
        };
        let newest = fetcher.newest(&declared, pack)?;
        let known = lock.packs.get(&row.name).map(|locked| &locked.commit);
        if newest.is_some() && newest.as_ref() != known {
            row.newest = newest;
            packs.push(row);
        }
    }
    let status = if packs.is_empty() { ExitStatus::Done } else { ExitStatus::Findings };
    print(&PackListData { schema: "faber.packs/1", packs }, args.format, streams)?;
    Ok(status)
}

fn rows(session: &Session, streams: &mut Streams<'_>) -> Vec<PackData> {
    let mut workspace = session.workspace();
    let declared = workspace.declared_packs();
    let lock = read_lock(&workspace.files).unwrap_or_default();
    streams.say_findings(&workspace);
    let mounted = |name: &str| workspace.packs.iter().find(|pack| pack.name == name);
    let mut rows: Vec<PackData> = declared
        .packs
        .iter()
        .map(|pack| {
            let name = &pack.name.value;
            let is_folder = matches!(pack.source, PackSource::Folder(_));
            let locked = lock.packs.get(name).filter(|_| !is_folder);
            let mounted = mounted(name);
            PackData {
                name: name.clone(),
                source: pack.source.address().to_owned(),
                version: locked.map(version),
                newest: None,
                available: mounted.is_some(),
                trusted: mounted.is_some_and(|pack| pack.is_trusted),
            }
        })
        .collect();
    let is_nested = |name: &String| rows.iter().all(|row| row.name != *name);
    let nested: Vec<PackData> = lock
        .packs
        .iter()
        .filter(|(name, _)| is_nested(name))
        .map(|(name, locked)| PackData {
            name: name.clone(),
            source: locked.source.clone(),
            version: Some(version(locked)),
            newest: None,
            available: mounted(name).is_some() && place(session, name, locked).is_some(),
            trusted: mounted(name).is_some_and(|pack| pack.is_trusted),
        })
        .collect();
    rows.extend(nested);
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

fn print(data: &PackListData, format: DataFormat, streams: &mut Streams<'_>) -> Result<(), Error> {
    if format == DataFormat::Json {
        return streams.print_json(data);
    }
    let row = |pack: &PackData| {
        let newest =
            pack.newest.as_ref().map(|newest| format!("→ {}", newest.get(..12).unwrap_or(newest)));
        let state = match (pack.available, pack.trusted) {
            (false, _) => "not available",
            (true, true) => "",
            (true, false) => "not trusted",
        };
        let version =
            [pack.version.clone(), newest].into_iter().flatten().collect::<Vec<_>>().join(" ");
        vec![pack.name.clone(), version, state.to_owned(), pack.source.clone()]
    };
    let rows: Vec<Vec<String>> = data.packs.iter().map(row).collect();
    streams.print(&table::table(&[Column::new(""); 4].map(|column| column), &rows, 0, usize::MAX))
}
