//! `faber pack add`, `remove`, `update` and `relock`.

use std::collections::BTreeSet;

use super::effects::{self, PackUpdateData};
use super::{markdown, overview};
use crate::cli::args::{EffectArgs, EffectFormat, PackAdd, PackRelock, PackRemove, PackUpdate};
use crate::commands::import::always;
use faber_core::error::Error;
use faber_core::escape::{Visible, lines};
use faber_core::packs::declare::{
    NAME_HELP, REFERENCE_HELP, URL_HELP, check_site, check_url, is_local, is_reference,
};
use faber_core::packs::lock::Lock;
use faber_core::packs::names::is_name;
use faber_core::packs::{self, DeclaredPack, PackSource};
use faber_core::paths::normalize;
use faber_core::rules::{unavailable_pack, untrusted_pack};
use faber_core::yaml;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::counted;
use faber_session::discover::foreign::{is_folder, is_git_repository};
use faber_session::discover::pack_store::remove_vendored;
use faber_session::packs::declare::{PackRequest, SourceForm, with_pack, without_pack};
use faber_session::packs::fetch::{FetchMode, FetchRequest, Fetcher, copies, vendored};
use faber_session::packs::home::PackHome;
use faber_session::session::Session;
use faber_session::settings::Settings;

pub(super) fn add(args: &PackAdd, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let (name, typed) = match &args.what[..] {
        [name, source] => (name.clone(), source.as_str()),
        words => {
            let source = words.first().map(String::as_str).unwrap_or_default();
            (name_of(source), source)
        }
    };
    let name = name.as_str();
    if name.is_empty() && args.what.len() == 1 {
        let help = format!("add a name: `faber pack add NAME {typed}`");
        return Err(Error::usage(format!("`{typed}` does not end with a name"), help));
    }
    if !is_name(name) {
        return Err(Error::usage(format!("invalid pack name `{name}`"), NAME_HELP));
    }
    if args.skills
        && let Err(why) = check_site(typed)
    {
        return Err(Error::usage(why, "write `https://HOST`"));
    }
    if let Some(reference) = args.reference.as_deref().filter(|it| !is_reference(it)) {
        return Err(Error::usage(format!("invalid ref `{reference}`"), REFERENCE_HELP));
    }
    let home = if args.whose.user {
        PackHome::of_user(streams.settings)?
    } else {
        PackHome::of_workspace(Session::open_or_empty(streams.settings)?)
    };
    home.check()?;
    let (source, form) = source(args, typed, &home)?;
    let wanted = PackRequest {
        name,
        source: &source,
        form,
        reference: args.reference.as_deref(),
        path: args.path.as_deref(),
        files: &[],
    };
    let fetcher = Fetcher::new(&home)?;
    let _turn = fetcher.store.turn(&home.folder)?;
    let packs = home.session.workspace().packs.into_iter();
    let known: BTreeSet<String> = packs.map(|pack| pack.name).collect();
    let config = with_pack(&home.config_text()?, &wanted)?;
    let declared = home.with_texts(Some(&config), None).declared();
    let names = [name.to_owned()];
    let request = FetchRequest::new(FetchMode::Update);
    let request = FetchRequest { names: &names, typed: Some(name), ..request };
    let is_brief = args.effects.format == EffectFormat::Human && !args.effects.dry_run;
    let alone = is_brief.then(|| with_pack("", &wanted)).transpose()?;
    let added = LockChange { config: Some(config), alone, request };
    let status = change(&fetcher, &home, &added, &args.effects, streams)?;
    if is_brief {
        let is_new = |pack: &str| pack == name || !known.contains(pack);
        let texts =
            always::texts(streams.settings, |path| packs::of_path(path).is_some_and(is_new));
        let root = &streams.settings.start;
        streams.note(&always::note(&texts.unwrap_or_default(), root, streams.settings));
        streams.note(&unused_keys(streams.settings, name).unwrap_or_default());
    }
    if let Some(other) = same_place(&declared.packs, name) {
        let what = "is the same repository and folder as";
        streams.note(&format!("warning: `{name}` {what} `{other}`\n"));
    }
    if !args.effects.dry_run && !home.is_trusted(&declared) {
        let is_local_git = matches!(form, SourceForm::Git) && is_local(&source);
        let update = is_local_git.then(|| format!("no update is fetched from `{source}`"));
        let fields = "`required` and `sealed` in packs have no effect";
        let fields = needs_trust(streams.settings)?.then(|| fields.to_owned());
        let without: Vec<String> = update.into_iter().chain(fields).collect();
        if !without.is_empty() {
            let without = without.join(", and ");
            streams.note(&format!("next: `faber trust`; without it, {without}\n"));
        }
    }
    Ok(status)
}

