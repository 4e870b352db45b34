//! Arguments of `faber hook`.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueHint};

use super::common::DataFormat;
use crate::cli::deferred::Deferred;
use crate::cli::{examples, values};
use faber_server::hook::client::{Client, HookScope};
use faber_tools::hook::event::EventKind;

#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Add faber to the hook file of a client
    #[command(after_long_help = examples::HOOK_INSTALL)]
    Install(Deferred<HookInstall>),
    /// Remove faber from the hook file of a client
    Uninstall(Deferred<HookUninstall>),
    /// Show where hooks are installed, and the results of the last calls
    Status(Deferred<HookStatus>),
    /// Answer the event on standard input; clients call this
    Run(Deferred<HookRun>),
    /// Show what each prompt of a past conversation would have been given
    #[command(after_long_help = examples::HOOK_REPLAY)]
    Replay(Deferred<HookReplay>),
}

#[derive(Debug, Args)]
pub struct HookInstall {
    /// The client
    #[arg(value_parser = values::parser(values::HOOK_CLIENTS))]
    pub client: Client,
    /// Which hook file
    #[arg(long, value_parser = values::parser(HookScope::WORDS), value_name = "SCOPE", default_value = "project")]
    pub scope: HookScope,
    /// Only these events; default: events that add contexts or that faber tracks
    #[arg(long, value_parser = values::parser(EventKind::WORDS), value_name = "EVENT,…", value_delimiter = ',')]
    pub events: Vec<EventKind>,
    /// Write nothing; exit 1 with a diff if the file is out of date
    #[arg(long, conflicts_with = "dry_run")]
    pub check: bool,
    /// Write nothing; print the diff
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct HookUninstall {
    /// The client
    #[arg(value_parser = values::parser(values::HOOK_CLIENTS))]
    pub client: Client,
    /// Which hook file
    #[arg(long, value_parser = values::parser(HookScope::WORDS), value_name = "SCOPE", default_value = "project")]
    pub scope: HookScope,
    /// Write nothing; print the diff
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct HookStatus {
    /// How many of the last calls to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = values::count::<usize>)]
    pub calls: usize,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Debug, Args)]
pub struct HookRun {
    /// The client, if neither the event nor the environment identifies it: claude, codex, cursor, copilot, gemini, vscode or opencode
    #[arg(long, value_name = "CLIENT")]
    pub client: Option<String>,
    /// The client's name of the event, if the input does not contain it
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
    /// Fail if an error prevents an answer, for tests
    #[arg(long)]
    pub strict: bool,
}

#[derive(Debug, Args)]
pub struct HookReplay {
    /// The transcript of a client, or faber's audit log; `-` reads standard input
    #[arg(value_name = "TRANSCRIPT|-", value_hint = ValueHint::FilePath)]
    pub transcript: Utf8PathBuf,
    /// The client whose limits apply
    #[arg(long, value_parser = values::parser(values::HOOK_CLIENTS), value_name = "CLIENT", default_value = "claude")]
    pub client: Client,
    /// Print how long each answer took
    #[arg(long)]
    pub timings: bool,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}
