//! Arguments of `faber lsp`.

use clap::Args;

#[derive(Debug, Args)]
pub struct Lsp {
    /// Use standard input and output (always the case; for editors that pass it)
    #[arg(long)]
    pub stdio: bool,
}
