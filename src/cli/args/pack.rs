//! Arguments of `faber pack` and `faber trust`.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::common::{DataFormat, ROLE};
use crate::cli::deferred::Deferred;
use crate::cli::{examples, values};

#[derive(Debug, Subcommand)]
pub enum PackCommand {
    /// Add a pack to the configuration, fetch it and pin it in faber.lock
    #[command(after_long_help = examples::PACK_ADD)]
    Add(Deferred<PackAdd>),
    /// Remove a pack from the configuration and faber.lock
    Remove(Deferred<PackRemove>),
    /// List the packs, their versions and sources
    List(Deferred<PackFormat>),
    /// Pin the latest commit of each ref, and show the effects
    #[command(after_long_help = examples::PACK_UPDATE)]
    Update(Deferred<PackUpdate>),
    /// Compare every byte of the packs with faber.lock
    Verify(Deferred<PackNames>),
    /// Copy the packs into `.faber/packs`, to be put into version control
    Vendor(Deferred<PackVendor>),
    /// List packs whose refs point to a different commit than faber.lock
    Outdated(Deferred<PackFormat>),
    /// Update faber.lock after a program such as a dependency bot has changed commits in it
    Relock(Deferred<PackRelock>),
    /// Remove unused packs from your cache directory
    Prune(Deferred<PackPrune>),
    /// Publish contexts and roles as skills, a plugin and a marketplace, for clients without faber
    Publish(Deferred<PackPublish>),
    /// Compare the pack versions of several checkouts
    Report(Deferred<PackReport>),
}

#[derive(Debug, Args)]
pub struct PackAdd {
    /// The address of a git repository, or a directory; with `--skills`, of a site. Before it, a name for `packs`;
    /// default: the last part of the address
    #[arg(value_name = "[NAME] SOURCE", required = true, num_args = 1..=2)]
    pub what: Vec<String>,
    /// Add the skills that the site publishes in `/.well-known/agent-skills`
    #[arg(long, conflicts_with_all = ["reference", "path"])]
    pub skills: bool,
    /// A branch, tag, commit or range of versions such as `^1.2`; default: the remote's default branch
    #[arg(long = "ref", value_name = "REF")]
    pub reference: Option<String>,
    /// The directory of the pack in the repository
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    #[command(flatten)]
    pub whose: Whose,
    #[command(flatten)]
    pub effects: EffectArgs,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Whose {
    /// Use your own configuration, whose packs apply in every workspace
    #[arg(long)]
    pub user: bool,
}

#[derive(Debug, Args)]
pub struct PackRemove {
    /// Its name in `packs`
    pub name: String,
    #[command(flatten)]
    pub whose: Whose,
    /// Write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: EffectFormat,
}

#[derive(Debug, Args)]
pub struct PackUpdate {
    /// Only these packs
    pub names: Vec<String>,
    /// Fetch the commits in faber.lock and write nothing; the default if `CI` is set
    #[arg(long, conflicts_with = "no_locked")]
    pub locked: bool,
    /// Update faber.lock even if `CI` is set
    #[arg(long)]
    pub no_locked: bool,
    #[command(flatten)]
    pub whose: Whose,
    #[command(flatten)]
    pub effects: EffectArgs,
}

#[derive(Debug, Args)]
pub struct EffectArgs {
    /// Write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write even if something stops the change, such as new security errors
    #[arg(long)]
    pub accept: bool,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: EffectFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EffectFormat {
    /// Text for people
    #[default]
    Human,
    /// JSON for programs
    Json,
    /// Markdown for a pull request
    Markdown,
}

#[derive(Debug, Args)]
pub struct PackNames {
    /// Only these packs
    pub names: Vec<String>,
    #[command(flatten)]
    pub whose: Whose,
}

#[derive(Debug, Args)]
pub struct PackRelock {
    /// Only these packs
    pub names: Vec<String>,
    #[command(flatten)]
    pub whose: Whose,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: EffectFormat,
}

#[derive(Debug, Args)]
pub struct PackVendor {
    /// Only these packs
    pub names: Vec<String>,
}

#[derive(Debug, Args)]
pub struct PackFormat {
    #[command(flatten)]
    pub whose: Whose,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Debug, Args)]
pub struct PackPrune {
    /// Remove packs that were not used for this many days
    #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = values::count::<u16>)]
    pub unused_for: u16,
    /// Remove nothing; print what would be removed
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct PackPublish {
    /// The directory to write; files in it that faber did not write stay
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Utf8PathBuf,
    /// Only this role; default: what all roles share, and what each has for itself
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Write nothing; exit 1 with a diff if a file is out of date
    #[arg(long)]
    pub check: bool,
    /// Use this date instead of today
    #[arg(long, value_parser = values::date, value_name = "YYYY-MM-DD")]
    pub at: Option<jiff::civil::Date>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Debug, Args)]
pub struct PackReport {
    /// Directories with a workspace
    #[arg(required = true, value_hint = ValueHint::DirPath)]
    pub checkouts: Vec<Utf8PathBuf>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Debug, Args)]
pub struct Trust {
    /// List the trusted workspaces
    #[arg(long, conflicts_with = "revoke")]
    pub list: bool,
    /// Stop trusting this workspace
    #[arg(long)]
    pub revoke: bool,
}
