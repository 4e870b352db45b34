//! `faber graph`.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum, ValueHint};

use super::common::{CONTEXT, ROLE, ViewArgs};
use crate::cli::values;

#[derive(Debug, Args)]
pub struct Graph {
    /// The output format; default: by the extension of `--output`, else mermaid
    #[arg(short, long, value_enum)]
    pub format: Option<GraphFormat>,
    /// Only contexts of this role; default: `settings.role`, else the only one, else all
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Only the neighbourhood of this context, role, task, flow or layer
    #[arg(long, value_name = "ID", value_hint = CONTEXT)]
    pub focus: Option<String>,
    /// The number of steps from `--focus`
    #[arg(long, value_name = "N", default_value_t = 1, requires = "focus", value_parser = values::count::<usize>)]
    pub depth: usize,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub view: ViewArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A Mermaid flowchart, which many renderers of Markdown draw
    Mermaid,
    /// The DOT language of Graphviz
    Dot,
    /// JSON for programs
    Json,
    /// An HTML page
    Html,
}