fn same_place<'d>(declared: &'d [DeclaredPack], name: &str) -> Option<&'d str> {
    let added = declared.iter().find(|pack| pack.name.value == name)?;
    let mut others = declared.iter().filter(|pack| pack.name.value != name);
    others.find(|other| other.source.is_at(&added.source)).map(|other| &*other.name.value)
}

/// Of the configuration of a pack.
fn unused_keys(settings: &Settings, name: &str) -> Option<String> {
    const OWN: [&str; 5] = ["overlays", "packs", "publish", "roles", "validate"];
    let workspace = Session::open(settings).ok()?.workspace();
    let file = workspace.sources.find(&packs::folder(name).join(packs::CONFIG))?;
    let node = yaml::parse_text(&workspace.sources.get(file).text, file).ok()?;
    let keys = node.entries().iter().filter(|entry| !OWN.contains(&&*entry.key));
    let keys: Vec<String> = keys.map(|entry| Visible(&entry.key).code()).collect();
    (!keys.is_empty()).then(|| {
        format!(
            "note: `{}` in `.faber/config.yml` of the pack is not used; its \
             `overlays/organization/config.yml` would be\n",
            keys.join("`, `")
        )
    })
}

fn needs_trust(settings: &Settings) -> Result<bool, Error> {
    let mut workspace = Session::open(settings)?.workspace();
    workspace.survey();
    Ok(workspace.noticed().any(|found| found.rule() == &untrusted_pack::RULE))
}

fn name_of(source: &str) -> String {
    let path = source.trim_end_matches(['/', '\\']);
    let last = path.rsplit(['/', '\\', ':']).next().unwrap_or(path);
    let last = last.strip_suffix(".git").unwrap_or(last).to_lowercase();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    last.chars().map(plain).collect::<String>().trim_matches('-').to_owned()
}

fn source(args: &PackAdd, typed: &str, home: &PackHome) -> Result<(String, SourceForm), Error> {
    if args.skills {
        return Ok((typed.to_owned(), SourceForm::Skills));
    }
    let source = home.typed(typed);
    let place = home.repository(&source);
    let path = args.path.as_deref();
    let is_path = is_local(&source) && !source.starts_with("file://");
    if is_path && args.reference.is_none() && !is_git_repository(&place) {
        if !is_folder(&place) {
            return Err(Error::usage(format!("`{source}` is not a directory"), URL_HELP));
        }
        if let Some(path) = path {
            let message = format!("`--path` needs a repository, and `{source}` is a directory");
            return Err(Error::usage(message, format!("use `{source}/{path}` without `--path`")));
        }
        if !home.is_trusted(&home.declared()) && !home.is_own(&place) {
            let why = home.trust_in(&home.declared()).why_not();
            let message = format!("`{source}` is outside of the repository, and {why}");
            return Err(Error::usage(message, "run `faber trust`, then add it"));
        }
        return Ok((source, SourceForm::Folder));
    }
    check_url(&source).map_err(|why| Error::usage(why, URL_HELP))?;
    if let Some(path) = path.filter(|path| normalize("".into(), path).is_none()) {
        let message = format!("`{path}` leads out of the repository");
        return Err(Error::usage(message, "name a directory of the repository"));
    }
    Ok((source, SourceForm::Git))
}

