//! TLS: the certificate of the server, and the authorities that it trusts for issuers.

use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use faber_core::error::Error;

/// How the server answers over TLS: with a chain of certificates and the key of the first, each as PEM.
///
/// # Errors
///
/// [`Error::Usage`] if certificate or key cannot be read, or do not belong together.
pub(crate) fn server(chain: &str, key: &str) -> Result<Arc<ServerConfig>, Error> {
    let fail = |error: &dyn std::fmt::Display| {
        Error::usage(
            format!("cannot use the certificate: {error}"),
            "`--tls-cert` takes a PEM file with the certificate and its chain, `--tls-key` one with its \
             private key",
        )
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(chain.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| fail(&error))?;
    if chain.is_empty() {
        return Err(fail(&"the file has none"));
    }
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
        .map_err(|error| fail(&format!("its key: {error}")))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| fail(&error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// How the server asks an issuer: with the authorities that the system trusts, or those of
/// `SSL_CERT_FILE`.
///
/// # Errors
///
/// [`Error::Usage`] if the system has no authorities.
pub(super) fn client() -> Result<Arc<ClientConfig>, Error> {
    let mut roots = RootCertStore::empty();
    // One that cannot be read vouches for nothing.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(Error::usage(
            "this system has no certificates of authorities, so no issuer can be verified",
            "install its package `ca-certificates`, or set SSL_CERT_FILE",
        ));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::usage(format!("cannot use TLS: {error}"), "please report it"))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}
