//! The protocol over HTTP, for local clients.
//!
//! Anything on this machine, including a web page in a browser, can send requests to a port. So a
//! request needs the server's token, a local host name, and no foreign origin.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited, combinators::BoxBody};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
    WWW_AUTHENTICATE,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::{ErrorCode, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::serve::host::ServerState;
use crate::serve::mcp::{McpHandler, TURNS};
use crate::serve::stdio::{LONGEST, ParsedLine, understand};
use faber_core::error::Error;

/// The path of the endpoint.
pub const PATH: &str = "/mcp";

/// The most connections of clients that know the token.
const MOST_CONNECTIONS: usize = 256;
/// The most connections that have not sent the token yet. One more ends the oldest of them, so that
/// they never keep a client waiting.
const MOST_STRANGERS: usize = 256;
/// The most sessions. One more ends the one that was used least recently.
const MOST_SESSIONS: usize = 64;
/// How long an unused session lasts.
pub(crate) const IDLE: Duration = Duration::from_secs(30 * 60);
/// How long a client may take to send the head of a request, and again for its body.
const PATIENCE: Duration = Duration::from_secs(10);
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

type HttpResponse = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<McpHandler, LocalSessionManager>;

/// An open port.
pub(crate) struct HttpServer {
    listener: TcpListener,
    desk: Arc<HttpState>,
}

/// What all connections share.
struct HttpState {
    service: Service,
    sessions: Sessions,
    token: String,
    /// What this server is called in `Host`, and in `Origin`.
    names: Vec<String>,
    origins: Vec<String>,
    places: Arc<Semaphore>,
    strangers: Strangers,
}

/// The address to listen on.
///
/// # Errors
///
/// [`Error::Usage`] if `text` is invalid or not local.
pub fn address(text: &str) -> Result<SocketAddr, Error> {
    let help = "write `127.0.0.1:PORT`; port 0 takes a free one";
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let address: SocketAddr = named
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| Error::usage(format!("`{text}` is not an address with a port"), help))?;
    if is_loopback(address.ip()) {
        return Ok(address);
    }
    Err(Error::usage(format!("`{text}` would be reachable from other machines"), help))
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

impl HttpServer {
    /// Opens a port. A session ends when it is unused for `idle`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the port is not available.
    pub(crate) async fn open(
        address: SocketAddr,
        token: &str,
        host: Arc<ServerState>,
        idle: Duration,
    ) -> Result<Self, Error> {
        let fail =
            |source| Error::Io { action: "listen on", path: address.to_string().into(), source };
        let listener = TcpListener::bind(address).await.map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        let bound = SocketAddr::new(address.ip(), port).to_string();
        let own = bound.trim_end_matches(&format!(":{port}")).to_owned();
        let mut names: Vec<String> =
            ["localhost", "127.0.0.1", "[::1]", &own].map(|name| format!("{name}:{port}")).to_vec();
        if port == 80 {
            // Clients omit default ports.
            names.extend(["localhost", "127.0.0.1", "[::1]", &own].map(str::to_owned));
        }
        let origins: Vec<String> = names.iter().map(|name| format!("http://{name}")).collect();
        let turns = Arc::new(Semaphore::new(TURNS));
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(idle);
        let manager = Arc::new(manager);
        let service = StreamableHttpService::new(
            move || McpHandler::new(Arc::clone(&host), Arc::clone(&turns)),
            Arc::clone(&manager),
            // `respond` has looked at both headers, more closely.
            StreamableHttpServerConfig::default().disable_allowed_hosts(),
        );
        let desk = HttpState {
            service,
            sessions: Sessions { manager, recent: Mutex::default() },
            token: token.to_owned(),
            names,
            origins,
            places: Arc::new(Semaphore::new(MOST_CONNECTIONS)),
            strangers: Strangers::default(),
        };
        Ok(Self { listener, desk: Arc::new(desk) })
    }

    /// The URL of the endpoint.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the system does not know the address.
    pub(crate) fn url(&self) -> Result<String, Error> {
        let fail = |source| Error::Io { action: "listen on", path: "the port".into(), source };
        Ok(format!("http://{}{PATH}", self.listener.local_addr().map_err(fail)?))
    }

    /// Serves until it is dropped.
    pub(crate) async fn serve(self) {
        loop {
            // Too many connections are a matter of a moment.
            let Ok((stream, _)) = self.listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            self.admit(stream);
            // Each client gets a chance to send the token before the next is accepted.
            tokio::task::yield_now().await;
        }
    }

    /// Serves a connection, and ends another if too many have not sent the token.
    fn admit(&self, stream: TcpStream) {
        let mut strangers = self.desk.strangers.lock();
        let number = strangers.next;
        strangers.next += 1;
        let line = Connection { desk: Arc::clone(&self.desk), number, place: OnceLock::new() };
        let task = tokio::spawn(line.serve(stream)).abort_handle();
        strangers.tasks.insert(number, task);
        if strangers.tasks.len() > MOST_STRANGERS
            && let Some((_, oldest)) = strangers.tasks.pop_first()
        {
            oldest.abort();
        }
    }
}

/// The connections that have not sent the token yet.
#[derive(Default)]
struct Strangers(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// The number of the next connection.
    next: u64,
    /// By number, so oldest first.
    tasks: BTreeMap<u64, AbortHandle>,
}

impl Strangers {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sessions of clients that speak the older versions of the protocol.
struct Sessions {
    manager: Arc<LocalSessionManager>,
    /// Most recently used last. One that ended by itself stays until it is the first.
    recent: Mutex<VecDeque<SessionId>>,
}

impl Sessions {
    /// A client uses a session, or begins it: with too many, another ends.
    async fn use_one(&self, id: &str) {
        let id: SessionId = id.into();
        if !self.manager.has_session(&id).await.unwrap_or(false) {
            return;
        }
        let ended = {
            let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
            recent.retain(|one| *one != id);
            recent.push_back(id);
            if recent.len() > MOST_SESSIONS { recent.pop_front() } else { None }
        };
        if let Some(ended) = ended {
            // It may have ended by itself.
            let _ = self.manager.close_session(&ended).await;
        }
    }
}

struct Connection {
    desk: Arc<HttpState>,
    number: u64,
    /// Its place among those that know the token.
    place: OnceLock<OwnedSemaphorePermit>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.desk.strangers.lock().tasks.remove(&self.number);
    }
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        let answer =
            service_fn(|request| async { Ok::<_, Infallible>(self.respond(request).await) });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
        // That a client goes away is no failure.
        let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
    }

    async fn respond(&self, request: Request<Incoming>) -> HttpResponse {
        if !is_known(request.headers().get(AUTHORIZATION), &self.desk.token) {
            let mut answer = refusal(StatusCode::UNAUTHORIZED, "send the token of this server\n");
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return answer;
        }
        if !self.has_place() {
            return refusal(StatusCode::SERVICE_UNAVAILABLE, "too many connections\n");
        }
        if !self.desk.is_addressed(&request) {
            let text = "`Host` and `Origin` must each name this server, and once\n";
            return refusal(StatusCode::FORBIDDEN, text);
        }
        if request.uri().path() != PATH {
            return refusal(StatusCode::NOT_FOUND, "the server is at /mcp\n");
        }
        self.desk.answer(request).await
    }

    /// Whether there is room for this client, who knows the token.
    fn has_place(&self) -> bool {
        if self.place.get().is_none() {
            let Ok(place) = Arc::clone(&self.desk.places).try_acquire_owned() else { return false };
            self.desk.strangers.lock().tasks.remove(&self.number);
            // Requests of a connection come one by one.
            let _ = self.place.set(place);
        }
        true
    }
}

