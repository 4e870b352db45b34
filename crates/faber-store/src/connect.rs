use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::{Client, IsolationLevel, NoTls, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::{StoreAddress, Tls};
use crate::error::StoreError;

pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StorePurpose {
    Read,
    Write,
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

pub(crate) async fn connect(address: &StoreAddress) -> Result<Client, StoreError> {
    match &address.tls {
        Tls::Off => {
            let (client, connection) = address.config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok(client)
        }
        Tls::Verified(authorities) => {
            let tls = MakeRustlsConnect::new(verifier(authorities.as_deref())?);
            let (client, connection) = address.config.connect(tls).await?;
            tokio::spawn(connection);
            Ok(client)
        }
    }
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

/// Settings are local to the transaction: poolers share connections.
pub(crate) async fn begin(
    client: &mut Client,
    purpose: StorePurpose,
) -> Result<Transaction<'_>, StoreError> {
    let is_reading = purpose == StorePurpose::Read;
    // Reads need one snapshot; writes must see commits they waited for.
    let level =
        if is_reading { IsolationLevel::RepeatableRead } else { IsolationLevel::ReadCommitted };
    let builder = client.build_transaction().isolation_level(level).read_only(is_reading);
    let transaction = builder.start().await?;
    let timeout = if is_reading { TIMEOUT } else { WRITE_TIMEOUT };
    let (role, time) = (purpose.role(), timeout.as_millis());
    let settings = format!(
        "SET LOCAL ROLE {role}; SET LOCAL statement_timeout = {time}; SET LOCAL jit = off; \
         SET LOCAL max_parallel_workers_per_gather = 0; \
         SET LOCAL search_path = pg_catalog, faber, public"
    );
    transaction.batch_execute(&settings).await?;
    Ok(transaction)
}
