//! `faber validate` and `faber rules`.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum, ValueHint};
use serde::Serialize;

use super::DataFormat;

/// `faber validate`.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Validate {
    /// Report only what lies at or below these paths; everything is looked at in any case
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
    /// End with status 1 also when there are only warnings
    #[arg(long, value_enum, value_name = "warnings")]
    pub deny: Option<Deny>,
    /// Report only what lies in files that git says differ from REV
    #[arg(
        long,
        value_name = "REV",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "HEAD"
    )]
    pub changed: Option<String>,
    /// Leave out the findings that FILE knows
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
    /// Fix what can be fixed without losing anything
    #[arg(long)]
    pub fix: bool,
    /// Fix also where what was meant is a guess
    #[arg(long)]
    pub r#unsafe: bool,
    /// Print what fixing would change, and change nothing
    #[arg(long)]
    pub diff: bool,
    /// Judge validity by this date instead of today
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub at: Option<jiff::civil::Date>,
}

/// What counts as a reason to fail besides errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
pub enum Deny {
    /// Warnings
    Warnings,
}

/// The form of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
pub enum FindingsFormat {
    /// For people: each finding with its lines
    #[default]
    Human,
    /// For people and editors: a line each
    Concise,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// XML as test runners write it (`JUnit`), a test case per file
    Junit,
}

/// `faber rules`.
#[derive(Debug, Args)]
pub struct Rules {
    /// The rule to explain; without one, all are listed
    pub rule: Option<String>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}
