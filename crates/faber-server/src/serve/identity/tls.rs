use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::locked;
use crate::serve::identity::issuer::ReportFn;
use faber_core::error::Error;

const CHECKED: Duration = Duration::from_secs(60);

/// PEM: the chain, and the key of its first certificate.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    pub chain: String,
    pub key: String,
}

pub type CertificateSource = Arc<dyn Fn() -> Result<Certificate, Error> + Send + Sync>;

pub(crate) struct ServerTls {
    source: CertificateSource,
    elapsed: fn() -> Duration,
    state: Mutex<TlsState>,
}

struct TlsState {
    certificate: Certificate,
    acceptor: TlsAcceptor,
    checked: Duration,
    is_failing: bool,
}

impl ServerTls {
    pub(crate) fn new(source: CertificateSource, elapsed: fn() -> Duration) -> Result<Self, Error> {
        let certificate = source()?;
        let acceptor = acceptor(&certificate)?;
        let state = TlsState { certificate, acceptor, checked: elapsed(), is_failing: false };
        Ok(Self { source, elapsed, state: Mutex::new(state) })
    }

    pub(crate) fn acceptor(&self, report: &ReportFn) -> TlsAcceptor {
        let mut state = locked(&self.state);
        let now = (self.elapsed)();
        if now.saturating_sub(state.checked) >= CHECKED {
            state.checked = now;
            let was_failing = state.is_failing;
            let renewed = state.renew(&self.source);
            state.is_failing = renewed.is_err();
            match renewed {
                Ok(true) => report("the renewed certificate is used"),
                Err(error) if !was_failing => {
                    report(&format!("warning: the previous certificate is still used: {error}"));
                }
                Ok(false) | Err(_) => {}
            }
        }
        state.acceptor.clone()
    }
}

impl TlsState {
    fn renew(&mut self, source: &CertificateSource) -> Result<bool, Error> {
        let certificate = source()?;
        if certificate == self.certificate {
            return Ok(false);
        }
        self.acceptor = acceptor(&certificate)?;
        self.certificate = certificate;
        Ok(true)
    }
}

fn acceptor(certificate: &Certificate) -> Result<TlsAcceptor, Error> {
    let Certificate { chain, key } = certificate;
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
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Trusts the system or `SSL_CERT_FILE`.
pub(super) fn client() -> Result<Arc<ClientConfig>, Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        let message =
            "this system has no certificates of authorities, so no issuer can be verified";
        let help = "install its package `ca-certificates`, or set SSL_CERT_FILE";
        return Err(Error::usage(message, help));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::usage(format!("cannot use TLS: {error}"), "please report it"))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    const CHAIN: &str = include_str!("certificate-for-tests.pem");
    const KEY: &str = include_str!("certificate-key-for-tests.pem");
    static NOW: AtomicU64 = AtomicU64::new(0);

    fn elapsed() -> Duration {
        Duration::from_secs(NOW.load(Ordering::SeqCst))
    }

    #[test]
    fn a_renewed_certificate_is_used_and_a_broken_one_is_not() {
        let files = Arc::new(Mutex::new((CHAIN.to_owned(), KEY.to_owned())));
        let of_source = Arc::clone(&files);
        let source: CertificateSource = Arc::new(move || {
            let (chain, key) = of_source.lock().unwrap().clone();
            Ok(Certificate { chain, key })
        });
        let tls = ServerTls::new(source, elapsed).unwrap();
        let said = Arc::<Mutex<Vec<String>>>::default();
        let to = Arc::clone(&said);
        let report: ReportFn = Arc::new(move |text| to.lock().unwrap().push(text.to_owned()));
        let config = || Arc::clone(tls.acceptor(&report).config());
        let said = || std::mem::take(&mut *said.lock().unwrap());
        let first = config();
        let pass = |seconds| NOW.fetch_add(seconds, Ordering::SeqCst);
        pass(60);
        assert!(Arc::ptr_eq(&config(), &first), "the files are the same");
        files.lock().unwrap().0 = format!("renewed\n{CHAIN}");
        pass(59);
        assert!(Arc::ptr_eq(&config(), &first), "not yet");
        pass(1);
        let second = config();
        assert!(!Arc::ptr_eq(&second, &first));
        assert_eq!(said(), ["the renewed certificate is used"]);
        files.lock().unwrap().1 = CHAIN.to_owned();
        for _ in 0..3 {
            pass(60);
            assert!(Arc::ptr_eq(&config(), &second));
        }
        let [warning] = &said()[..] else { panic!("said once") };
        assert!(
            warning.starts_with("warning: the previous certificate is still used"),
            "{warning}"
        );
        *files.lock().unwrap() = (CHAIN.to_owned(), KEY.to_owned());
        pass(60);
        assert!(!Arc::ptr_eq(&config(), &second));
        assert_eq!(said(), ["the renewed certificate is used"]);
    }
}
