//! `faber pack verify` and `vendor`.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::cli::args::{PackNames, PackVendor};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::packs::lock::{Lock, LockedPack};
use faber_core::packs::{self, DeclaredPack, PackSource};
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::grouped;
use faber_output::text::counted;
use faber_session::discover::pack_store::{Extras, damage, is_consistent};
use faber_session::packs::fetch::{FetchMode, FetchRequest, Fetcher, copies};
use faber_session::packs::home::PackHome;

/// Of damaged files per pack.
const MAX_LINES: usize = 10;

pub(super) fn verify(args: &PackNames, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let home = PackHome::open(streams.settings, args.whose.user)?;
    let flag = packs::flag(home.is_users);
    let (declared, all) = (home.declared_places(), home.lock()?);
    if declared.is_empty() && all.packs.is_empty() && args.names.is_empty() {
        streams.note(&super::none_declared(&home));
        return Ok(ExitStatus::Done);
    }
    refuse_surplus(&home, &declared, &all)?;
    let mut names = args.names.clone();
    for (pack, place) in &declared {
        let name = &pack.name.value;
        if !args.names.is_empty() && !args.names.contains(name) {
            continue;
        }
        if matches!(pack.source, PackSource::Folder(_)) {
            streams.print(&format!("{name}: a directory, which faber.lock does not pin\n"))?;
            names.retain(|named| named != name);
        } else if !all.packs.contains_key(name) {
            let message = format!("the pack `{name}`, declared at {place}, is not in faber.lock");
            return Err(Error::usage(message, format!("run `faber pack update{flag} {name}`")));
        }
    }
    let is_done = names.is_empty() && !args.names.is_empty();
    let lock = if is_done { Lock::default() } else { lock(all, &names)? };
    let fetcher = Fetcher::new(&home).ok();
    let mut damaged = 0;
    for (name, locked) in &lock.packs {
        let mut say = |text: String| streams.print(&format!("{name}: {text}\n"));
        let copies = copies(&home, name, locked);
        let pack = declared.iter().map(|(pack, _)| pack).find(|pack| pack.name.value == *name);
        if let Some((what, command)) = problem(fetcher.as_ref(), pack, locked, &copies) {
            damaged += 1;
            say(format!("{what}; run `faber pack {command}{flag} {name}`"))?;
            continue;
        }
        let mut commands = Vec::new();
        for copy in &copies {
            let folder = packs::folder(name);
            let is_vendored = *copy == home.folder.join(&folder);
            let found = damage(copy, &locked.files, Extras::Reported);
            if !found.is_empty() {
                commands.insert(0, if is_vendored { "vendor" } else { "update --locked" });
            }
            for found in found.iter().take(MAX_LINES) {
                let path = Utf8Path::new(&found.path);
                let path = if is_vendored { folder.join(path) } else { path.to_owned() };
                say(format!("`{}` {}", Visible(path.as_str()), found.what))?;
            }
            if found.len() > MAX_LINES {
                say(format!("… {} more", grouped(found.len() - MAX_LINES)))?;
            }
        }
        if commands.is_empty() {
            let matches = if locked.files.len() == 1 { "matches" } else { "match" };
            say(format!("{} {matches} faber.lock", counted(locked.files.len(), "file")))?;
            continue;
        }
        damaged += 1;
        for command in commands {
            say(format!("run `faber pack {command}{flag} {name}` to restore it"))?;
        }
    }
    Ok(if damaged == 0 { ExitStatus::Done } else { ExitStatus::Findings })
}

pub(super) fn vendor(args: &PackVendor, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let home = PackHome::open(streams.settings, false)?;
    let fetcher = Fetcher::new(&home)?;
    let _turn = fetcher.store.turn(&home.folder)?;
    let all = fetcher.lock(&home.declared(), FetchRequest::new(FetchMode::Locked))?;
    streams.note(&fetcher.left_out());
    let wanted = lock(home.lock()?, &args.names)?;
    if all.packs.is_empty() {
        let nothing = "no packs to vendor\n".to_owned();
        let is_any = !home.declared_places().is_empty();
        streams.note(&if is_any { nothing } else { super::none_declared(&home) });
    }
    for (name, locked) in all.packs.iter().filter(|(name, _)| wanted.packs.contains_key(*name)) {
        fetcher.store.vendor(&home.folder, name, locked)?;
        let folder = Utf8Path::new(packs::FOLDER).join(name);
        streams.print(&format!("{folder}: {}\n", counted(locked.files.len(), "file")))?;
    }
    Ok(ExitStatus::Done)
}

/// With the command that solves it.
fn problem(
    fetcher: Option<&Fetcher<'_>>,
    pack: Option<&DeclaredPack>,
    locked: &LockedPack,
    copies: &[Utf8PathBuf],
) -> Option<(&'static str, &'static str)> {
    if !is_consistent(locked) {
        return Some(("its hashes in faber.lock are inconsistent", "relock"));
    }
    let update = "update --locked";
    if copies.is_empty() {
        return Some(("its files are not downloaded", update));
    }
    let (fetcher, pack) = fetcher.zip(pack)?;
    // Nothing is known of copies in version control.
    let is_stored = copies.contains(&fetcher.store.place(&locked.digest));
    (is_stored && !fetcher.is_checked(pack, locked)).then_some(match pack.signed_by {
        Some(_) => ("its commit or signature was not checked on this machine", update),
        None => ("its commit was not checked on this machine", update),
    })
}

/// Packs that are not available may need others.
fn refuse_surplus(
    home: &PackHome,
    declared: &[(DeclaredPack, String)],
    lock: &Lock,
) -> Result<(), Error> {
    let mounted = home.session.workspace().packs.into_iter();
    let mounted = mounted.filter(|pack| pack.is_users == home.is_users);
    let mounted: BTreeSet<String> = mounted.map(|pack| pack.name).collect();
    if declared.iter().any(|(pack, _)| !mounted.contains(&pack.name.value)) {
        return Ok(());
    }
    let surplus = lock.packs.keys().find(|name| !mounted.contains(*name));
    surplus.map_or(Ok(()), |name| {
        let message = format!("faber.lock has the pack `{name}`, which is not declared");
        let flag = packs::flag(home.is_users);
        Err(Error::usage(message, format!("declare it, or run `faber pack update{flag}`")))
    })
}

fn lock(mut lock: Lock, names: &[String]) -> Result<Lock, Error> {
    for name in names {
        if !lock.packs.contains_key(name) {
            return Err(Error::unknown("pack", name, lock.packs.keys().map(String::as_str)));
        }
    }
    lock.packs.retain(|name, _| names.is_empty() || names.contains(name));
    Ok(lock)
}
