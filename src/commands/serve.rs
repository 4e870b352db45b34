//! `faber serve`.

use camino::Utf8PathBuf;

use crate::cli::args::Serve;
use faber_core::error::Error;
use faber_output::streams::ExitStatus;
use faber_server::ends::Stdio;
use faber_server::serve::start::{self, Certificate, IdentityOptions, ServeOptions};
use faber_session::discover::files;
use faber_session::settings::Settings;

/// Serves until the client disconnects or a signal.
///
/// # Errors
///
/// [`Error::Usage`] if certificate or key cannot be read; as [`start::serve`].
pub fn run(args: &Serve, settings: &Settings, ends: Stdio) -> Result<ExitStatus, Error> {
    let identity = &args.identity;
    let read = |path: &Utf8PathBuf| files::read_input(&settings.cwd.join(path));
    let certificate = identity.tls_cert.as_ref().zip(identity.tls_key.as_ref());
    let certificate = certificate
        .map(|(chain, key)| Ok::<_, Error>(Certificate { chain: read(chain)?, key: read(key)? }));
    let options = ServeOptions {
        http: args.http.clone(),
        identity: IdentityOptions {
            issuer: identity.oidc.clone(),
            audience: identity.audience.clone(),
            url: identity.url.clone(),
            certificate: certificate.transpose()?,
            proxies: identity.behind_proxy.clone(),
        },
        platform: args.view.platform.clone(),
        role: args.role.clone(),
        scopes: args.allow_scope.clone(),
        audit_required: args.audit_required,
        allow_write: args.allow_write,
    };
    let settings = Settings { allow_insecure: args.allow_insecure, ..settings.clone() };
    start::serve(options, &settings, ends)
}
