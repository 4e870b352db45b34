use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use camino::{Utf8Path, Utf8PathBuf};
use rmcp::ServiceExt;
use tokio::sync::Semaphore;

use crate::locked;
use crate::serve::http::{self, Endpoint, HttpAccess, HttpServer, IDLE};
use crate::serve::identity::authorizer::{AccessTerms, Authorizer};
use crate::serve::identity::claims::ExpectedClaims;
use crate::serve::identity::issuer::{Issuer, KeyAges, ReportFn};
use crate::serve::identity::network::Network;
use crate::serve::identity::tls::ServerTls;
pub use crate::serve::identity::tls::{Certificate, CertificateSource};
use crate::serve::mcp::{Caller, McpHandler, TURNS};
use crate::serve::record::{CallRecorder, LOG};
use crate::serve::state::{ServerState, SharedStore, Start};
use crate::serve::stdio::StdioTransport;
use crate::stdio::Stdio;
use faber_core::config::{ServeConfig, comma_separated};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::resolve::view::Principal;
use faber_core::workspace::Viewer;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::audit::Log;
use faber_session::discover::watcher::Watcher;
use faber_session::session::{Session, Workspace};
use faber_session::settings::{Settings, Verbosity};
use faber_tools::search::scope::Scope;

const TOKEN: &str = "FABER_HTTP_TOKEN";

/// Waiting Rayon threads run other tasks on the same stack.
const STACK: usize = 16 * 1024 * 1024;

#[derive(Default)]
pub struct ServeOptions {
    pub http: Option<String>,
    pub identity: IdentityOptions,
    pub platform: Option<String>,
    pub role: Option<String>,
    pub scopes: Vec<Scope>,
    pub audit_required: bool,
    pub allow_write: bool,
}

#[derive(Default)]
pub struct IdentityOptions {
    pub issuer: Option<String>,
    /// Default: the endpoint's address.
    pub audience: Option<String>,
    pub url: Option<String>,
    pub certificate: Option<CertificateSource>,
    pub proxies: Vec<String>,
}

/// Asks `shared` first.
///
/// # Errors
///
/// Also if other machines can reach the port without authentication.
pub fn serve(
    options: ServeOptions,
    settings: &Settings,
    shared: Option<SharedStore>,
    mut stdio: Stdio,
) -> Result<ExitStatus, Error> {
    let address = options.http.as_deref().map(http::address).transpose()?;
    let session = Session::open(settings)?;
    let mut workspace = session.workspace();
    if let Some(role) = &options.role {
        workspace.lineage(role)?;
    }
    check_view(&options, &mut workspace, settings, &mut *stdio.err)?;
    let config = &workspace.config.serve;
    let port = address.map(|address| port(address, options.identity, config, settings));
    let port = port.transpose()?;
    // Editing a file does not change the principal.
    let principal = if port.as_ref().is_some_and(|port| port.terms.is_some()) {
        Principal::proven(None, BTreeSet::new())
    } else {
        workspace.principal()
    };
    let settings = &Settings { principal: Some(principal), ..settings.clone() };
    let session = session.with_settings(settings.clone());
    let caches = Arc::clone(session.caches());
    let log = log(options.audit_required, &workspace, settings, &mut *stdio.err)?;
    let call_err = std::mem::replace(&mut stdio.call_err, Box::new(std::io::sink()));
    let folder = |path: &Utf8PathBuf| path.parent().map(Utf8Path::to_owned);
    let elsewhere: Vec<Utf8PathBuf> =
        settings.user_config.as_ref().and_then(folder).into_iter().collect();
    let watcher = Watcher::start(session.root(), &elsewhere, &[]);
    let server_state = ServerState::new(Start {
        session,
        platform: options.platform,
        role: options.role,
        scopes: options.scopes,
        allow_write: options.allow_write,
        recorder: Arc::new(CallRecorder::new(log, options.audit_required, call_err)),
        hints: Arc::new(move || watcher.hints()),
        shared,
    });
    let state = Arc::new(server_state);
    let fail = |source| Error::Io { action: "start", path: "the server".into(), source };
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().thread_stack_size(STACK).build().map_err(fail)?;
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global();
    let served = runtime.block_on(async {
        tokio::select! {
            served = answer_all(port, settings, state, stdio) => served,
            () = ended() => Ok(()),
        }
    });
    runtime.shutdown_background();
    caches.save();
    served.map(|()| ExitStatus::Done)
}

