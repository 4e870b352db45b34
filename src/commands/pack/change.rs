//! `faber pack add`, `remove`, `update` and `relock`: what changes configuration and lock.

use camino::Utf8Path;

use super::effects::{self, PackUpdateData};
use super::markdown;
use crate::cli::args::{EffectArgs, EffectFormat, PackAdd, PackNames, PackRemove, PackUpdate};
use faber_core::error::Error;
use faber_core::escape::lines;
use faber_core::packs;
use faber_core::packs::CONFIG;
use faber_core::packs::declare::{
    NAME_HELP, REFERENCE_HELP, URL_HELP, check_site, check_url, is_local, is_reference,
};
use faber_core::packs::lock::Lock;
use faber_core::packs::names::is_name;
use faber_core::world::{Kind, MemoryWorld, World};
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::atomic::Writer;
use faber_session::discover::foreign::is_git_repository;
use faber_session::discover::trust::TrustStore;
use faber_session::packs::declare::{SourceForm, Wanted, config_text, with_pack, without_pack};
use faber_session::packs::fetch::{Aim, Fetcher, Request, vendored};
use faber_session::packs::mount::{declaration, is_trusted, sound_lock};
use faber_session::session::Session;

/// Declares a pack, outside of a workspace too: the configuration that declares it makes one.
///
/// # Errors
///
/// When the name is taken or invalid, the source cannot be fetched, or nothing can be written.
pub(super) fn add(args: &PackAdd, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let (name, source) = (args.name.as_str(), args.source.as_str());
    if !is_name(name) {
        return Err(Error::usage(format!("invalid name of a pack `{name}`"), NAME_HELP));
    }
    if args.skills
        && let Err(why) = check_site(source)
    {
        return Err(Error::usage(why, "write `https://HOST`"));
    }
    if let Some(reference) = args.reference.as_deref().filter(|it| !is_reference(it)) {
        return Err(Error::usage(format!("invalid ref `{reference}`"), REFERENCE_HELP));
    }
    let session = Session::open_or_empty(streams.settings)?;
    let is_folder = is_local(source)
        && args.reference.is_none()
        && !is_git_repository(&session.root().join(source));
    let form = match (args.skills, is_folder) {
        (true, _) => SourceForm::Skills,
        (false, true) => SourceForm::Folder,
        (false, false) => {
            check_url(source).map_err(|why| Error::usage(why, URL_HELP))?;
            SourceForm::Git
        }
    };
    let wanted = Wanted {
        name,
        source,
        form,
        reference: args.reference.as_deref(),
        path: args.path.as_deref().filter(|_| !is_folder),
        files: &[],
    };
    let fetcher = Fetcher::new(&session)?;
    let _turn = fetcher.store.turn(session.root())?;
    let config = with_pack(&config_text(session.files())?, &wanted)?;
    let names = [name.to_owned()];
    let request =
        Request { aim: Aim::Update, names: &names, typed: Some(name), was_trusted: false };
    change(&fetcher, &session, &Change { config: Some(config), request }, &args.effects, streams)
}

/// Takes a pack out.
///
/// # Errors
///
/// When it is not declared in the workspace, or nothing can be written.
pub(super) fn remove(args: &PackRemove, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let fetcher = Fetcher::new(&session)?;
    let _turn = fetcher.store.turn(session.root())?;
    let was_trusted = trusts(&session);
    let config = without_pack(&config_text(session.files())?, &args.name)?;
    let before = sound_lock(session.files())?;
    let after = session.with_overlays(&MemoryWorld::new([(CONFIG, config.clone())]));
    let declared = after.workspace().declared_packs();
    // Packs of the removed one go with it; those that stay are as they were.
    let kept = Request { aim: Aim::Locked, names: &[], typed: None, was_trusted };
    let lock =
        if declared.packs.is_empty() { Lock::default() } else { fetcher.lock(&declared, kept)? };
    let writer = Writer::new(session.root());
    writer.replace(Utf8Path::new(CONFIG), &config)?;
    if lock != before {
        writer.replace(Utf8Path::new(packs::LOCK), &lock.print())?;
    }
    keep_trust(&session, was_trusted)?;
    streams.note(&format!("`{}` is removed\n", args.name));
    Ok(ExitStatus::Done)
}

