//! `faber pack report`.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::PackReport;
use crate::commands::output;
use faber_core::context_id::ContextId;
use faber_core::document::Document;
use faber_core::error::Error;
use faber_core::layer::LayerKind;
use faber_core::packs::lock::Lock;
use faber_core::packs::{self, DeclaredPack, PackSource};
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::{self, Column};
use faber_output::text::counted;
use faber_session::discover::pack_store::{Extras, damage, is_vendored};
use faber_session::packs::config_files::read_lock;
use faber_session::packs::mount::version;
use faber_session::session::Session;
use faber_session::settings::Settings;

/// `faber pack report --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackReportData {
    /// `faber.pack-report/1`.
    pub schema: &'static str,
    /// The packs of each checkout, as the checkouts were named.
    pub packs: Vec<CheckoutPack>,
}

/// A pack of a checkout.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckoutPack {
    /// The checkout, as named.
    pub checkout: String,
    /// The name of the pack there; none when the checkout has none.
    pub pack: Option<String>,
    /// Its address or folder.
    pub source: String,
    /// Its ref and commit.
    pub version: Option<String>,
    /// How many of its contexts the checkout changes; none when its files are not available here.
    pub overlays: Option<usize>,
    /// Problems, and differences from most checkouts.
    pub drift: Vec<String>,
}

pub(super) fn run(args: &PackReport, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let (mut packs, mut failed) = (Vec::new(), None);
    for checkout in &args.checkouts {
        match of_checkout(settings, checkout) {
            Ok(rows) => packs.extend(rows),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    compare(&mut packs);
    let drifts = packs.iter().any(|pack| !pack.drift.is_empty());
    let data = PackReportData { schema: "faber.pack-report/1", packs };
    output::print(&data, args.format, streams, human)?;
    if let Some(error) = failed {
        return Err(error);
    }
    Ok(if drifts { ExitStatus::Findings } else { ExitStatus::Done })
}

fn of_checkout(settings: &Settings, checkout: &Utf8PathBuf) -> Result<Vec<CheckoutPack>, Error> {
    let settings = Settings { start: settings.cwd.join(checkout), ..settings.clone() };
    let session = Session::open(&settings)?;
    let mut workspace = session.workspace();
    let declared = workspace.declared_packs();
    let lock = read_lock(&workspace.files, &settings, false);
    let damaged = lock.as_ref().err().map(|why| why.message.clone());
    let lock: Lock = lock.unwrap_or_default();
    let mounted: BTreeSet<String> = workspace.packs.into_iter().map(|pack| pack.name).collect();
    let changed = changed_contexts(&session);
    let row = |pack: Option<String>, source: String| CheckoutPack {
        checkout: checkout.to_string(),
        pack,
        source,
        version: None,
        overlays: None,
        drift: damaged.iter().cloned().collect(),
    };
    let own: Vec<&DeclaredPack> = declared.packs.iter().filter(|pack| !pack.is_users).collect();
    // Packs that are not available may declare others.
    let is_complete = own.iter().all(|pack| mounted.contains(&pack.name.value));
    let is_surplus = |name: &String| is_complete && !mounted.contains(name);
    let surplus = lock.packs.iter().filter(|(name, _)| is_surplus(name));
    let surplus = surplus.map(|(name, locked)| {
        let mut row = row(Some(name.clone()), locked.source.clone());
        row.version = Some(version(locked));
        row.drift.push("it is in faber.lock, but not declared".to_owned());
        row
    });
    let rows: Vec<CheckoutPack> = own
        .iter()
        .map(|pack| {
            let name = &pack.name.value;
            let mut row = row(Some(name.clone()), pack.source.address().to_owned());
            let changed = changed.get(name).map_or(0, BTreeSet::len);
            row.overlays = mounted.contains(name).then_some(changed);
            if matches!(pack.source, PackSource::Folder(_)) {
                return row;
            }
            let Some(locked) = lock.packs.get(name) else {
                if damaged.is_none() {
                    row.drift.push("it is not in faber.lock".to_owned());
                }
                return row;
            };
            row.version = Some(version(locked));
            if !locked.is_of(&pack.source) {
                row.drift.push("faber.lock has another source, ref or path".to_owned());
            }
            if is_vendored(session.root(), name) {
                let folder = session.root().join(packs::folder(name));
                let found = damage(&folder, &locked.files, Extras::Reported);
                let files = counted(found.len(), "file");
                if !found.is_empty() {
                    row.drift.push(format!("{files} in {} changed", packs::folder(name)));
                }
            }
            row
        })
        .chain(surplus)
        .collect();
    Ok(if rows.is_empty() { vec![row(None, String::new())] } else { rows })
}

fn changed_contexts(session: &Session) -> BTreeMap<String, BTreeSet<ContextId>> {
    let survey = session.workspace().survey();
    let mut changed: BTreeMap<String, BTreeSet<ContextId>> = BTreeMap::new();
    let of_pack = |layer: usize| survey.layers[layer].pack();
    let is_own = |it: &&Document| it.kind != LayerKind::Custom && of_pack(it.layer).is_none();
    let own = survey.documents.iter().filter(is_own);
    let own: BTreeSet<&ContextId> = own.map(|document| &document.id).collect();
    for document in survey.documents.iter().filter(|document| own.contains(&document.id)) {
        if let Some(pack) = of_pack(document.layer) {
            changed.entry(pack.to_owned()).or_default().insert(document.id.clone());
        }
    }
    changed
}

fn compare(packs: &mut [CheckoutPack]) {
    let mut counts: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for pack in packs.iter() {
        if let Some(version) = &pack.version {
            *counts.entry(pack.source.clone()).or_default().entry(version.clone()).or_default() +=
                1;
        }
    }
    for pack in packs {
        let Some((versions, own)) = counts.get(&pack.source).zip(pack.version.as_ref()) else {
            continue;
        };
        let most = versions.iter().max_by_key(|(_, count)| **count);
        let Some((usual, count)) =
            most.filter(|(usual, count)| *usual != own && **count > versions[own])
        else {
            continue;
        };
        pack.drift.push(format!("{} have {usual}", counted(*count, "checkout")));
    }
}

fn human(data: &PackReportData) -> String {
    let row = |pack: &CheckoutPack| {
        let overlays = match pack.overlays {
            None if pack.pack.is_some() => "changes unknown: its files are not here".to_owned(),
            None | Some(0) => String::new(),
            Some(count) => format!("{} changed", counted(count, "context")),
        };
        let name = pack.pack.clone().unwrap_or_else(|| "no pack".to_owned());
        vec![
            pack.checkout.clone(),
            name,
            pack.version.clone().unwrap_or_default(),
            overlays,
            pack.drift.join("; "),
        ]
    };
    let rows: Vec<Vec<String>> = data.packs.iter().map(row).collect();
    table::table(&[Column::new(""); 5], &rows, 0, usize::MAX)
}
