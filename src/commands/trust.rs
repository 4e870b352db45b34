//! `faber trust`.

use camino::Utf8Path;

use crate::cli::args::Trust as TrustArgs;
use faber_core::error::Error;
use faber_core::packs::Trust;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::foreign::is_folder;
use faber_session::discover::trust::{TrustStore, TrustedWorkspace};
use faber_session::packs::config_files::{declaration, trust};
use faber_session::session::Session;
use faber_session::settings::Settings;

pub(crate) fn run(args: &TrustArgs, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let state = settings.state.as_deref().ok_or_else(|| {
        let help = "set `XDG_STATE_HOME` to an absolute path";
        Error::usage("cannot determine the directory for trusted workspaces", help)
    })?;
    let store = TrustStore::new(state);
    if args.list {
        let all = store.all();
        if all.is_empty() {
            streams.note("no workspaces trusted\n");
        }
        for TrustedWorkspace { root, .. } in all {
            let why_not = why_not(settings, &root);
            let why_not = why_not.map(|why| format!("  {why}")).unwrap_or_default();
            streams.print(&format!("{root}{why_not}\n"))?;
        }
        return Ok(ExitStatus::Done);
    }
    let session = Session::open(settings)?;
    if args.revoke {
        let was_trusted = store.revoke(session.root())?;
        let now = if was_trusted { "is no longer trusted" } else { "was not trusted" };
        streams.note(&format!("{} {now}\n", session.root()));
        return Ok(ExitStatus::Done);
    }
    let mut workspace = session.workspace();
    let declared = workspace.declared_packs();
    let own: Vec<_> = declared.packs.iter().filter(|pack| !pack.is_users).collect();
    store.trust(session.root(), &TrustStore::hash(&declaration(&declared)))?;
    streams.note(&format!("{} is trusted, including the packs that it declares\n", session.root()));
    for pack in own {
        let (name, address) = (&pack.name.value, pack.source.address());
        streams.print(&format!("{name}  {address}\n"))?;
    }
    Ok(ExitStatus::Done)
}

fn why_not(settings: &Settings, root: &Utf8Path) -> Option<&'static str> {
    if !is_folder(root) {
        return Some("does not exist");
    }
    let settings = Settings { start: root.to_owned(), ..settings.clone() };
    let session = Session::open(&settings).ok().filter(|session| session.root() == root);
    let Some(session) = session else { return Some("is not a workspace") };
    let declared = session.workspace().declared_packs();
    let is_trusted = trust(session.files(), &settings, &declared) == Trust::Given;
    (!is_trusted).then_some("`packs` changed; run `faber trust` there")
}