fn check_view(
    options: &ServeOptions,
    workspace: &mut Workspace,
    settings: &Settings,
    err: &mut dyn Write,
) -> Result<(), Error> {
    let viewer = Viewer::new(options.role.clone(), options.platform.clone());
    // Others may be fixed while the server runs.
    if let Err(error @ Error::Unknown { what: "platform", .. }) = workspace.resolve(&viewer) {
        return Err(error);
    }
    let (out, input) = (&mut std::io::sink(), &mut std::io::empty());
    Streams { out, err, input, settings }.eprint_unknown_overlays(workspace);
    Ok(())
}

struct Port {
    endpoint: Endpoint,
    terms: Option<TokenTerms>,
}

struct TokenTerms {
    issuer: String,
    audience: Option<String>,
    config: ServeConfig,
}

fn port(
    address: SocketAddr,
    options: IdentityOptions,
    config: &ServeConfig,
    settings: &Settings,
) -> Result<Port, Error> {
    let is_open = !http::is_loopback(address.ip());
    let Some(issuer) = options.issuer.or_else(|| config.oidc.issuer.clone()) else {
        if is_open {
            let why = "is reachable from other machines, and all clients would be the same user";
            let help = "write `127.0.0.1:PORT`, or add an issuer of access tokens with `--oidc`";
            return Err(Error::usage(format!("`{address}` {why}"), help));
        }
        let has_options = options.audience.is_some() || options.url.is_some();
        if has_options || options.certificate.is_some() || !options.proxies.is_empty() {
            return Err(Error::usage(
                "audience, URL, certificate and proxy need `--oidc`",
                "add the issuer with `--oidc`, or remove these options",
            ));
        }
        return Ok(Port { endpoint: endpoint(address), terms: None });
    };
    if settings.principal.is_some() {
        return Err(Error::usage(
            "`--as` has no effect with `--oidc`: access tokens identify the user",
            "remove one of the two",
        ));
    }
    let url = options.url.or_else(|| config.url.clone());
    let elapsed = settings.clocks.elapsed;
    let certificate = options.certificate.map(|source| ServerTls::new(source, elapsed));
    let certificate = certificate.transpose()?;
    let proxies: Vec<Network> =
        options.proxies.iter().map(|it| Network::parse(it)).collect::<Result<_, _>>()?;
    if is_open && certificate.is_none() && proxies.is_empty() {
        return Err(Error::usage(
            format!("tokens sent to `{address}` would travel unencrypted"),
            "add `--tls-cert` and `--tls-key`, or `--behind-proxy` with the address of a proxy that has them",
        ));
    }
    if (is_open || !proxies.is_empty()) && url.is_none() {
        return Err(Error::usage(
            "the URL of the server is not known",
            "add `--url https://HOST`, as clients use it",
        ));
    }
    let endpoint = Endpoint {
        origin: url.as_deref().map(http::origin).transpose()?,
        tls: certificate,
        proxies,
        ..endpoint(address)
    };
    let audience = options.audience.or_else(|| config.oidc.audience.clone());
    let terms = Some(TokenTerms { issuer, audience, config: config.clone() });
    Ok(Port { endpoint, terms })
}

fn endpoint(address: SocketAddr) -> Endpoint {
    Endpoint { address, origin: None, tls: None, proxies: Vec::new(), idle: IDLE }
}

