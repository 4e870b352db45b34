//! Arguments of several commands.

use clap::{Args, ValueEnum, ValueHint};
use serde::Serialize;

use crate::cli::values;

/// clap has no hints for names of a workspace, so unused ones are repurposed.
pub const ROLE: ValueHint = ValueHint::Username;
pub const CONTEXT: ValueHint = ValueHint::Hostname;
pub const TASK: ValueHint = ValueHint::Url;
pub const FLOW: ValueHint = ValueHint::EmailAddress;
/// Other names, by the id of the argument.
pub const NAMED: ValueHint = ValueHint::CommandName;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Overlays and conditions")]
pub struct ViewArgs {
    /// Use this platform instead of the configured one
    #[arg(long, value_name = "NAME")]
    pub platform: Option<String>,
    /// Use this team's overlay; may be repeated
    #[arg(long, value_name = "NAME,…", value_hint = NAMED, value_delimiter = ',', value_parser = values::folder_name)]
    pub team: Vec<String>,
    /// Use this workflow's overlay
    #[arg(long, value_name = "NAME", value_hint = NAMED, value_parser = values::folder_name)]
    pub workflow: Option<String>,
    /// The environment for `when` conditions, such as `production`
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// Act as this user, in these groups
    #[arg(long = "as", value_name = "USER[:GROUP,…]")]
    pub principal: Option<String>,
    /// Leave out the user's overlay
    #[arg(long)]
    pub no_user: bool,
    /// Use this date instead of today
    #[arg(long, value_parser = values::date, value_name = "YYYY-MM-DD")]
    pub at: Option<jiff::civil::Date>,
}

impl ViewArgs {
    pub(super) fn on(at: Option<jiff::civil::Date>) -> Self {
        Self { at, ..Self::default() }
    }
}

#[derive(Debug, Args)]
pub struct DataArgs {
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
    #[command(flatten)]
    pub view: ViewArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
pub enum DataFormat {
    /// Text for people
    #[default]
    Human,
    /// JSON for programs
    Json,
}
