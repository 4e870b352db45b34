//! `faber trust`.

use crate::cli::args::Trust;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::trust::TrustStore;
use faber_session::packs::config_files::declaration;
use faber_session::session::Session;

pub(crate) fn run(args: &Trust, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
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
        for workspace in all {
            streams.print(&format!("{}\n", workspace.root))?;
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
