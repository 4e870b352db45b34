//! `faber test`.

use clap::{Args, ValueEnum};

use crate::cli::values;
use faber_session::audit::since::Since;

#[derive(Debug, Args)]
pub struct Test {
    /// Only cases with one of these words in their file or name
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Write the snapshots that differ instead of failing
    #[arg(long)]
    pub update: bool,
    /// Run cases sequentially and stop at the first failure
    #[arg(long)]
    pub fail_fast: bool,
    /// Use this date instead of today, in cases without a date
    #[arg(long, value_parser = values::date, value_name = "YYYY-MM-DD")]
    pub at: Option<jiff::civil::Date>,
    /// Print test cases for the requests in the audit log, most frequent first; run none
    #[arg(long, conflicts_with_all = ["filters", "update", "fail_fast", "format"])]
    pub suggest: bool,
    /// With `--suggest`, use only calls since a date, a time, or a period ago such as `12h` or `7d`
    #[arg(long, value_name = "WHEN", requires = "suggest")]
    pub since: Option<Since>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: TestFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// Text for people
    #[default]
    Human,
    /// JSON for programs
    Json,
    /// JUnit XML, for continuous integration
    Junit,
}
