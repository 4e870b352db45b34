//! Arguments of `faber import` and `faber export`.

use camino::Utf8PathBuf;
use clap::error::ContextKind;
use clap::{Args, ValueHint};

use super::common::{DataArgs, DataFormat, ROLE};
use super::search::{category, category_names};
use crate::cli::values::{self, NamedValue};
use faber_core::category::Category;
use faber_tools::exchange::target::ToolTarget;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Import {
    /// Files and directories; a format before them, such as claude, cursor or markdown, applies up to
    /// the next format
    #[arg(
        required_unless_present_any = ["update", "check", "watch"],
        value_name = "[FORMAT] PATH",
        value_hint = ValueHint::AnyPath
    )]
    pub paths: Vec<Utf8PathBuf>,
    /// The category of documents, with `markdown`; default: by their titles, else reference
    #[arg(long, value_name = "NAME", value_parser = values::suggested(category, category_names()))]
    pub category: Option<Category>,
    /// Also import translations of other files
    #[arg(long)]
    pub translations: bool,
    /// Update imported files, except those that were edited here
    #[arg(long, conflicts_with = "paths")]
    pub update: bool,
    /// Write nothing; exit 1 if imported files differ from their sources. Without PATH, check all imports
    #[arg(long, conflicts_with = "dry_run")]
    pub check: bool,
    /// Update whenever a source changes
    #[arg(long, conflicts_with_all = ["paths", "check", "dry_run", "prune", "format"])]
    pub watch: bool,
    /// Also update imports from directories outside the workspace
    #[arg(long, conflicts_with = "paths")]
    pub outside: bool,
    /// Remove contexts whose source is gone, unless they were edited here
    #[arg(long)]
    pub prune: bool,
    /// For files that changed here and in the source, keep the text of the workspace
    #[arg(long, conflicts_with = "theirs")]
    pub ours: bool,
    /// For files that changed here and in the source, take the text of the source
    #[arg(long)]
    pub theirs: bool,
    /// List the files that would be created, and create nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Copy nothing: use the files where they are, as a pack declared in the configuration
    #[arg(long, conflicts_with_all = ["into", "update", "check", "watch", "outside", "prune", "ours", "theirs", "category"])]
    pub in_place: bool,
    /// The target directory: a workspace, a role or an overlay; default: the workspace
    /// around the current directory, else a new one there
    #[arg(long, alias = "output", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub into: Option<Utf8PathBuf>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: DataFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportTarget {
    Tool(ToolTarget),
    /// `.mcp.json`.
    Mcp,
}

impl ExportTarget {
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool(target) => target.name(),
            Self::Mcp => "mcp",
        }
    }
}

fn export_targets() -> impl Iterator<Item = NamedValue<ExportTarget>> {
    let tools = ToolTarget::WORDS.map(|(word, help, tool)| (word, help, ExportTarget::Tool(tool)));
    let mcp = ("mcp", "MCP clients such as Claude Code: `.mcp.json`", ExportTarget::Mcp);
    tools.into_iter().chain([mcp])
}

/// Suggests the target of a tool, such as `agents-md` for `codex`.
fn target_of(tool: &str, error: &mut clap::Error) -> Option<String> {
    let is_of = |help: &str| {
        let tools = help.split_once(':').map_or("", |(tools, _)| tools);
        tools.split(' ').any(|word| word.eq_ignore_ascii_case(tool))
    };
    let (word, ..) = export_targets().find(|(_, help, _)| is_of(help))?;
    error.remove(ContextKind::SuggestedValue);
    Some(format!("write `faber export {word}`"))
}

#[derive(Debug, Args)]
pub struct Export {
    /// The tool; or `mcp`, for the MCP servers that the role and its platform need
    #[arg(value_parser = values::with_tip(values::parser(export_targets()), target_of))]
    pub target: ExportTarget,
    /// The role; default: `settings.role`, else the only one, else the contexts that all share
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Write nothing; exit 1 with a diff if a file is out of date
    #[arg(long, conflicts_with = "dry_run")]
    pub check: bool,
    /// Write nothing; list what would be written, and what the tool cannot use
    #[arg(long)]
    pub dry_run: bool,
    /// Export even if a text has a security error
    #[arg(long)]
    pub allow_insecure: bool,
    /// The file to write, with `mcp`; default: `.mcp.json` at the workspace root
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub data: DataArgs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_typed_by_its_name() {
        assert!(export_targets().all(|(word, _, target)| target.name() == word));
    }
}
