//! What can be typed to serve editors.

use clap::Args;

/// `faber lsp`.
#[derive(Debug, Args)]
pub struct Lsp {
    /// Speak over standard input and output, which it does in any case
    #[arg(long)]
    pub stdio: bool,
}
