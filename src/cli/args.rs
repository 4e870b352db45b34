//! Command-line arguments.

mod assembly;
mod common;
mod exchange;
mod graph;
mod hook;
mod memory;
mod new;
mod pack;
mod search;
mod serve;
#[cfg(feature = "store")]
mod store;
mod test;
mod trial;
mod tune;
mod validate;
mod watch;

pub use assembly::{Assemble, AssemblyArgs, BundleFormat, Explain, LineRange, WhatIf};
pub use common::{CONTEXT, DataArgs, DataFormat, FLOW, NAMED, ROLE, TASK, ViewArgs};
pub use exchange::{Export, ExportTarget, Import};
pub use graph::{Graph, GraphFormat};
pub use hook::{HookCommand, HookInstall, HookReplay, HookRun, HookStatus, HookUninstall};
pub use memory::{Approve, Extract, Reject, Remember, Review};
pub use new::{New, NewKind};
pub use pack::{
    EffectArgs, EffectFormat, PackAdd, PackCommand, PackFormat, PackNames, PackPrune, PackPublish,
    PackRelock, PackRemove, PackReport, PackUpdate, PackVendor, Trust,
};
pub use search::{
    CatalogArgs, EncoderCommand, Expand, IndexCommand, IndexWhat, LookupArgs, QueryArgs,
    QueryFormat, SearchArgs,
};
pub use serve::{Lsp, Serve};
#[cfg(feature = "store")]
pub use store::{
    AuditCommand, AuditReport, SharedArgs, StoreCommand, StoreConnection, StoreDrop, StoreForget,
    StorePull, StorePush, StoreState,
};
pub use test::{Test, TestFormat};
pub use trial::{TrialCommand, TrialPlanArgs, TrialReadArgs};
pub use tune::{SuggestCommand, SuggestKeywords, Tune, TuneFormat};
pub use validate::{Deny, FindingsFormat, RulesArgs, Validate};
pub use watch::{Watch, WatchedCommand};

use camino::Utf8PathBuf;
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use crate::cli::deferred::Deferred;
use crate::cli::{examples, values};
use faber_session::audit::since::Since;

/// The version elsewhere does not change with commits.
const VERSION: &str = env!("VERSION_AND_COMMIT");

const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  findings
  2  failure: usage, no workspace, I/O, errors in the workspace
  3  the budget cannot hold the required parts";

