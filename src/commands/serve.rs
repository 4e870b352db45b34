//! `faber serve`.

use crate::cli::args::Serve;
use faber_core::error::Error;
use faber_output::streams::ExitStatus;
use faber_server::ends::Stdio;
use faber_server::serve::start::{self, ServeOptions};
use faber_session::settings::Settings;

/// Serves until the client disconnects or a signal.
///
/// # Errors
///
/// As [`start::serve`].
pub fn run(args: &Serve, settings: &Settings, ends: Stdio) -> Result<ExitStatus, Error> {
    let options = ServeOptions {
        http: args.http.clone(),
        platform: args.view.platform.clone(),
        role: args.role.clone(),
        scopes: args.allow_scope.clone(),
        audit_required: args.audit_required,
    };
    let settings = Settings { allow_insecure: args.allow_insecure, ..settings.clone() };
    start::serve(options, &settings, ends)
}