fn log(
    audit_required: bool,
    workspace: &Workspace,
    settings: &Settings,
    err: &mut dyn Write,
) -> Result<Option<Log>, Error> {
    let config = workspace.config.audit;
    if !config.enabled {
        let message = "`--audit-required` needs a log, and `audit` is off";
        let refused = Error::usage(message, "remove `audit: false` from the configuration");
        return if audit_required { Err(refused) } else { Ok(None) };
    }
    match Log::open(workspace.files.root(), config.limits) {
        Ok(log) => Ok(Some(log)),
        Err(source) => {
            let failure = Error::Io { action: "write", path: LOG.into(), source };
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
    port: Option<Port>,
    settings: &Settings,
    state: Arc<ServerState>,
    stdio: Stdio,
) -> Result<(), Error> {
    let Stdio { input, output, mut err, .. } = stdio;
    let Some(Port { endpoint, terms }) = port else {
        let fail = |source| Error::Io { action: "read", path: "standard input".into(), source };
        if settings.stdout_width.is_some() && settings.verbosity > Verbosity::Quiet {
            let _ = writeln!(err, "serving MCP on standard input and output; Ctrl-C ends it");
        }
        let lines = StdioTransport::start(input, output).map_err(fail)?;
        let turns = Arc::new(Semaphore::new(TURNS));
        let server = McpHandler::new(Some(Caller::only(state)), turns).map_err(fail)?;
        if let Ok(running) = server.serve(lines).await {
            let _ = running.waiting().await;
        }
        return Ok(());
    };
    let server = HttpServer::open(endpoint).await?;
    if let Some(terms) = terms {
        return answer_users(server, terms, settings, state, err).await;
    }
    let (token, is_given) = token(settings)?;
    if settings.verbosity > Verbosity::Quiet || !is_given {
        let (origin, path) = (server.origin(), http::PATH);
        let secret = if is_given { format!("the token in {TOKEN}") } else { token.clone() };
        let _ = writeln!(err, "serving {origin}{path}\nauthorization: Bearer {secret}");
        let _ = err.flush();
    }
    let report: ReportFn = Arc::new(|_| {});
    server.serve(HttpAccess::Token { token, caller: Caller::only(state) }, report).await;
    Ok(())
}

async fn answer_users(
    server: HttpServer,
    terms: TokenTerms,
    settings: &Settings,
    state: Arc<ServerState>,
    err: Box<dyn Write + Send>,
) -> Result<(), Error> {
    let err = Mutex::new(err);
    let report: ReportFn = Arc::new(move |text| {
        let mut err = locked(&err);
        let _ = writeln!(err, "{}", Visible(text));
        let _ = err.flush();
    });
    let elapsed = settings.clocks.elapsed;
    let issuer = Issuer::new(&terms.issuer, KeyAges::default(), elapsed, Arc::clone(&report))?;
    let (origin, path) = (server.origin(), http::PATH);
    let audience = terms.audience.unwrap_or_else(|| format!("{origin}{path}"));
    if settings.verbosity > Verbosity::Quiet {
        let on = server.address().map(|address| format!(" on {address}")).unwrap_or_default();
        report(&format!("serving {origin}{path}{on}"));
        report(&format!("authorization: Bearer tokens of {} for {audience}", terms.issuer));
    }
    let issuer = Arc::new(issuer);
    let first = Arc::clone(&issuer);
    tokio::spawn(async move { first.refresh().await });
    let named = settings.overrides.iter().find(|(key, _, _)| *key == "settings.team");
    let ServeConfig { requests_per_minute, oidc, .. } = terms.config;
    let terms = AccessTerms {
        issuer,
        expected: ExpectedClaims {
            issuer: terms.issuer,
            audience,
            user: oidc.user_claim,
            groups: oidc.groups_claim,
            scope: oidc.scope,
        },
        origin,
        path,
        requests_per_minute,
        teams: named.map(|(_, teams, _)| comma_separated(teams).map(str::to_owned).collect()),
        clocks: settings.clocks,
    };
    server.serve(HttpAccess::Issuer(Box::new(Authorizer::new(terms, state))), report).await;
    Ok(())
}

fn token(settings: &Settings) -> Result<(String, bool), Error> {
    if let Some(token) = settings.var(TOKEN) {
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = format!("{TOKEN} has characters that a header cannot contain");
            return Err(Error::usage(message, "use letters and digits"));
        }
        return Ok((token.to_owned(), true));
    }
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|error| {
        let source = std::io::Error::other(error);
        Error::Io { action: "make", path: "a token".into(), source }
    })?;
    Ok((blake3::hash(&random).to_hex().to_string(), false))
}

async fn ended() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}
