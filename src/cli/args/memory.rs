//! Arguments of commands for notes.

use clap::{Args, ValueHint};

use super::common::{CONTEXT, DataArgs, ROLE};
use crate::cli::values;
use faber_tools::memory::remember::NoteScope;

const APPROVER: &str = "\
The approver is the user of `--as` or the configuration (`access.user`), else the environment variable `USER`.";

#[derive(Debug, Args)]
pub struct Remember {
    /// What to remember; `-` reads standard input
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// Where it applies
    #[arg(short, long, value_parser = values::parser(NoteScope::WORDS), default_value = "space")]
    pub scope: NoteScope,
    /// What it was derived from, such as `history/chat.jsonl#12`
    #[arg(long, value_name = "CONVERSATION#TURN")]
    pub from: Vec<String>,
    /// Words for searching
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    pub tags: Vec<String>,
    /// Hide it from other users
    #[arg(long)]
    pub private: bool,
    /// The role of the scope `area`; default: `settings.role`, else the only one
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    #[command(flatten)]
    pub data: DataArgs,
}

#[derive(Debug, Args)]
pub struct Review {
    /// The role whose contexts drafts are compared with; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    #[command(flatten)]
    pub data: DataArgs,
}

#[derive(Debug, Args)]
#[command(after_help = APPROVER)]
pub struct Approve {
    /// The draft: its id, or a unique part of it
    pub id: String,
    /// Add the text to this context, which is created if it does not exist; default: the context that the draft proposes to change
    #[arg(long, value_name = "CONTEXT", value_hint = CONTEXT)]
    pub into: Option<String>,
    /// Write an overlay of that context in this layer: `organization`, `teams/NAME` or the like
    #[arg(long, value_name = "LAYER")]
    pub overlay: Option<String>,
    /// Approve it even if it has a security finding
    #[arg(long)]
    pub allow_insecure: bool,
    /// The role of the context; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    #[command(flatten)]
    pub data: DataArgs,
}

#[derive(Debug, Args)]
#[command(after_help = APPROVER)]
pub struct Reject {
    /// The draft: its id, or a unique part of it
    pub id: String,
    #[command(flatten)]
    pub data: DataArgs,
}

#[derive(Debug, Args)]
pub struct Extract {
    /// A conversation: of the history, a file of messages, or a transcript of a client; `-` reads standard input
    #[arg(value_name = "CONVERSATION", value_hint = ValueHint::FilePath)]
    pub conversation: String,
    /// Print the notes without creating drafts
    #[arg(long)]
    pub dry_run: bool,
    /// Where the notes apply
    #[arg(short, long, value_parser = values::parser(NoteScope::WORDS), default_value = "space")]
    pub scope: NoteScope,
    /// The role of the scope `area`; default: `settings.role`, else the only one
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    #[command(flatten)]
    pub data: DataArgs,
}