/// Compile context packs into prompt bundles.
#[derive(Debug, Parser)]
#[command(name = "faber", version = VERSION, about, after_help = EXIT_STATUS, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Use the workspace that contains DIR instead of the current directory
    ///
    /// `faber init` creates one there. Other paths stay relative to the current directory.
    #[arg(
        short = 'C',
        long = "root",
        global = true,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        env = "FABER_ROOT",
        hide_env = true
    )]
    pub root: Option<Utf8PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
    /// Print only errors on standard error
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print hints on standard error, and complete lists
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Neither read nor write the cache
    #[arg(long, global = true)]
    pub no_cache: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Assemble the prompt bundle of a role for a request
    #[command(after_long_help = examples::ASSEMBLE)]
    Assemble(Deferred<Assemble>),
    /// Explain why each context is or is not in the bundle of a request
    #[command(after_long_help = examples::EXPLAIN)]
    Explain(Deferred<Explain>),
    /// Check a workspace for problems, and fix those that can be fixed
    #[command(after_long_help = examples::VALIDATE)]
    Validate(Deferred<Validate>),
    /// List the rules of `validate`, or explain one
    #[command(after_long_help = examples::RULES)]
    Rules(Deferred<RulesArgs>),
    /// Search contexts, tasks, flows and history by words and meaning
    #[command(after_long_help = examples::SEARCH)]
    Search(Deferred<SearchArgs>),
    /// Answer a question with passages from contexts, within a token budget
    #[command(after_long_help = examples::QUERY)]
    Query(Deferred<QueryArgs>),
    /// Summarize the available contexts, within a token budget
    #[command(after_long_help = examples::CATALOG)]
    Catalog(Deferred<CatalogArgs>),
    /// Print a search result in full, with its sources
    #[command(after_long_help = examples::EXPAND)]
    Expand(Deferred<Expand>),
    /// Inspect, rebuild or remove the search index
    Index(Deferred<IndexCommand>),
    /// Add, show or remove an encoder, a model that improves search by meaning
    #[command(subcommand)]
    Encoder(EncoderCommand),
    /// Draft a note, which is not used until it is approved
    #[command(after_long_help = examples::REMEMBER)]
    Remember(Deferred<Remember>),
    /// Draft notes from a conversation: decisions, rules, preferences, corrections
    Extract(Deferred<Extract>),
    /// List drafts of notes, with their sources and what they contradict
    Review(Deferred<Review>),
    /// Approve a draft of a note, on its own or into a context
    Approve(Deferred<Approve>),
    /// Reject a draft of a note
    Reject(Deferred<Reject>),
    /// Serve agents over the Model Context Protocol
    #[command(after_long_help = examples::SERVE)]
    Serve(Deferred<Serve>),
    /// Add contexts to an agent's prompts, through its client's hooks
    #[command(subcommand)]
    Hook(HookCommand),
    /// Serve editors over the Language Server Protocol
    Lsp(Deferred<Lsp>),
    /// Print a context as resolved from all layers
    #[command(after_long_help = examples::SHOW)]
    Show(Deferred<Show>),
    /// Show what overlays change: base compared with resolved text
    #[command(after_long_help = examples::DIFF)]
    Diff(Deferred<Diff>),
    /// Draw a graph of roles, contexts, layers and references
    #[command(after_long_help = examples::GRAPH)]
    Graph(Deferred<Graph>),
    /// List contexts, roles, layers, platforms, triggers or models
    #[command(after_long_help = examples::LIST)]
    List(Deferred<ListArgs>),
    /// Count tokens
    #[command(after_long_help = examples::TOKENS)]
    Tokens(Deferred<Tokens>),
    /// Run the tests of the workspace: what requests must and must not load
    #[command(after_long_help = examples::TEST)]
    Test(Deferred<Test>),
    /// Find out whether contexts help: compare a model's answers with and without them
    #[command(subcommand)]
    Trial(TrialCommand),
    /// Show statistics of the audit log of a served workspace
    #[command(after_long_help = examples::STATS)]
    Stats(Deferred<Stats>),
    /// Propose changes based on the audit log
    #[command(after_long_help = examples::TUNE)]
    Tune(Deferred<Tune>),
    /// Suggest fields of front matter
    #[command(subcommand)]
    Suggest(SuggestCommand),
    /// Re-run a command when its inputs change
    #[command(after_long_help = examples::WATCH)]
    Watch(Watch),
    /// Show the effective configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Use contexts, roles and overlays from other repositories, pinned in faber.lock
    #[command(subcommand)]
    Pack(PackCommand),
    /// Ship the audit log to a store, and list who received what
    #[cfg(feature = "store")]
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Share knowledge through a store on PostgreSQL
    #[cfg(feature = "store")]
    #[command(subcommand)]
    Store(StoreCommand),
    /// Trust the workspace and the packs that it declares
    ///
    /// Its packs may then be directories of this machine outside the repository, and `required` and
    /// `sealed` of packs take effect. Trust it again when `packs` changes.
    Trust(Deferred<Trust>),
    /// Create a workspace
    #[command(after_long_help = examples::INIT)]
    Init(Deferred<Init>),
    /// Create a role, context, overlay, task, flow or platform
    #[command(after_long_help = examples::NEW)]
    New(Deferred<New>),
    /// Import rules and skills of other tools as contexts
    #[command(after_long_help = examples::IMPORT)]
    Import(Deferred<Import>),
    /// Export contexts as files of another tool
    #[command(after_long_help = examples::EXPORT)]
    Export(Deferred<Export>),
    /// Print the JSON Schema of an output format
    Schema(Deferred<Schema>),
    /// Print a shell completion script
    #[command(after_help = examples::COMPLETIONS)]
    Completions(Deferred<Completions>),
    /// Print the manual page
    #[command(after_help = examples::MAN)]
    Man,
    /// Print the help of a command
    Help(Deferred<Help>),
    /// Print the names that may stand where a command line ends; the scripts ask for them
    #[command(name = "__complete", hide = true)]
    Complete(Deferred<Complete>),
}

impl Command {
    /// Of the command line, which `settings` needs before the command runs.
    pub fn view(&self) -> ViewArgs {
        match self {
            Self::Assemble(args) => args.ask.view.clone(),
            Self::Explain(args) => args.ask.view.clone(),
            Self::Search(args) => args.place.view.clone(),
            Self::Query(args) => args.place.view.clone(),
            Self::Catalog(args) => args.place.view.clone(),
            Self::Expand(args) => args.place.view.clone(),
            Self::Index(args) => args.data.view.clone(),
            Self::Remember(args) => args.data.view.clone(),
            Self::Extract(args) => args.data.view.clone(),
            Self::Review(args) => args.data.view.clone(),
            Self::Approve(args) => args.data.view.clone(),
            Self::Reject(args) => args.data.view.clone(),
            Self::Serve(args) => args.view.clone(),
            Self::Show(args) => args.data.view.clone(),
            Self::Diff(args) => args.data.view.clone(),
            Self::Graph(args) => args.view.clone(),
            Self::List(args) => args.data.view.clone(),
            Self::Export(args) => args.data.view.clone(),
            Self::Config(ConfigCommand::Show { view, .. }) => view.clone(),
            Self::Suggest(SuggestCommand::Keywords(args)) => args.data.view.clone(),
            Self::Pack(PackCommand::Publish(args)) => ViewArgs::on(args.at),
            Self::Test(args) => ViewArgs::on(args.at),
            Self::Trial(TrialCommand::Plan(args)) => ViewArgs::on(args.at),
            Self::Watch(args) => args.command.view(),
            #[cfg(feature = "store")]
            Self::Store(command) => command.view(),
            _ => ViewArgs::default(),
        }
    }
}

