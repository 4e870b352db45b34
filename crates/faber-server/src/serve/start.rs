//! Starts the server, on standard streams or a port.

use std::io::Write;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rmcp::ServiceExt;
use tokio::sync::Semaphore;

use crate::ends::Stdio;
use crate::serve::host::{ServerState, Start};
use crate::serve::http::{self, HttpServer, IDLE};
use crate::serve::mcp::{McpHandler, TURNS};
use crate::serve::record::CallRecorder;
use crate::serve::stdio::StdioTransport;
use faber_core::error::Error;
use faber_output::streams::ExitStatus;
use faber_session::discover::audit::Log;
use faber_session::discover::watcher::Watcher;
use faber_session::session::{Session, Workspace};
use faber_session::settings::{Settings, Verbosity};
use faber_tools::search::scope::Scope;

/// The variable with the token of a server on a port.
const TOKEN: &str = "FABER_HTTP_TOKEN";

/// Stack size of threads. A thread that waits for its own tasks runs others on the same stack.
const STACK: usize = 16 * 1024 * 1024;

#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// The address to listen on; default: standard input and output.
    pub http: Option<String>,
    /// The platform of all calls; default: the configured one.
    pub platform: Option<String>,
    /// The default role of calls.
    pub role: Option<String>,
    /// The allowed scopes; default: all.
    pub scopes: Vec<Scope>,
    /// Whether calls that cannot be logged fail.
    pub audit_required: bool,
}

/// Serves until the client disconnects or a signal.
///
/// # Errors
///
/// [`Error::Usage`] if the address is not local; errors of opening the workspace and the port.
pub fn serve(
    options: ServeOptions,
    settings: &Settings,
    mut ends: Stdio,
) -> Result<ExitStatus, Error> {
    let address = options.http.as_deref().map(http::address).transpose()?;
    // What is wrong from the start is said at the start.
    let session = Session::open(settings)?;
    let workspace = session.workspace();
    // Editing a file does not change the principal.
    let principal = Some(workspace.principal());
    let settings = &Settings { principal, ..settings.clone() };
    let session = session.with_settings(settings.clone());
    let caches = Arc::clone(session.caches());
    let log = log(options.audit_required, &workspace, settings, &mut *ends.err)?;
    let aside = std::mem::replace(&mut ends.aside, Box::new(std::io::sink()));
    let folder = |path: &Utf8PathBuf| path.parent().map(Utf8Path::to_owned);
    let elsewhere: Vec<Utf8PathBuf> =
        settings.user_config.as_ref().and_then(folder).into_iter().collect();
    let watcher = Watcher::start(session.root(), &elsewhere, &[]);
    let host = ServerState::new(Start {
        session,
        platform: options.platform,
        role: options.role,
        scopes: options.scopes,
        recorder: CallRecorder::new(log, options.audit_required, aside),
        hints: Box::new(move || watcher.hints()),
    });
    let host = Arc::new(host);
    let fail = |source| Error::Io { action: "start", path: "the server".into(), source };
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().thread_stack_size(STACK).build().map_err(fail)?;
    // Another thread pool may exist already; its stacks are sufficient for single calls.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global();
    let served = runtime.block_on(async {
        tokio::select! {
            served = answer_all(address, settings, host, ends) => served,
            () = ended() => Ok(()),
        }
    });
    // Running calls have no client any more.
    runtime.shutdown_background();
    caches.save();
    served.map(|()| ExitStatus::Done)
}

/// The audit log, if enabled. A failure is reported, and an error only if the log is required.
fn log(
    audit_required: bool,
    workspace: &Workspace,
    settings: &Settings,
    err: &mut dyn Write,
) -> Result<Option<Log>, Error> {
    let config = workspace.config.audit;
    if !config.enabled && audit_required {
        return Err(Error::usage(
            "`--audit-required` needs a log, and `audit` is off",
            "take `audit: false` out of the configuration",
        ));
    }
    if !config.enabled {
        return Ok(None);
    }
    match Log::open(workspace.files.root(), config.limits) {
        Ok(log) => Ok(Some(log)),
        Err(source) => {
            let path = Utf8PathBuf::from(".faber/state/audit.jsonl");
            let failure = Error::Io { action: "write", path, source };
            if audit_required {
                return Err(failure);
            }
            if settings.verbosity > Verbosity::Quiet {
                let _ = writeln!(err, "calls are not logged: {failure}");
            }
            Ok(None)
        }
    }
}

async fn answer_all(
    address: Option<std::net::SocketAddr>,
    settings: &Settings,
    host: Arc<ServerState>,
    ends: Stdio,
) -> Result<(), Error> {
    let Stdio { input, output, mut err, .. } = ends;
    let Some(address) = address else {
        let fail = |source| Error::Io { action: "read", path: "standard input".into(), source };
        let lines = StdioTransport::start(input, output).map_err(fail)?;
        // A disconnected client is the normal end.
        let server = McpHandler::new(host, Arc::new(Semaphore::new(TURNS))).map_err(fail)?;
        if let Ok(running) = server.serve(lines).await {
            let _ = running.waiting().await;
        }
        return Ok(());
    };
    let (token, is_given) = token(settings)?;
    let door = HttpServer::open(address, &token, host, IDLE).await?;
    if settings.verbosity > Verbosity::Quiet || !is_given {
        let secret = if is_given { format!("the token in {TOKEN}") } else { token };
        let _ = writeln!(err, "serving {}\nauthorization: Bearer {secret}", door.url()?);
        let _ = err.flush();
    }
    door.serve().await;
    Ok(())
}

/// The token, and whether the user set it.
fn token(settings: &Settings) -> Result<(String, bool), Error> {
    let given = settings.vars.iter().find(|(name, value)| name == TOKEN && !value.is_empty());
    if let Some((_, token)) = given {
        let is_token = token.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token {
            return Err(Error::usage(
                format!("{TOKEN} has something in it that no header can carry"),
                "take letters and digits",
            ));
        }
        return Ok((token.clone(), true));
    }
    let mut random = [0; 32];
    let fail = |error: getrandom::Error| Error::Io {
        action: "make",
        path: "a token".into(),
        source: std::io::Error::other(error),
    };
    getrandom::fill(&mut random).map_err(fail)?;
    // A hash of random bytes is printable.
    Ok((blake3::hash(&random).to_hex().to_string(), false))
}

/// Waits for a signal.
async fn ended() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminated) = signal(SignalKind::terminate()) else {
            let _ = interrupted.await;
            return;
        };
        tokio::select! {
            _ = interrupted => {}
            _ = terminated.recv() => {}
        }
    }
    #[cfg(not(unix))]
    let _ = interrupted.await;
}
