//! `faber trial`.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueHint};

use super::common::{CONTEXT, DataFormat};
use crate::cli::deferred::Deferred;
use crate::cli::values;
use faber_lint::trial::config::TrialFormat;

#[derive(Debug, Subcommand)]
pub enum TrialCommand {
    /// Write pairs of bundles for the cases of `faber test`, with and without each context
    Plan(Deferred<TrialPlanArgs>),
    /// Read verdicts on the answers, print the effect of each context, and save it for `validate`
    Read(Deferred<TrialReadArgs>),
}

#[derive(Debug, Args)]
pub struct TrialPlanArgs {
    /// Only cases with one of these words in their file or name
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Leave out only this context, by id; default: each context of a bundle in turn
    #[arg(long = "context", value_name = "ID", value_hint = CONTEXT)]
    pub contexts: Vec<String>,
    /// Compare with the workspace in DIR instead, such as a worktree of the last release
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "contexts")]
    pub against: Option<Utf8PathBuf>,
    /// The tool to write for
    #[arg(short, long, value_parser = values::parser(TrialFormat::WORDS), default_value = "files")]
    pub format: TrialFormat,
    /// The directory to write to
    #[arg(short, long, value_name = "DIR", default_value = "trial", value_hint = ValueHint::DirPath)]
    pub output: Utf8PathBuf,
    /// Use this date instead of today, in cases without a date
    #[arg(long, value_parser = values::date, value_name = "YYYY-MM-DD")]
    pub at: Option<jiff::civil::Date>,
}

#[derive(Debug, Args)]
pub struct TrialReadArgs {
    /// Results of promptfoo, `benchmark.json`, `grading.json` in directories named by run, or JSON Lines
    #[arg(required = true, value_name = "RESULTS", value_hint = ValueHint::FilePath)]
    pub results: Vec<Utf8PathBuf>,
    /// The plan of these results
    #[arg(long, value_name = "FILE", default_value = "trial/trial.json", value_hint = ValueHint::FilePath)]
    pub plan: Utf8PathBuf,
    /// The random seed of the confidence interval
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::count::<u64>)]
    pub seed: u64,
    /// Print only; do not write `.faber/evidence.json`
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Use this date instead of today
    #[arg(long, value_parser = values::date, value_name = "YYYY-MM-DD")]
    pub at: Option<jiff::civil::Date>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}