pub(super) fn remove(args: &PackRemove, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let home = PackHome::unchecked(streams.settings, args.whose.user)?;
    let fetcher = Fetcher::new(&home)?;
    let _turn = fetcher.store.turn(&home.folder)?;
    let was_trusted = home.is_trusted(&home.declared());
    let (text, before) = (home.config_text()?, home.lock()?);
    let edited = without_pack(&text, &args.name);
    // Removal may correct the error.
    if home.with_texts(edited.as_deref().ok(), None).check().is_err() {
        home.check()?;
    }
    let (config, undeclared) = match edited {
        // An interrupted removal, or required by another pack.
        Err(error @ Error::Unknown { .. }) if before.packs.contains_key(&args.name) => {
            (text, Some(error))
        }
        config => (config?, None),
    };
    let declared = home.with_texts(Some(&config), None).declared();
    let request = FetchRequest { was_trusted, ..FetchRequest::new(FetchMode::Missing) };
    let lock = if declared.packs.is_empty() {
        Lock::default()
    } else {
        fetcher.lock(&declared, request)?
    };
    let is_needed = lock.packs.contains_key(&args.name);
    let config = match undeclared {
        Some(error) if is_needed => return Err(error),
        Some(_) => None,
        None => Some(config),
    };
    let PackRemove { dry_run, format, .. } = *args;
    let effects = EffectArgs { dry_run, accept: true, format };
    change(&fetcher, &home, &LockChange { config, alone: None, request }, &effects, streams)?;
    if is_needed {
        streams.note(&format!("another pack still needs `{}`\n", args.name));
    }
    Ok(ExitStatus::Done)
}

pub(super) fn update(args: &PackUpdate, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let home = PackHome::open(streams.settings, args.whose.user)?;
    let fetcher = Fetcher::new(&home)?;
    let _turn = fetcher.store.turn(&home.folder)?;
    let is_human = args.effects.format == EffectFormat::Human && args.names.is_empty();
    if is_human && home.declared().packs.is_empty() && home.lock()?.packs.is_empty() {
        streams.note(&super::none_declared(&home));
        return Ok(ExitStatus::Done);
    }
    let mode = if args.locked || (streams.settings.is_ci() && !args.no_locked) {
        FetchMode::Locked
    } else {
        FetchMode::Update
    };
    let request = FetchRequest { names: &args.names, ..FetchRequest::new(mode) };
    if mode == FetchMode::Locked {
        let lock = fetcher.lock(&home.declared(), request)?;
        refuse_surplus(&fetcher, &home, &lock)?;
        streams.note(&fetcher.left_out());
        let count = counted(lock.packs.len(), "pack");
        let matches = if lock.packs.len() == 1 { "matches" } else { "match" };
        streams.note(&format!("{count} {matches} faber.lock\n"));
        return Ok(ExitStatus::Done);
    }
    let all = LockChange { config: None, alone: None, request };
    change(&fetcher, &home, &all, &args.effects, streams)
}

fn refuse_surplus(fetcher: &Fetcher<'_>, home: &PackHome, lock: &Lock) -> Result<(), Error> {
    let mut names = home.lock()?.packs.into_keys();
    let Some(name) = names.find(|name| !lock.packs.contains_key(name)) else { return Ok(()) };
    let declared = home.declared();
    let may_be_hidden = !home.is_trusted(&declared)
        && declared.packs.iter().any(|pack| matches!(pack.source, PackSource::Folder(_)));
    let trust = if may_be_hidden { "run `faber trust`, or " } else { "" };
    let command = fetcher.command("update");
    Err(Error::usage(
        format!("faber.lock has the pack `{name}`, which is not declared"),
        format!("{trust}run `{command}` outside of CI, and commit faber.lock"),
    ))
}

pub(super) fn relock(args: &PackRelock, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let home = PackHome::open(streams.settings, args.whose.user)?;
    let fetcher = Fetcher::new(&home)?;
    let _turn = fetcher.store.turn(&home.folder)?;
    let request = FetchRequest { names: &args.names, ..FetchRequest::new(FetchMode::Relock) };
    let all = LockChange { config: None, alone: None, request };
    let effects = EffectArgs { dry_run: false, accept: false, format: args.format };
    change(&fetcher, &home, &all, &effects, streams)
}

struct LockChange<'a> {
    config: Option<String>,
    alone: Option<String>,
    request: FetchRequest<'a>,
}