impl HttpState {
    /// Whether a request is meant for this server: another name may be that of a page whose owner
    /// lets it lead here.
    fn is_addressed(&self, request: &Request<Incoming>) -> bool {
        let is_one_of =
            |name: &str, known: &[String]| known.iter().any(|own| own.eq_ignore_ascii_case(name));
        let named = request.uri().authority().map(hyper::http::uri::Authority::as_str);
        let (host, origin) = (only(request.headers(), HOST), only(request.headers(), ORIGIN));
        named.is_none_or(|name| is_one_of(name, &self.names))
            && matches!(host, Ok(Some(host)) if is_one_of(host, &self.names))
            && origin.is_ok_and(|it| it.is_none_or(|origin| is_one_of(origin, &self.origins)))
    }

    /// The answer of the protocol.
    async fn answer(&self, request: Request<Incoming>) -> HttpResponse {
        let (head, body) = request.into_parts();
        let most = usize::try_from(LONGEST).unwrap_or(usize::MAX);
        let body = match timeout(PATIENCE, Limited::new(body, most).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(_)) => {
                let text = "a message has at most 4 MiB, and arrives as a whole\n";
                return closing(refusal(StatusCode::PAYLOAD_TOO_LARGE, text));
            }
            Err(_) => {
                let text = "the body did not arrive in time\n";
                return closing(refusal(StatusCode::REQUEST_TIMEOUT, text));
            }
        };
        let kind = head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_json = kind.is_some_and(|kind| kind.trim_start().starts_with("application/json"));
        if head.method == Method::POST
            && is_json
            && let Some(error) = mistake(&body)
        {
            return error;
        }
        if let Some(id) = head.headers.get(SESSION).and_then(|id| id.to_str().ok()) {
            self.sessions.use_one(id).await;
        }
        let answer = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        if let Some(id) = answer.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            self.sessions.use_one(id).await;
        }
        answer
    }
}

