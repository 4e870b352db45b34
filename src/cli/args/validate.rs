//! `faber validate` and `faber rules`.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum, ValueHint};
use serde::Serialize;

use super::common::{DataFormat, NAMED};
use crate::cli::values;

#[derive(Clone, Debug, Args, Serialize)]
pub struct Validate {
    /// Report only findings in these files and directories; everything is still checked
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<Utf8PathBuf>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: FindingsFormat,
    /// Report only these rules or groups of rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Do not report these rules or groups of rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Exit with status 1 on warnings too
    #[arg(long, value_enum, value_name = "WHAT,…", value_delimiter = ',')]
    pub deny: Vec<Deny>,
    /// Report only findings in files that differ from REV in git: `--changed=main` (default: HEAD)
    #[arg(
        long,
        value_name = "REV",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "HEAD"
    )]
    pub changed: Option<String>,
    /// Leave out the findings listed in FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<Utf8PathBuf>,
    /// Write the findings to FILE, so that `--baseline FILE` leaves them out
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["baseline", "fix", "diff"]
    )]
    pub write_baseline: Option<Utf8PathBuf>,
    /// Apply safe fixes
    #[arg(long)]
    pub fix: bool,
    /// With `--fix`, also apply fixes that may change the meaning
    #[arg(long)]
    pub r#unsafe: bool,
    /// Print what `--fix` would change, and change nothing
    #[arg(long)]
    pub diff: bool,
    /// Use this date instead of today
    #[arg(long, value_parser = values::date, value_name = "YYYY-MM-DD")]
    pub at: Option<jiff::civil::Date>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
pub enum Deny {
    /// Warnings in files of the workspace
    Warnings,
    /// Warnings in files of packs
    Packs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
pub enum FindingsFormat {
    /// Text for people: each finding with its lines
    #[default]
    Human,
    /// Text with one line per finding
    Concise,
    /// JSON for programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations in GitHub Actions
    Github,
    /// JUnit XML, one test case per file
    Junit,
}

#[derive(Debug, Args)]
pub struct RulesArgs {
    /// The rule to explain, or a group to list; default: list all rules
    #[arg(value_hint = NAMED)]
    pub rule: Option<String>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}
