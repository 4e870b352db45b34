//! What can be typed to serve agents.

use clap::Args;

use super::common::{ROLE, ViewArgs};
use crate::cli::values;
use faber_tools::search::scope::Scope;

/// `faber serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Serve HTTP on this local address instead of standard input: `127.0.0.1:PORT`
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub http: Option<String>,
    /// The role, unless a call names one; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Serve only contexts of these scopes; default: all that the user may see
    #[arg(long = "allow-scope", value_parser = values::parser(values::SCOPES), value_name = "SCOPE", value_delimiter = ',')]
    pub allow_scope: Vec<Scope>,
    /// Refuse calls that cannot be written to the audit log
    #[arg(long)]
    pub audit_required: bool,
    /// Serve texts although they have a security error
    #[arg(long)]
    pub allow_insecure: bool,
    /// Who asks, when and for what; no client can change it.
    #[command(flatten)]
    pub view: ViewArgs,
}
