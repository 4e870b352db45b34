use std::sync::Arc;

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, HOST, HeaderValue, USER_AGENT};
use hyper::http::uri::Scheme;
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::serve::identity::network::is_safe;

const MAX_BODY: usize = 256 * 1024;

/// Follows no redirect.
pub(super) async fn get(url: &Uri, tls: Option<&Arc<ClientConfig>>) -> Result<Bytes, String> {
    ask(url, tls).await.map_err(|reason| format!("{url}: {reason}"))
}

async fn ask(url: &Uri, tls: Option<&Arc<ClientConfig>>) -> Result<Bytes, String> {
    let authority = url.authority().filter(|_| is_safe(url)).ok_or("not an address with https")?;
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let is_https = url.scheme() == Some(&Scheme::HTTPS);
    let port = authority.port_u16().unwrap_or(if is_https { 443 } else { 80 });
    let stream = TcpStream::connect((host, port)).await.map_err(|error| error.to_string())?;
    if !is_https {
        return exchange(url, authority.as_str(), stream).await;
    }
    let tls = tls.ok_or("not an address with https")?;
    let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
    let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await;
    exchange(url, authority.as_str(), stream.map_err(|error| error.to_string())?).await
}

async fn exchange(
    url: &Uri,
    host: &str,
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
) -> Result<Bytes, String> {
    let text = |error: hyper::Error| error.to_string();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(text)?;
    tokio::spawn(connection);
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    let request = Request::get(path)
        .header(HOST, host)
        .header(ACCEPT, HeaderValue::from_static("application/json"))
        .header(USER_AGENT, concat!("faber/", env!("CARGO_PKG_VERSION")))
        .body(Empty::<Bytes>::new())
        .map_err(|error| error.to_string())?;
    let answer = sender.send_request(request).await.map_err(text)?;
    if answer.status() != StatusCode::OK {
        return Err(format!("it answered {}", answer.status()));
    }
    let body = Limited::new(answer.into_body(), MAX_BODY).collect().await;
    let body = body.map_err(|_| format!("its answer breaks off, or has over {MAX_BODY} bytes"))?;
    Ok(body.to_bytes())
}
