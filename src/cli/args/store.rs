//! Arguments of `faber store` and `faber audit`.

use camino::Utf8PathBuf;
use clap::{ArgGroup, Args, Subcommand, ValueHint};

use super::common::{DataFormat, ViewArgs};
use crate::cli::deferred::Deferred;
use faber_session::audit::since::Since;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Store")]
pub struct SharedArgs {
    /// Answer from a store; default address: `FABER_STORE_URL`, `store.url`, libpq's variables
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub store: Option<String>,
    /// Use only this space of the store, and omit it from ids
    #[arg(long, value_name = "ORGANIZATION/NAME", requires = "store")]
    pub space: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Create the schema `faber` in a database
    Init(Deferred<StoreConnection>),
    /// Update the schema, and add a vector index if there are many vectors
    Migrate(Deferred<StoreConnection>),
    /// Write the workspace as a space of the store
    Push(Deferred<StorePush>),
    /// Copy the source files of a space into a directory
    Pull(Deferred<StorePull>),
    /// Show the spaces of the store, their revisions and sizes
    Status(Deferred<StoreState>),
    /// Remove a space from the store
    Drop(Deferred<StoreDrop>),
    /// Erase history, notes and log contents of a person, or a conversation
    Forget(Deferred<StoreForget>),
    /// Erase history, notes and log lines that are older than `store.keep_days`
    Prune(Deferred<StoreConnection>),
}

impl StoreCommand {
    pub fn view(&self) -> ViewArgs {
        match self {
            Self::Push(args) => args.view.clone(),
            Self::Pull(args) => args.view.clone(),
            _ => ViewArgs::default(),
        }
    }
}

#[derive(Clone, Debug, Args)]
pub struct StoreConnection {
    /// The address; default: `FABER_STORE_URL`, `store.url`, libpq's variables
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
}

#[derive(Debug, Args)]
pub struct StoreState {
    #[command(flatten)]
    pub at: StoreConnection,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Debug, Args)]
pub struct StorePush {
    #[command(flatten)]
    pub at: StoreConnection,
    /// The space to write
    #[arg(long, value_name = "ORGANIZATION/NAME", env = "FABER_STORE_SPACE", hide_env = true)]
    pub space: String,
    /// A name for this revision of the workspace; default: the git commit
    #[arg(long, value_name = "TEXT")]
    pub revision: Option<String>,
    #[command(flatten)]
    pub view: ViewArgs,
}

#[derive(Debug, Args)]
pub struct StorePull {
    /// The directory to write to
    #[arg(value_name = "DIRECTORY", value_hint = ValueHint::DirPath)]
    pub folder: Utf8PathBuf,
    #[command(flatten)]
    pub at: StoreConnection,
    /// The space to copy
    #[arg(long, value_name = "ORGANIZATION/NAME", env = "FABER_STORE_SPACE", hide_env = true)]
    pub space: String,
    #[command(flatten)]
    pub view: ViewArgs,
}

#[derive(Debug, Args)]
pub struct StoreDrop {
    #[command(flatten)]
    pub at: StoreConnection,
    /// The space to remove
    #[arg(long, value_name = "ORGANIZATION/NAME")]
    pub space: String,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("subject").required(true)))]
pub struct StoreForget {
    #[command(flatten)]
    pub at: StoreConnection,
    /// Erase history and notes that this user owns, and the contents of the user's log lines
    #[arg(long, value_name = "USER", group = "subject")]
    pub principal: Option<String>,
    /// Erase this conversation: `history/NAME.jsonl`
    #[arg(long, value_name = "ID", group = "subject")]
    pub conversation: Option<String>,
    /// Erase history and notes whose `owner` this is; log lines stay
    #[arg(long, value_name = "OWNER", group = "subject")]
    pub owner: Option<String>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Copy new lines of this workspace's audit log to the store
    Ship(Deferred<StoreConnection>),
    /// List the calls that returned a text, in all logs of the store
    WhoSaw {
        /// The id of the text
        id: String,
        #[command(flatten)]
        report: AuditReport,
    },
    /// List the calls of a user, in all logs of the store
    Of {
        /// The name of the user
        user: String,
        #[command(flatten)]
        report: AuditReport,
    },
}

#[derive(Debug, Args)]
pub struct AuditReport {
    #[command(flatten)]
    pub at: StoreConnection,
    /// List only calls since a date, a time, or a period ago such as `12h` or `7d`
    #[arg(long, value_name = "WHEN")]
    pub since: Option<Since>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}