#[derive(Debug, Args)]
pub struct Show {
    /// The context: an id, a file name or a path
    #[arg(value_hint = CONTEXT)]
    pub context: String,
    /// The role; default: `settings.role`, else the only one
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Print before each line the layer, file and line that it comes from
    #[arg(long)]
    pub blame: bool,
    #[command(flatten)]
    pub data: DataArgs,
}

#[derive(Debug, Args)]
pub struct Diff {
    /// A context, or a role for all of its contexts
    #[arg(value_hint = CONTEXT)]
    pub target: String,
    /// The role; default: `settings.role`, else the only one
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    #[command(flatten)]
    pub data: DataArgs,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// What to list
    #[arg(value_enum, default_value_t = ListKind::Contexts)]
    pub what: ListKind,
    /// Only contexts of this role
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    #[command(flatten)]
    pub data: DataArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListKind {
    /// Roles, with the roles they extend and their platforms
    Roles,
    /// Contexts, and when each loads
    Contexts,
    /// Layers of a role, lowest first
    Layers,
    /// Platforms
    Platforms,
    /// Keywords and errors, with the contexts that they load
    Triggers,
    /// Models, with their windows and how their tokens are counted
    Models,
}

#[derive(Debug, Args)]
pub struct Tokens {
    /// Files; `-` or none reads standard input
    pub files: Vec<Utf8PathBuf>,
    /// Count directories too, as a tree, without what git ignores; default: the current directory
    #[arg(long, conflicts_with = "compare")]
    pub tree: bool,
    /// Fold directories that are N levels deep into one line
    #[arg(long, value_name = "N", default_value_t = 3, requires = "tree", value_parser = values::count::<usize>)]
    pub depth: usize,
    /// Count for this model; may be repeated, to compare several
    #[arg(long, value_name = "NAME", value_hint = NAMED)]
    pub model: Vec<String>,
    /// Compare the models of `--model` side by side; with fewer than two, add one model per encoding
    #[arg(long)]
    pub compare: bool,
    /// Count tokens with this encoding, such as `o200k_base`
    #[arg(long, value_name = "NAME", value_parser = values::encoding(), conflicts_with_all = ["model", "compare"])]
    pub encoding: Option<String>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Debug, Args)]
pub struct Stats {
    /// Count only calls since a date, a time, or a period ago such as `12h` or `7d`
    #[arg(long, value_name = "WHEN")]
    pub since: Option<Since>,
    /// Count the calls of all logs of this store; default address as for `search --store`
    #[cfg(feature = "store")]
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub store: Option<String>,
    /// Instead, count for each context, question or session
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Option<StatsBy>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsBy {
    /// How often each context was given, shortened, expanded and found, including those never given
    Context,
    /// The questions without an answer
    Query,
    /// The calls of each session, and the tokens that it saved
    Session,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the effective values
    Show {
        /// Only this key and what is below it, such as `search` or `search.limit`
        key: Option<String>,
        /// Show where each value comes from
        #[arg(long)]
        origin: bool,
        /// Include the overlays of this role
        #[arg(long, value_name = "NAME", value_hint = ROLE)]
        role: Option<String>,
        /// The output format
        #[arg(short, long, value_enum, default_value_t)]
        format: DataFormat,
        #[command(flatten)]
        view: ViewArgs,
    },
}

#[derive(Debug, Args)]
pub struct Init {
    /// The directory; default: the current one
    pub directory: Option<Utf8PathBuf>,
    /// The template to use
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = values::suggested(NonEmptyStringValueParser::new(), ["default", "minimal"]))]
    pub template: String,
}

#[derive(Debug, Args)]
pub struct Schema {
    /// The format; without one, their names are printed
    #[arg(value_name = "NAME", value_hint = NAMED)]
    pub schema: Option<String>,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Help {
    /// The command, such as `assemble` or `hook install`; default: an overview of all
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash 4 or later
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
    /// PowerShell 5 or later
    #[value(name = "powershell")]
    PowerShell,
}

#[derive(Debug, Args)]
pub struct Complete {
    /// The line ends behind the last word, and the next one begins
    #[arg(long)]
    pub next: bool,
    /// The command line up to the cursor; the last word is the one to complete
    #[arg(last = true)]
    pub words: Vec<String>,
}