/// The value of a header that may occur once, if it does; an error when it occurs more often or is no
/// text.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().map(HeaderValue::to_str).transpose().map_err(|_| ())?;
    if values.next().is_none() { Ok(value) } else { Err(()) }
}

/// The answer to a body that is not a message of the protocol.
fn mistake(body: &[u8]) -> Option<HttpResponse> {
    let (error, id) = match understand(body, &mut true) {
        ParsedLine::Message(_) => return None,
        ParsedLine::Bad(error, id) => (error, id),
        ParsedLine::Nothing => {
            let text = "not a JSON-RPC 2.0 message";
            (ErrorData::new(ErrorCode::INVALID_REQUEST, text, None), None)
        }
    };
    let text = serde_json::to_vec(&ServerJsonRpcMessage::error(error, id)).unwrap_or_default();
    let mut answer = Response::new(Full::new(Bytes::from(text)).boxed());
    *answer.status_mut() = StatusCode::BAD_REQUEST;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Some(answer)
}

/// An answer after which a connection ends: the rest of a request may still be under way.
fn closing(mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

/// Whether a request has the token, compared in constant time.
fn is_known(header: Option<&HeaderValue>, token: &str) -> bool {
    let given =
        header.and_then(|value| value.to_str().ok()).and_then(|value| value.split_once(' '));
    let Some((scheme, given)) = given else { return false };
    let same = blake3::hash(given.trim().as_bytes()) == blake3::hash(token.as_bytes());
    scheme.eq_ignore_ascii_case("bearer") && same
}

fn refusal(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer
}

#[cfg(test)]
mod tests {
    use faber_session::session::Session;
    use faber_session::settings::Settings;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::serve::host::Start;
    use crate::serve::record::CallRecorder;

    #[test]
    fn only_this_machine_is_listened_to() {
        for good in
            ["127.0.0.1:0", "[::1]:80", "localhost:8080", "127.1.2.3:9", "[::ffff:127.0.0.1]:1"]
        {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in
            ["0.0.0.0:80", "[::]:80", "10.0.0.1:80", "127.0.0.1", "example.org:80", ":80", ""]
        {
            assert!(address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn requests_without_the_token_are_refused() {
        let header = |text: &str| HeaderValue::from_str(text).unwrap();
        assert!(is_known(Some(&header("Bearer abc")), "abc"));
        assert!(is_known(Some(&header("bearer  abc ")), "abc"));
        for bad in ["abc", "Bearer", "Bearer ", "Bearer abcd", "Basic abc", "Bearer ab"] {
            assert!(!is_known(Some(&header(bad)), "abc"), "{bad}");
        }
        assert!(!is_known(None, "abc"));
    }

    /// The head of the answer to a message.
    async fn post(server: SocketAddr, session: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(server).await.unwrap();
        let request = format!(
            "POST {PATH} HTTP/1.1\r\nHost: {server}\r\nAuthorization: Bearer t\r\nConnection: close\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n{session}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[expect(clippy::disallowed_methods, reason = "a workspace for the test")]
    fn host(folder: &std::path::Path) -> Arc<ServerState> {
        std::fs::create_dir(folder.join(".faber")).unwrap();
        std::fs::write(folder.join(".faber/config.yml"), "{}\n").unwrap();
        let start = camino::Utf8PathBuf::from_path_buf(folder.to_owned()).unwrap();
        let session = Session::open(&Settings { start, ..Settings::default() }).unwrap();
        let recorder = CallRecorder::new(None, false, Box::new(std::io::sink()));
        let hints = Box::new(|| 0);
        let (platform, role, scopes) = (None, None, Vec::new());
        Arc::new(ServerState::new(Start { session, platform, role, scopes, hints, recorder }))
    }

    #[test]
    fn a_session_ends_when_it_is_idle_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let host = host(folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(idle_sessions(host));
    }

    async fn idle_sessions(host: Arc<ServerState>) {
        let idle = Duration::from_millis(1500);
        let server = HttpServer::open(address("127.0.0.1:0").unwrap(), "t", host, idle);
        let server = server.await.unwrap();
        let to = server.listener.local_addr().unwrap();
        tokio::spawn(server.serve());
        let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",
            "capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
        let mut sessions = Vec::new();
        for _ in 0..2 {
            let answer = post(to, "", hello).await;
            let line = answer.lines().find(|it| it.to_lowercase().starts_with("mcp-session-id:"));
            sessions.push(format!("{}\r\n", line.unwrap()));
        }
        let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        for _ in 0..5 {
            let answer = post(to, &sessions[0], note).await;
            assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
            tokio::time::sleep(idle / 4).await;
        }
        let answer = post(to, &sessions[1], note).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
        let answer = post(to, &sessions[0], note).await;
        assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    }
}
