//! `faber serve`.

use std::sync::Arc;

use crate::cli::args::Serve;
#[cfg(feature = "store")]
use crate::commands::store::{audit, open};
use faber_core::error::Error;
use faber_output::streams::ExitStatus;
use faber_server::serve::start::{
    self, Certificate, CertificateSource, IdentityOptions, ServeOptions,
};
use faber_server::serve::state::SharedStore;
use faber_server::stdio::Stdio;
use faber_session::discover::files;
#[cfg(feature = "store")]
use faber_session::session::Session;
use faber_session::settings::Settings;

/// # Errors
///
/// Of certificates, keys and streams.
pub fn run(args: &Serve, settings: &Settings, stdio: Stdio) -> Result<ExitStatus, Error> {
    let identity = &args.identity;
    let paths = identity.tls_cert.as_ref().zip(identity.tls_key.as_ref());
    let certificate = paths.map(|(chain, key)| {
        let [chain, key] = [chain, key].map(|path| settings.cwd.join(path));
        let read = move || {
            Ok(Certificate { chain: files::read_input(&chain)?, key: files::read_input(&key)? })
        };
        Arc::new(read) as CertificateSource
    });
    let options = ServeOptions {
        http: args.http.clone(),
        identity: IdentityOptions {
            issuer: identity.oidc.clone(),
            audience: identity.audience.clone(),
            url: identity.url.clone(),
            certificate,
            proxies: identity.behind_proxy.clone(),
        },
        platform: args.view.platform.clone(),
        role: args.role.clone(),
        scopes: args.allow_scope.clone(),
        audit_required: args.audit_required,
        allow_write: args.allow_write,
    };
    let settings = Settings { allow_insecure: args.allow_insecure, ..settings.clone() };
    start::serve(options, &settings, shared(args, &settings)?, stdio)
}

#[cfg(feature = "store")]
fn shared(args: &Serve, settings: &Settings) -> Result<Option<SharedStore>, Error> {
    let session = Session::open(settings)?;
    let Some(store) = open::StorePool::new(&args.shared, &session)? else { return Ok(None) };
    if !args.allow_scope.is_empty() {
        return Err(Error::usage(
            "`--allow-scope` cannot be used with `--store`",
            "remove one of the two",
        ));
    }
    if session.workspace().config.audit.enabled {
        audit::ship_in_background(session.root(), &store.address);
    }
    Ok(Some(Arc::new(move |call| Ok(store.index(call)?.map(|index| index.index)))))
}

#[cfg(not(feature = "store"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn shared(_: &Serve, _: &Settings) -> Result<Option<SharedStore>, Error> {
    Ok(None)
}
