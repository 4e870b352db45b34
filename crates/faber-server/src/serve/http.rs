//! The protocol over HTTP, for clients on this machine.
//!
//! Anything on this machine, a web page in a browser included, can send requests to a port. So one
//! is answered only when it knows the token of the server, names this machine as its host, and does
//! not come from a page of somewhere else.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::serve::host::Host;
use crate::serve::mcp::{Server, TURNS};
use faber_core::error::Error;

/// Where clients find the server.
pub const PATH: &str = "/mcp";

/// The most connections at the same time.
const MOST_CONNECTIONS: usize = 256;
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Server, LocalSessionManager>;

/// A port that is open.
pub struct Door {
    listener: TcpListener,
    service: Service,
    token: Arc<str>,
}

/// The address to listen on.
///
/// # Errors
///
/// [`Error::Usage`] when `text` is none, or would be open to other machines.
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
    Err(Error::usage(format!("`{text}` would be open to other machines"), help))
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

impl Door {
    /// Opens a port.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the port cannot be had.
    pub async fn open(address: SocketAddr, token: &str, host: Arc<Host>) -> Result<Self, Error> {
        let fail =
            |source| Error::Io { action: "listen on", path: address.to_string().into(), source };
        let listener = TcpListener::bind(address).await.map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        let bound = SocketAddr::new(address.ip(), port).to_string();
        let own = bound.trim_end_matches(&format!(":{port}")).to_owned();
        let mut names: Vec<String> =
            ["localhost", "127.0.0.1", "[::1]", &own].map(|name| format!("{name}:{port}")).to_vec();
        if port == 80 {
            // Clients leave out what is usual.
            names.extend(["localhost", "127.0.0.1", "[::1]", &own].map(str::to_owned));
        }
        let origins: Vec<String> = names.iter().map(|name| format!("http://{name}")).collect();
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(names)
            .with_allowed_origins(origins)
            .enforce_origin_validation();
        let turns = Arc::new(Semaphore::new(TURNS));
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(
            move || Server::new(Arc::clone(&host), Arc::clone(&turns)),
            sessions,
            config,
        );
        Ok(Self { listener, service, token: token.into() })
    }

    /// Where it is.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system does not say.
    pub fn url(&self) -> Result<String, Error> {
        let fail = |source| Error::Io { action: "listen on", path: "the port".into(), source };
        Ok(format!("http://{}{PATH}", self.listener.local_addr().map_err(fail)?))
    }

    /// Answers whoever comes, until it is dropped.
    pub async fn serve(self) {
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            // Too many connections are a matter of a moment.
            let Ok((stream, _)) = self.listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let (service, token) = (self.service.clone(), Arc::clone(&self.token));
            let answer =
                service_fn(move |request| respond(service.clone(), token.clone(), request));
            tokio::spawn(async move {
                // That a client goes away is no failure.
                let _place = place;
                let mut builder = http1::Builder::new();
                builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
                let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
            });
        }
    }
}

async fn respond(
    service: Service,
    token: Arc<str>,
    request: Request<Incoming>,
) -> Result<Answer, Infallible> {
    if !is_known(request.headers().get(AUTHORIZATION), &token) {
        let mut answer = refusal(StatusCode::UNAUTHORIZED, "send the token of this server\n");
        answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return Ok(answer);
    }
    if request.uri().path() != PATH {
        return Ok(refusal(StatusCode::NOT_FOUND, "the server is at /mcp\n"));
    }
    Ok(service.handle(request).await)
}

/// Whether a request brings the token. The comparison takes as long for a wrong one as for the right
/// one.
fn is_known(header: Option<&HeaderValue>, token: &str) -> bool {
    let given =
        header.and_then(|value| value.to_str().ok()).and_then(|value| value.split_once(' '));
    let Some((scheme, given)) = given else { return false };
    let same = blake3::hash(given.trim().as_bytes()) == blake3::hash(token.as_bytes());
    scheme.eq_ignore_ascii_case("bearer") && same
}

fn refusal(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn who_does_not_know_the_token_is_sent_away() {
        let header = |text: &str| HeaderValue::from_str(text).unwrap();
        assert!(is_known(Some(&header("Bearer abc")), "abc"));
        assert!(is_known(Some(&header("bearer  abc ")), "abc"));
        for bad in ["abc", "Bearer", "Bearer ", "Bearer abcd", "Basic abc", "Bearer ab"] {
            assert!(!is_known(Some(&header(bad)), "abc"), "{bad}");
        }
        assert!(!is_known(None, "abc"));
    }
}
