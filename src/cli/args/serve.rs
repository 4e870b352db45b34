//! Arguments of `faber serve` and `faber lsp`.

use camino::Utf8PathBuf;
use clap::{Args, ValueHint};

use super::common::{ROLE, ViewArgs};
#[cfg(feature = "store")]
use super::store::SharedArgs;
use crate::cli::values;
use faber_tools::search::scope::Scope;

#[derive(Debug, Args)]
#[command(next_help_heading = "Identity")]
pub struct IdentityArgs {
    /// Accept access tokens of this issuer; each request acts as the user of its token
    #[arg(long, value_name = "ISSUER", requires = "http")]
    pub oidc: Option<String>,
    /// The audience that tokens must have; default: the URL of the endpoint
    #[arg(long, value_name = "NAME", requires = "http")]
    pub audience: Option<String>,
    /// The public URL of the server, if it differs from the address: `https://HOST`
    #[arg(long, value_name = "URL", requires = "http")]
    pub url: Option<String>,
    /// Serve HTTPS with this certificate and its chain, as PEM
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_key"], value_hint = ValueHint::FilePath)]
    pub tls_cert: Option<Utf8PathBuf>,
    /// The private key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    pub tls_key: Option<Utf8PathBuf>,
    /// Accept only connections from proxies with these addresses, and trust the client addresses they send
    #[arg(long, value_name = "ADDRESS", requires = "http", value_delimiter = ',')]
    pub behind_proxy: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Serve HTTP on this address instead of standard input: `127.0.0.1:PORT`
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub http: Option<String>,
    /// The role, unless a call names one; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Serve only contexts of these scopes; default: all that the user may see
    #[arg(long = "allow-scope", value_parser = values::parser(Scope::WORDS), value_name = "SCOPE", value_delimiter = ',')]
    pub allow_scope: Vec<Scope>,
    /// Refuse calls that cannot be written to the audit log
    #[arg(long)]
    pub audit_required: bool,
    /// Let clients draft notes, with the tools `remember` and `propose_change`
    #[arg(long)]
    pub allow_write: bool,
    /// Serve texts even if they have a security error
    #[arg(long)]
    pub allow_insecure: bool,
    #[command(flatten)]
    pub identity: IdentityArgs,
    #[command(flatten)]
    pub view: ViewArgs,
    #[cfg(feature = "store")]
    #[command(flatten)]
    pub shared: SharedArgs,
}

#[derive(Debug, Args)]
pub struct Lsp {
    /// Use standard input and output (always the case; for editors that pass it)
    #[arg(long)]
    pub stdio: bool,
}
