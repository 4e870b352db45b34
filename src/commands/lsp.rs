//! `faber lsp`.

use faber_core::error::Error;
use faber_output::streams::ExitStatus;
use faber_server::lsp::server;
use faber_server::stdio::Stdio;
use faber_session::settings::Settings;

/// # Errors
///
/// Of streams.
pub fn run(settings: &Settings, stdio: Stdio) -> Result<ExitStatus, Error> {
    // If a pool exists, its stacks suffice for most texts.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(server::STACK).build_global();
    server::serve(settings, stdio)
}
