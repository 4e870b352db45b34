//! Sources of configuration.

use crate::source::{FileId, SourceMap};

pub const DEFAULTS: &str = "built-in defaults";
pub const ENVIRONMENT: &str = "environment";
pub(super) const COMMAND_LINE: &str = "command line";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigSource {
    User,
    Workspace,
    Overlay,
    Environment,
    CommandLine,
}

pub fn is_command_line(sources: &SourceMap, file: FileId) -> bool {
    sources.path(file) == COMMAND_LINE
}

pub fn is_pseudo(sources: &SourceMap, file: FileId) -> bool {
    [DEFAULTS, ENVIRONMENT, COMMAND_LINE].contains(&sources.path(file).as_str())
}
