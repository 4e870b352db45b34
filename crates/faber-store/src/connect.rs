//! Connections, and the transactions in which a role and a principal hold.

use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::{Client, IsolationLevel, NoTls, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::{StoreAddress, Tls};
use crate::error::StoreError;

/// The most time that one statement of an answer takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// The most time that one statement of a change takes.
pub(crate) const LONG_PATIENCE: Duration = Duration::from_secs(600);

/// What a transaction is for, which says in which role it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StorePurpose {
    Read,
    Write,
    /// Adding lines to the log, which readers do as well.
    Ship,
    Administer,
}

impl StorePurpose {
    fn role(self) -> &'static str {
        match self {
            Self::Read | Self::Ship => "faber_reader",
            Self::Write => "faber_writer",
            Self::Administer => "faber_admin",
        }
    }
}

/// Connects; the connection works as long as the runtime that this is called in.
pub(crate) async fn connect(address: &StoreAddress) -> Result<Client, StoreError> {
    let client = match &address.tls {
        Tls::Off => {
            let (client, connection) = address.config.connect(NoTls).await?;
            tokio::spawn(connection);
            client
        }
        Tls::Verified(authorities) => {
            let tls = MakeRustlsConnect::new(verifier(authorities.as_deref())?);
            let (client, connection) = address.config.connect(tls).await?;
            tokio::spawn(connection);
            client
        }
    };
    Ok(client)
}

fn verifier(authorities: Option<&camino::Utf8Path>) -> Result<ClientConfig, StoreError> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(path) => {
            let unreadable = |error| {
                StoreError::usage(
                    format!("cannot read the certificates in `{path}`: {error}"),
                    "name a file of certificates in PEM with `sslrootcert`",
                )
            };
            let all = CertificateDer::pem_file_iter(path).map_err(unreadable)?;
            for certificate in all {
                let certificate = certificate.map_err(unreadable)?;
                roots.add(certificate).map_err(|error| StoreError::Failed(error.to_string()))?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = versions.map_err(|error| StoreError::Failed(error.to_string()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Begins a transaction in the role of its purpose. Nothing that it sets outlasts it, also where a pooler
/// shares connections.
pub(crate) async fn begin(
    client: &mut Client,
    purpose: StorePurpose,
) -> Result<Transaction<'_>, StoreError> {
    let is_reading = purpose == StorePurpose::Read;
    // An answer is of one state. A change waits for others, and has to see what they did.
    let level =
        if is_reading { IsolationLevel::RepeatableRead } else { IsolationLevel::ReadCommitted };
    let builder = client.build_transaction().isolation_level(level).read_only(is_reading);
    let transaction = builder.start().await?;
    let patience = if is_reading { PATIENCE } else { LONG_PATIENCE };
    let (role, time) = (purpose.role(), patience.as_millis());
    // Compiling, and starting workers, takes longer than answering.
    let settings = format!(
        "SET LOCAL ROLE {role}; SET LOCAL statement_timeout = {time}; SET LOCAL jit = off; \
         SET LOCAL max_parallel_workers_per_gather = 0; \
         SET LOCAL search_path = pg_catalog, faber, public"
    );
    transaction.batch_execute(&settings).await?;
    Ok(transaction)
}
