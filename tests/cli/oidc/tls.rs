use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::Realm;
use crate::project::TestProject;
use crate::server::Server;

/// For `localhost` and `127.0.0.1`.
const CERTIFICATE: &str =
    include_str!("../../../crates/faber-server/src/serve/identity/certificate-for-tests.pem");
const KEY: &str =
    include_str!("../../../crates/faber-server/src/serve/identity/certificate-key-for-tests.pem");

#[test]
fn tokens_travel_encrypted() {
    let realm = Realm::new();
    let project = TestProject::with_role().file("cert.pem", CERTIFICATE).file("key.pem", KEY);
    let certificate = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let server = Server::start(&project, &realm, &certificate);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(&server.address).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    let port = server.address.rsplit(':').next().unwrap();
    let request = format!(
        "GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: localhost:{port}\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    assert!(text.contains(&format!(r#""resource":"https://127.0.0.1:{port}/mcp""#)), "{text}");
    assert_eq!(server.request("GET /.well-known/oauth-protected-resource", "", "").status, 0);
    let project = project.file("key.pem", CERTIFICATE);
    let local = ["serve", "--http", "127.0.0.1:0", "--oidc", &realm.issuer.url];
    let run = project.run(&[&local[..], &certificate].concat());
    assert!(run.code == 2 && run.stderr.contains("its key"), "{}", run.stderr);
}
