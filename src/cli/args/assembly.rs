//! Arguments of `faber assemble` and `faber explain`.

use camino::Utf8PathBuf;
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum, ValueHint};
use serde::Serialize;

use super::common::{CONTEXT, DataFormat, FLOW, NAMED, ROLE, TASK, ViewArgs};
use crate::cli::values;
use faber_core::assemble::BundlePart;
use faber_core::config::{Amount, Order};

#[derive(Clone, Debug, Default, Args)]
pub struct AssemblyArgs {
    /// The request: what the model should do; `-` reads standard input
    #[arg(short, long, value_name = "TEXT|-", allow_hyphen_values = true)]
    pub request: Option<String>,
    /// Error text to show and to match, such as a stack trace; `-` reads standard input
    #[arg(long, value_name = "TEXT|-", allow_hyphen_values = true)]
    pub error: Option<String>,
    /// A file that the request is about, for contexts with globs; may be repeated
    #[arg(long = "file", value_name = "PATH", value_hint = ValueHint::FilePath, value_parser = NonEmptyStringValueParser::new())]
    pub files: Vec<String>,
    /// Like `--file`, for all files that differ from REV in git: `--changed=main` (default: HEAD)
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    pub changed: Option<String>,
    /// Material to work on; files of a diff count as `--file`; `-` reads standard input; may be repeated
    #[arg(long = "input", value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub inputs: Vec<Utf8PathBuf>,
    /// The conversation so far: JSON Lines or a JSON array of messages; `-` reads standard input
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub history: Option<Utf8PathBuf>,
    /// Always include this context; may be repeated
    #[arg(long = "with", value_name = "ID", value_hint = CONTEXT, value_parser = NonEmptyStringValueParser::new())]
    pub with: Vec<String>,
    /// Leave this context out; may be repeated
    #[arg(long = "without", value_name = "ID", value_hint = CONTEXT, value_parser = NonEmptyStringValueParser::new())]
    pub without: Vec<String>,
    /// Add a task of the role, and load the contexts that it names
    #[arg(long, value_name = "NAME", value_hint = TASK, conflicts_with = "flow")]
    pub task: Option<String>,
    /// Add a flow of the role, and load the contexts that it names
    #[arg(long, value_name = "NAME", value_hint = FLOW)]
    pub flow: Option<String>,
    /// Maximum tokens of the bundle: 8000, 32k, or 60% of the model's window
    #[arg(short, long, alias = "max-tokens", value_name = "TOKENS", allow_negative_numbers = true)]
    pub budget: Option<Amount>,
    /// Count tokens for this model, and use its context window
    #[arg(long, value_name = "NAME", value_hint = NAMED)]
    pub model: Option<String>,
    /// Count tokens with this encoding, such as `o200k_base`
    #[arg(long, value_name = "NAME", value_parser = values::encoding(), conflicts_with = "model")]
    pub encoding: Option<String>,
    /// The order of contexts in the bundle
    #[arg(long, value_parser = values::parser(Order::WORDS), value_name = "ORDER")]
    pub order: Option<Order>,
    /// Only these parts of the bundle
    #[arg(long, value_parser = values::parser(BundlePart::WORDS), value_name = "PART,…", value_delimiter = ',')]
    pub parts: Vec<BundlePart>,
    /// Fail on any error in the workspace
    #[arg(long)]
    pub strict: bool,
    /// Accept texts with security errors
    #[arg(long)]
    pub allow_insecure: bool,
    /// Keep load directives in the prompt, including those that faber has followed
    #[arg(long)]
    pub keep_directives: bool,
    #[command(flatten)]
    pub view: ViewArgs,
}

const OUTPUT: &str = "Output";

#[derive(Debug, Args)]
pub struct Assemble {
    /// The role; default: `settings.role`, else the only one
    #[arg(value_hint = ROLE)]
    pub role: Option<String>,
    /// The role, as for other commands
    #[arg(long = "role", value_name = "NAME", value_hint = ROLE, hide = true, conflicts_with = "role")]
    pub role_option: Option<String>,
    #[command(flatten)]
    pub ask: AssemblyArgs,
    /// The output format of the bundle
    #[arg(short, long, help_heading = OUTPUT, value_enum, default_value_t = BundleFormat::Markdown)]
    pub format: BundleFormat,
    /// Print a report about selection and budget on standard error
    #[arg(long, help_heading = OUTPUT, value_enum, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "human")]
    pub report: Option<DataFormat>,
    /// Write the report to a file instead; `-` is standard output
    #[arg(long, help_heading = OUTPUT, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub report_file: Option<Utf8PathBuf>,
    /// Write the bundle to a file instead of standard output
    #[arg(short, long, help_heading = OUTPUT, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<Utf8PathBuf>,
    /// Copy the bundle to the clipboard instead of printing it
    #[arg(long, help_heading = OUTPUT, conflicts_with_all = ["output", "check"])]
    pub copy: bool,
    /// Compare with FILE instead of printing: exit 1 with a diff if FILE is out of date
    #[arg(long, help_heading = OUTPUT, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "output")]
    pub check: Option<Utf8PathBuf>,
    /// Write messages of the conversation that are shortened or left out to `.faber/history/`
    #[arg(long, help_heading = OUTPUT, requires = "history", conflicts_with = "check")]
    pub archive: bool,
}

