//! Any local program or web page can reach a port: requests need a token, the right `Host` and no
//! foreign `Origin`.

mod access;
mod answers;
mod sessions;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::http::uri::Authority;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::{ErrorData, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::locked;
use crate::serve::identity::authorizer::Admission;
use crate::serve::identity::issuer::ReportFn;
use crate::serve::identity::network::{self, Network};
use crate::serve::identity::tls::ServerTls;
use crate::serve::mcp::{McpHandler, TURNS};
use crate::serve::stdio::{MAX_MESSAGE, ParsedLine, understand};
use faber_core::error::Error;

pub(crate) use access::HttpAccess;
pub(crate) use answers::PATH;
use answers::{HttpResponse, closing, limited, refusal, response};
use sessions::Sessions;

/// A further connection closes the oldest.
const MAX_UNAUTHENTICATED: usize = 256;
pub(crate) const IDLE: Duration = Duration::from_secs(10 * 60);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_HEAD_BYTES: usize = 64 * 1024;
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

type Service = StreamableHttpService<McpHandler, LocalSessionManager>;

pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    pub(crate) origin: Option<String>,
    pub(crate) tls: Option<ServerTls>,
    pub(crate) proxies: Vec<Network>,
    pub(crate) idle: Duration,
}

pub(crate) struct HttpServer {
    listener: TcpListener,
    endpoint: Endpoint,
    bound: SocketAddr,
}

struct HttpState {
    service: Service,
    sessions: Sessions,
    access: HttpAccess,
    tls: Option<ServerTls>,
    report: ReportFn,
    proxies: Vec<Network>,
    names: Vec<String>,
    origins: Vec<String>,
    places: Arc<Semaphore>,
    strangers: Mutex<UnauthenticatedConnections>,
}

pub(crate) fn address(text: &str) -> Result<SocketAddr, Error> {
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    named.as_deref().unwrap_or(text).parse().map_err(|_| {
        let message = format!("`{text}` is not an address with a port");
        Error::usage(message, "write `127.0.0.1:PORT`; port 0 takes a free one")
    })
}

pub(crate) fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

pub(crate) fn origin(text: &str) -> Result<String, Error> {
    let read = || {
        let url: Uri = text.parse().ok().filter(network::is_safe)?;
        let is_origin = url.path() == "/" && url.query().is_none();
        is_origin.then(|| text.trim_end_matches('/').to_ascii_lowercase())
    };
    read().ok_or_else(|| {
        let help = "write `https://HOST` or `https://HOST:PORT`; the endpoint is at `/mcp` there";
        Error::usage(format!("`{text}` is not the URL of a server"), help)
    })
}

fn spellings(origin: &str) -> Vec<String> {
    let port = if origin.starts_with("https") { ":443" } else { ":80" };
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let has_port = host.trim_end_matches(|it: char| it.is_ascii_digit()).ends_with(':');
    match (origin.strip_suffix(port), has_port) {
        (Some(without), _) => vec![origin.to_owned(), without.to_owned()],
        (None, true) => vec![origin.to_owned()],
        (None, false) => vec![origin.to_owned(), format!("{origin}{port}")],
    }
}

impl HttpServer {
    pub(crate) async fn open(endpoint: Endpoint) -> Result<Self, Error> {
        let address = endpoint.address;
        let fail =
            |source| Error::Io { action: "listen on", path: address.to_string().into(), source };
        let listener = TcpListener::bind(address).await.map_err(fail)?;
        let bound = listener.local_addr().map_err(fail)?;
        Ok(Self { listener, endpoint, bound })
    }

    pub(crate) fn origin(&self) -> String {
        let scheme = if self.endpoint.tls.is_some() { "https" } else { "http" };
        self.endpoint.origin.clone().unwrap_or_else(|| format!("{scheme}://{}", self.bound))
    }

    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.endpoint.origin.is_some().then_some(self.bound)
    }

    fn origins(&self) -> Vec<String> {
        if self.endpoint.origin.is_some() {
            return spellings(&self.origin());
        }
        let port = self.bound.port();
        let scheme = if self.endpoint.tls.is_some() { "https" } else { "http" };
        let bound = self.bound.to_string();
        let own = bound.trim_end_matches(&format!(":{port}"));
        let names = ["localhost", "127.0.0.1", "[::1]", own];
        names.iter().flat_map(|name| spellings(&format!("{scheme}://{name}:{port}"))).collect()
    }

    pub(crate) async fn serve(self, access: HttpAccess, report: ReportFn) {
        let origins = self.origins();
        let host = |origin: &String| origin.split_once("://").map(|(_, host)| host.to_owned());
        let names = origins.iter().filter_map(host).collect();
        let Self { listener, endpoint, .. } = self;
        let turns = Arc::new(Semaphore::new(TURNS));
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(endpoint.idle);
        let manager = Arc::new(manager);
        let service = StreamableHttpService::new(
            move || McpHandler::new(None, Arc::clone(&turns)),
            Arc::clone(&manager),
            // `respond` checks `Host` and `Origin` more strictly.
            StreamableHttpServerConfig::default().disable_allowed_hosts(),
        );
        let [connections, sessions, sessions_each] = access.limits();
        let state = Arc::new(HttpState {
            service,
            sessions: Sessions::new(manager, sessions, sessions_each),
            places: Arc::new(Semaphore::new(connections)),
            access,
            tls: endpoint.tls,
            report,
            proxies: endpoint.proxies,
            names,
            origins,
            strangers: Mutex::default(),
        });
        loop {
            let Ok((stream, from)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            state.admit(stream, from.ip());
            // Lets a client send its token before the next connection.
            tokio::task::yield_now().await;
        }
    }
}