/// Updates the lock, or fetches what it has.
///
/// # Errors
///
/// When a source cannot be fetched, does not agree with the lock, or nothing can be written.
pub(super) fn update(args: &PackUpdate, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let fetcher = Fetcher::new(&session)?;
    let _turn = fetcher.store.turn(session.root())?;
    let is_ci = streams.settings.vars.iter().any(|(name, value)| name == "CI" && !value.is_empty());
    let aim = if args.locked || (is_ci && !args.no_locked) { Aim::Locked } else { Aim::Update };
    let request = Request { aim, names: &args.names, typed: None, was_trusted: false };
    if aim == Aim::Locked {
        let declared = session.workspace().declared_packs();
        let lock = fetcher.lock(&declared, request)?;
        streams.note(&format!("{} faber.lock\n", matching(lock.packs.len())));
        return Ok(ExitStatus::Done);
    }
    change(&fetcher, &session, &Change { config: None, request }, &args.effects, streams)
}

/// Rewrites what belongs to the commits of the lock.
///
/// # Errors
///
/// As [`update`].
pub(super) fn relock(args: &PackNames, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let fetcher = Fetcher::new(&session)?;
    let _turn = fetcher.store.turn(session.root())?;
    let request = Request { aim: Aim::Relock, names: &args.names, typed: None, was_trusted: false };
    let effects = EffectArgs { dry_run: false, accept: false, format: EffectFormat::Human };
    change(&fetcher, &session, &Change { config: None, request }, &effects, streams)
}

/// A change of configuration and lock.
struct Change<'a> {
    config: Option<String>,
    request: Request<'a>,
}

/// Fetches, shows what changes, and writes the lock, then the configuration: a lock that has more than is declared
/// does no harm.
fn change(
    fetcher: &Fetcher<'_>,
    session: &Session,
    change: &Change<'_>,
    args: &EffectArgs,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let was_trusted = trusts(session);
    let config = change.config.iter().map(|text| (CONFIG, text.clone()));
    let declaring = session.with_overlays(&MemoryWorld::new(config.clone()));
    let declared = declaring.workspace().declared_packs();
    let before = sound_lock(session.files()).unwrap_or_default();
    let request = Request { was_trusted, ..change.request };
    let lock = fetcher.lock(&declared, request)?;
    let text = lock.print();
    let texts = config.chain([(packs::LOCK, text.clone())]);
    let after = session.with_overlays(&MemoryWorld::new(texts));
    let mut data = if change.config.is_none() && lock == before {
        PackUpdateData::nothing()
    } else {
        effects::between(session, &after, [&before, &lock])?
    };
    let is_stopped = data.stops() && !args.accept;
    data.written = !args.dry_run && !is_stopped;
    let mut written = Vec::new();
    if data.written {
        let writer = Writer::new(session.root());
        // A folder is not locked.
        if lock != before || (change.config.is_some() && !lock.packs.is_empty()) {
            writer.replace(Utf8Path::new(packs::LOCK), &text)?;
            written.push(packs::LOCK);
        }
        if let Some(config) = &change.config {
            let path = Utf8Path::new(CONFIG);
            if session.files().kind(path) == Kind::Missing {
                writer.create(path, config)?;
            } else {
                writer.replace(path, config)?;
            }
            written.push(CONFIG);
        }
        keep_trust(session, was_trusted)?;
        for name in vendored(session.root(), &lock) {
            fetcher.store.vendor(session.root(), &name, &lock.packs[&name])?;
        }
    }
    print(&data, &written, args.format, streams)?;
    if is_stopped && !args.dry_run {
        let message = "the update has new errors of security, so nothing was written";
        return Err(Error::usage(
            message,
            "read them, and add `--accept` if they are not an attack",
        ));
    }
    Ok(ExitStatus::Done)
}

fn print(
    data: &PackUpdateData,
    written: &[&str],
    format: EffectFormat,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    match format {
        EffectFormat::Json => streams.print_json(data),
        EffectFormat::Markdown => streams.print(&lines(&markdown::markdown(data))),
        EffectFormat::Human => streams.print(&lines(&markdown::human(data, written))),
    }
}

fn trusts(session: &Session) -> bool {
    let declared = session.workspace().declared_packs();
    is_trusted(session.files(), session.settings(), &declared)
}

/// Trusts what is declared now, if what was declared before was trusted: the user made the change.
fn keep_trust(session: &Session, was_trusted: bool) -> Result<(), Error> {
    let Some(state) = session.settings().state.as_deref().filter(|_| was_trusted) else {
        return Ok(());
    };
    let declared = session.workspace().declared_packs();
    TrustStore::new(state).trust(session.root(), &TrustStore::hash(&declaration(&declared)))
}

fn matching(packs: usize) -> String {
    if packs == 1 { "1 pack matches".to_owned() } else { format!("{packs} packs match") }
}