/// The event decides, or hooks have none.
const NOT_OF_EVENTS: [&str; 12] = [
    "request",
    "error",
    "files",
    "changed",
    "inputs",
    "history",
    "with",
    "without",
    "task",
    "flow",
    "parts",
    "bundle_format",
];

#[derive(Debug, Args)]
pub struct Explain {
    /// Explain this context in detail: an id, a file name or a path; default: a table of all
    #[arg(value_hint = CONTEXT)]
    pub context: Option<String>,
    /// The role; default: `settings.role`, else the only one
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Explain the selection for this event of a client's hook; `-` reads standard input
    #[arg(long, value_name = "EVENT|-", value_hint = ValueHint::FilePath, conflicts_with_all = NOT_OF_EVENTS)]
    pub hook: Option<Utf8PathBuf>,
    /// Print the file and line that line N of the bundle, or lines A to B, come from
    #[arg(long, value_name = "N|A-B", conflicts_with_all = ["context", "what_if"])]
    pub line: Option<LineRange>,
    /// Compare with the bundle of another budget, platform, team, workflow, environment, date or
    /// model
    #[arg(long, value_name = "KEY=VALUE,…", value_delimiter = ',', conflicts_with = "context")]
    pub what_if: Vec<WhatIf>,
    /// The output format of the bundle, for counting tokens
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = BundleFormat::Markdown)]
    pub bundle_format: BundleFormat,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write an HTML page instead: budget, contexts, text and graph; `-` prints it
    #[arg(
        long,
        value_name = "FILE|-",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["format", "json"]
    )]
    pub html: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub ask: AssemblyArgs,
}

/// 1-based, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    pub first: usize,
    pub last: usize,
}

impl std::str::FromStr for LineRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.trim().parse().ok().filter(|&number: &usize| number > 0);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Self { first, last }),
            _ => Err("write a line (`12`) or a range (`12-20`), counted from 1"),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum WhatIf {
    Budget(Amount),
    Platform(String),
    Team(String),
    Workflow(String),
    Environment(String),
    /// For checks of validity.
    Date(jiff::civil::Date),
    Model(String),
}

impl std::fmt::Display for WhatIf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Budget(amount) => write!(f, "budget={amount}"),
            Self::Platform(name) => write!(f, "platform={name}"),
            Self::Team(name) => write!(f, "team={name}"),
            Self::Workflow(name) => write!(f, "workflow={name}"),
            Self::Environment(name) => write!(f, "environment={name}"),
            Self::Date(date) => write!(f, "date={date}"),
            Self::Model(name) => write!(f, "model={name}"),
        }
    }
}

impl std::str::FromStr for WhatIf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (key, value) = text.split_once('=').map_or((text, ""), |(k, v)| (k.trim(), v.trim()));
        if value.is_empty() {
            return Err("write `KEY=VALUE`, such as `budget=4000`".to_owned());
        }
        let name = value.to_owned();
        Ok(match key {
            "budget" => Self::Budget(value.parse()?),
            "platform" => Self::Platform(name),
            "team" => Self::Team(values::folder_name(value)?),
            "workflow" => Self::Workflow(values::folder_name(value)?),
            "environment" => Self::Environment(name),
            "date" => Self::Date(values::date(value)?),
            "model" => Self::Model(name),
            _ => {
                return Err(format!(
                    "unknown key `{key}`; use budget, platform, team, workflow, environment, date \
                     or model"
                ));
            }
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
pub enum BundleFormat {
    /// For people and models
    Markdown,
    /// Tags around each part
    Xml,
    /// JSON with all details
    Json,
    /// Contents without headings of groups, comments with ids, and the catalog
    Text,
    /// The body of a request to Anthropic's Messages API
    Anthropic,
    /// The body of a request to OpenAI's Chat Completions API
    Openai,
}