#[derive(Default)]
struct UnauthenticatedConnections {
    next: u64,
    tasks: BTreeMap<u64, AbortHandle>,
}

struct Connection {
    state: Arc<HttpState>,
    number: u64,
    from: IpAddr,
    place: OnceLock<[Option<OwnedSemaphorePermit>; 2]>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        locked(&self.state.strangers).tasks.remove(&self.number);
    }
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        let Some(tls) = &self.state.tls else { return self.serve_http(stream).await };
        if let Ok(Ok(stream)) =
            timeout(REQUEST_TIMEOUT, tls.acceptor(&self.state.report).accept(stream)).await
        {
            self.serve_http(stream).await;
        }
    }

    async fn serve_http(&self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let answer =
            service_fn(|request| async { Ok::<_, Infallible>(self.respond(request).await) });
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(REQUEST_TIMEOUT)
            .max_buf_size(MAX_HEAD_BYTES);
        let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
    }

    async fn respond(&self, request: Request<Incoming>) -> HttpResponse {
        let state = &self.state;
        if let Some(answer) = state.access.public(request.method(), request.uri().path()) {
            return answer;
        }
        let from = network::client(self.from, request.headers(), &state.proxies);
        let admission = match state.access.admit(request.headers(), from).await {
            Ok(admission) => admission,
            Err(answer) => return answer,
        };
        if !self.has_place(&admission) {
            return refusal(StatusCode::SERVICE_UNAVAILABLE, "too many connections\n");
        }
        if !state.is_addressed(&request) {
            let text = "`Host` and `Origin` must each name this server, and once\n";
            return refusal(StatusCode::FORBIDDEN, text);
        }
        if request.uri().path() != PATH {
            return refusal(StatusCode::NOT_FOUND, "the server is at /mcp\n");
        }
        state.answer(request, admission).await
    }

    /// A proxy's connections do not count per client.
    fn has_place(&self, admission: &Admission) -> bool {
        if self.place.get().is_none() {
            let take = |from: &Arc<Semaphore>| Arc::clone(from).try_acquire_owned();
            let Ok(place) = take(&self.state.places) else { return false };
            let is_direct = self.state.proxies.is_empty();
            let own = is_direct.then(|| take(&admission.connections)).transpose();
            let Ok(own) = own else { return false };
            locked(&self.state.strangers).tasks.remove(&self.number);
            let _ = self.place.set([Some(place), own]);
        }
        true
    }
}

impl HttpState {
    fn admit(self: &Arc<Self>, stream: TcpStream, from: IpAddr) {
        if !self.proxies.is_empty() && !self.proxies.iter().any(|proxy| proxy.contains(from)) {
            return;
        }
        let mut strangers = locked(&self.strangers);
        let number = strangers.next;
        strangers.next += 1;
        let line = Connection { state: Arc::clone(self), number, from, place: OnceLock::new() };
        let task = tokio::spawn(line.serve(stream)).abort_handle();
        strangers.tasks.insert(number, task);
        if strangers.tasks.len() > MAX_UNAUTHENTICATED
            && let Some((_, oldest)) = strangers.tasks.pop_first()
        {
            oldest.abort();
        }
    }

    /// Against DNS rebinding.
    fn is_addressed(&self, request: &Request<Incoming>) -> bool {
        let is_one_of =
            |name: &str, known: &[String]| known.iter().any(|own| own.eq_ignore_ascii_case(name));
        let named = request.uri().authority().map(Authority::as_str);
        let (host, origin) = (only(request.headers(), HOST), only(request.headers(), ORIGIN));
        named.is_none_or(|name| is_one_of(name, &self.names))
            && matches!(host, Ok(Some(host)) if is_one_of(host, &self.names))
            && origin.is_ok_and(|it| it.is_none_or(|origin| is_one_of(origin, &self.origins)))
    }