/// Writes the lock before the configuration: surplus locked packs do no harm.
fn change(
    fetcher: &Fetcher<'_>,
    home: &PackHome,
    change: &LockChange<'_>,
    args: &EffectArgs,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let was_trusted = home.is_trusted(&home.declared());
    let config = change.config.as_deref();
    let declared = home.with_texts(config, None).declared();
    let before = home.lock()?;
    let request = FetchRequest { was_trusted, ..change.request };
    let lock = fetcher.lock(&declared, request)?;
    streams.note(&fetcher.left_out());
    let text = lock.print();
    let locks = [&before, &lock];
    let home_with = if was_trusted { PackHome::trusted_with } else { PackHome::with_texts };
    let after = home_with(home, config, Some(&text));
    if let Some(name) = request.typed {
        refuse_unusable(&after, name)?;
    }
    let brief = change.alone.as_ref();
    let brief = brief.map(|alone| overview::of_new([home, &after], fetcher, alone, locks));
    let mut data = if let Some(brief) = brief.transpose()?.flatten() {
        brief
    } else if config.is_none() && lock == before {
        PackUpdateData::nothing()
    } else {
        // A removal needs no network.
        let is_removal = request.mode == FetchMode::Missing;
        let former = if is_removal { Ok(()) } else { fetcher.fetch_former(&before, request) };
        let is_there = before.packs.iter().all(|(name, pack)| !copies(home, name, pack).is_empty());
        let old = home.with_locked_files(&before);
        let sessions = [&old.session, &after.session];
        let packs = effects::packs(locks, fetcher);
        match former {
            Err(why) if !is_there => effects::of_unknown(sessions, packs, &why)?,
            _ => effects::between(sessions, locks, packs)?,
        }
    };
    let obstacle = data.obstacle(request.typed).filter(|_| !args.accept);
    data.written = !args.dry_run && obstacle.is_none();
    let mut written = Vec::new();
    if data.written {
        // Folder packs are not locked.
        if lock != before || (config.is_some() && !lock.packs.is_empty()) {
            written.push(home.lock_path());
            home.write(&home.lock_path(), &text)?;
        }
        if let Some(config) = config {
            written.push(home.config.clone());
            home.write(&home.config, config)?;
        }
        if was_trusted {
            home.trust()?;
        }
        for name in vendored(home, &lock) {
            fetcher.store.vendor(&home.folder, &name, &lock.packs[&name])?;
            if before.packs.get(&name) != lock.packs.get(&name) {
                written.push(packs::folder(&name));
            }
        }
        for name in vendored(home, &before).iter().filter(|name| !lock.packs.contains_key(*name)) {
            let folder = packs::folder(name);
            streams.note(&if remove_vendored(&home.folder, name, &before.packs[name])? {
                format!("removed `{folder}`\n")
            } else {
                format!("`{folder}` is not used any more, but was changed; delete it\n")
            });
        }
    }
    match args.format {
        EffectFormat::Json => streams.print_json(&data)?,
        EffectFormat::Markdown => streams.print(&lines(&markdown::markdown(&data)))?,
        EffectFormat::Human => streams.print(&lines(&markdown::human(&data, &written)))?,
    }
    match obstacle.filter(|_| !args.dry_run) {
        None => Ok(ExitStatus::Done),
        Some(why) => Err(Error::usage(
            format!("{why}; nothing was written"),
            format!("review them; {} to write the update anyway", accepting(fetcher, request.mode)),
        )),
    }
}

/// Only `add` and `update` have the option.
fn accepting(fetcher: &Fetcher<'_>, mode: FetchMode) -> String {
    let update = format!("`{} --accept`", fetcher.command("update"));
    match mode {
        FetchMode::Relock => format!("use {update}"),
        _ => "use `--accept`".to_owned(),
    }
}

/// Refuses an added pack that would stop every command.
fn refuse_unusable(after: &PackHome, name: &str) -> Result<(), Error> {
    let mut workspace = after.session.workspace();
    let declared = workspace.declared_packs().packs;
    let added = declared.iter().find(|pack| pack.name.value == name);
    let unusable = workspace.findings().into_iter().find(|found| {
        found.rule() == &unavailable_pack::RULE
            && added.is_some_and(|pack| pack.name.span == found.primary.span)
    });
    unusable.map_or(Ok(()), |found| Err(Error::Usage { message: found.message, help: found.help }))
}
