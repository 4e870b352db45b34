//! What can be typed to exchange contexts with other tools.

use camino::Utf8PathBuf;
use clap::{Args, ValueHint};

use super::{DataFormat, ROLE, ViewArgs};
use crate::exchange::target::Target;

/// `faber import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Files and folders; before them, if anything, the format that they are all of: agents-md,
    /// claude, skills, cursor, copilot, continue, cline or openhands
    #[arg(required = true, value_name = "[FORMAT] PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<Utf8PathBuf>,
    /// Say what would be created, and create nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The folder that gets the contexts: a workspace, a role or an overlay; default: the workspace
    /// around the current directory, else a new one there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub into: Option<Utf8PathBuf>,
    /// The form of the output
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

/// `faber export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The tool
    #[arg(value_enum)]
    pub target: Target,
    /// The role; default: `settings.role`, else the only one, else the contexts that all share
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Write nothing; end with status 1 and the difference when a file is not as it would be written
    #[arg(long, conflicts_with = "dry_run")]
    pub check: bool,
    /// Write nothing; say what would be written, and what the tool will cut of it
    #[arg(long)]
    pub dry_run: bool,
    /// The form of the output
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    /// For which platform, team and so on. What is private or internal is never exported, nor is
    /// the user's overlay.
    #[command(flatten)]
    pub view: ViewArgs,
}