    async fn answer(&self, request: Request<Incoming>, admission: Admission) -> HttpResponse {
        let (mut head, body) = request.into_parts();
        let Admission { caller, user, left, .. } = admission;
        let session = head.headers.get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        if let Some(id) = &session
            && !self.sessions.is_open_to(id, &user).await
        {
            return closing(refusal(StatusCode::NOT_FOUND, "Not Found: Session not found"));
        }
        let size = body.size_hint().upper().unwrap_or(MAX_MESSAGE).min(MAX_MESSAGE);
        if let Some(answer) = self.access.charge(&user, size) {
            return answer;
        }
        let body = match whole(body).await {
            Ok(body) => body,
            Err(answer) => return answer,
        };
        let kind = head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_json = kind.is_some_and(|kind| kind.trim_start().starts_with("application/json"));
        if head.method == Method::POST
            && is_json
            && let Some(error) = mistake(&body)
        {
            return error;
        }
        if let Some(id) = &session {
            self.sessions.use_one(id, &user).await;
        }
        head.extensions.insert(caller);
        accept_any(&mut head.headers);
        let answer = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        if let Some(id) = answer.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            self.sessions.use_one(id, &user).await;
        }
        limited(answer, left)
    }
}

fn accept_any(headers: &mut HeaderMap) {
    let is_any = |value: &HeaderValue| value.to_str().is_ok_and(|text| text.contains("*/*"));
    if headers.get_all(ACCEPT).iter().any(is_any) {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, both);
    }
}

async fn whole(body: Incoming) -> Result<Bytes, HttpResponse> {
    let limit = usize::try_from(MAX_MESSAGE).unwrap_or(usize::MAX);
    let (status, text) = match timeout(REQUEST_TIMEOUT, Limited::new(body, limit).collect()).await {
        Ok(Ok(body)) => return Ok(body.to_bytes()),
        Ok(Err(_)) => {
            let text = "a message has at most 4 MiB, and arrives as a whole\n";
            (StatusCode::PAYLOAD_TOO_LARGE, text)
        }
        Err(_) => (StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time\n"),
    };
    Err(closing(refusal(status, text)))
}

fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().map(HeaderValue::to_str).transpose().map_err(|_| ())?;
    if values.next().is_none() { Ok(value) } else { Err(()) }
}

fn mistake(body: &[u8]) -> Option<HttpResponse> {
    let (error, id) = match understand(body, &mut true) {
        ParsedLine::Message(_) => return None,
        ParsedLine::Bad(error, id) => (error, id),
        ParsedLine::Nothing => {
            (ErrorData::invalid_request("not a JSON-RPC 2.0 message", None), None)
        }
    };
    let text = serde_json::to_vec(&ServerJsonRpcMessage::error(error, id)).unwrap_or_default();
    let mut answer = response(StatusCode::BAD_REQUEST, text);
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Some(answer)
}

#[cfg(test)]
mod tests {
    use faber_session::session::Session;
    use faber_session::settings::Settings;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::serve::mcp::Caller;
    use crate::serve::record::CallRecorder;
    use crate::serve::state::{ServerState, Start};

    #[test]
    fn an_address_has_a_port() {
        for good in
            ["127.0.0.1:0", "[::1]:80", "localhost:8080", "127.1.2.3:9", "[::ffff:127.0.0.1]:1"]
        {
            assert!(address(good).is_ok_and(|address| is_loopback(address.ip())), "{good}");
        }
        for open in ["0.0.0.0:80", "[::]:80", "10.0.0.1:80"] {
            assert!(address(open).is_ok_and(|address| !is_loopback(address.ip())), "{open}");
        }
        for bad in ["127.0.0.1", "example.org:80", ":80", ""] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_origin_is_encrypted_or_on_this_machine() {
        let good = |text: &str| origin(text).unwrap();
        assert_eq!(good("https://Faber.example/"), "https://faber.example");
        assert_eq!(good("https://faber.example:8443"), "https://faber.example:8443");
        assert_eq!(good("http://localhost:8321"), "http://localhost:8321");
        for bad in [
            "faber.example",
            "http://faber.example",
            "https://faber.example/mcp",
            "https://a@faber.example",
            "https://faber.example?a=b",
            "",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
        assert_eq!(spellings("https://a"), ["https://a", "https://a:443"]);
        assert_eq!(spellings("https://a:443"), ["https://a:443", "https://a"]);
        assert_eq!(spellings("https://[::1]"), ["https://[::1]", "https://[::1]:443"]);
        assert_eq!(spellings("http://a:81"), ["http://a:81"]);
    }

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
        Arc::new(ServerState::new(Start {
            session,
            platform: None,
            role: None,
            scopes: Vec::new(),
            allow_write: false,
            hints: Arc::new(|| 0),
            recorder: Arc::new(CallRecorder::new(None, false, Box::new(std::io::sink()))),
            shared: None,
        }))
    }

    #[test]
    fn a_session_ends_when_it_is_idle_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let host = host(folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(idle_sessions(host));
    }

    async fn idle_sessions(state: Arc<ServerState>) {
        let idle = Duration::from_millis(1500);
        let address = address("127.0.0.1:0").unwrap();
        let endpoint = Endpoint { address, origin: None, tls: None, proxies: Vec::new(), idle };
        let server = HttpServer::open(endpoint).await.unwrap();
        let to = server.bound;
        let access = HttpAccess::Token { token: "t".to_owned(), caller: Caller::only(state) };
        tokio::spawn(server.serve(access, Arc::new(|_| {})));
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
